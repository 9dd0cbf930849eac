//! The demo shop, as a merchant would build it: a page that uses the public SDK, and a server that uses the merchant
//! API. Only in demo mode.

mod order_book;
mod orders;
mod own_server;
mod products;
mod webhook;

mod gallery_page;
mod shop_page;
mod test_cards;

pub mod demo_mode;
#[cfg(feature = "traffic")]
pub mod traffic;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

use self::demo_mode::DemoMode;
use crate::simulator::ClockMover;
pub use own_server::Shop;

/// The shared state of the demo's handlers.
#[derive(Debug)]
pub struct Demo {
    /// The simulator, the merchants and the shop.
    pub mode: DemoMode,
    /// The origin at which shoppers reach this service.
    pub public_url: Arc<str>,
    /// The origins of the provider's challenges, for `frame-src`.
    pub challenge_sources: String,
    /// Moves the time, if the demo was started with `--clock`.
    pub clock: Option<Arc<ClockMover>>,
}

/// The routes of the shop, under `/demo`.
pub fn router() -> Router<Arc<Demo>> {
    Router::new()
        .route("/", get(shop_page::shop_page))
        .route("/theme", get(shop_page::theme_page))
        .route("/plain", get(shop_page::plain_page))
        .route("/assets/{*path}", get(shop_page::shop_asset))
        .route("/theme-report", get(gallery_page::theme_report))
        .route("/gallery", get(gallery_page::gallery_page))
        .route("/gallery/assets/{*path}", get(gallery_page::gallery_asset))
        .route("/products", get(products::list_products))
        .route("/test-cards", get(test_cards::list_test_cards))
        .route("/orders", post(orders::create_order))
        .route("/orders/{order_id}", get(orders::get_order))
        .route("/orders/{order_id}/log", get(webhook::get_order_log))
        .route("/webhooks", post(webhook::receive_webhook))
        .route(
            "/orders/{order_id}/client-secret",
            post(orders::create_client_secret),
        )
}
