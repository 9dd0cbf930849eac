//! `/demo/orders`: the shop's own server. It reads and creates charges only with its key over HTTP, through the
//! merchant API.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use protocol::{ChargeStatus, ChargeView, CreatedCharge, DeclineCode};
use reqwest::Method;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::Demo;
use super::products::Product;
use web::{ApiError, JsonBody, Named};

/// The longest id of a shopper, in characters.
const SHOPPER_ID_CHARACTERS_MAX: usize = 64;

/// An order as the shop's page sends it.
#[derive(Debug, Deserialize)]
pub(super) struct NewOrder {
    product: String,
    /// The shopper's id in the shop, for which cards are saved; without it the shopper is a guest.
    shopper: Option<String>,
}

/// The data with which the shop's page shows the form.
#[derive(Serialize)]
pub(super) struct CreatedOrder {
    order_id: String,
    charge_id: String,
    payload: String,
    client_secret: String,
    url: String,
    amount_text: String,
    product: &'static str,
}

/// `POST /demo/orders`: orders a product and creates its charge.
pub(super) async fn create_order(
    State(demo): State<Arc<Demo>>,
    JsonBody(new): JsonBody<NewOrder>,
) -> Result<(StatusCode, Json<CreatedOrder>), ApiError> {
    let product = Product::find(&new.product)
        .ok_or_else(|| ApiError::invalid("product", "The shop has no such product."))?;
    let shop = &demo.mode.shop;
    let order_id = new_order_id();
    let is_known = new.shopper.is_some();
    if !new.shopper.as_deref().is_none_or(is_shopper_id) {
        return Err(ApiError::invalid(
            "shopper",
            "A shopper's id is 1 to 64 letters, digits, - or _.",
        ));
    }
    let body = json!({
        "item_code": product.id,
        "item_name": product.name,
        "amount_value": product.amount_value,
        "amount_currency": product.amount_currency,
        "partner_reference": order_id,
        "return_url": format!("{}/demo?order={order_id}", demo.public_url),
        "cancel_url": format!("{}/demo", demo.public_url),
        "shopper_id": new.shopper,
        "enable_save_payment_method": is_known,
        "display_saved_payment_method_list": is_known,
        "eligible_save_payment_methods": is_known,
    });
    shop.orders.add(&order_id, product);
    let created: CreatedCharge = shop.ask(&order_id, Method::POST, "charges", Some(body)).await?;
    shop.orders.set_charge(&order_id, &created.id);
    let order = CreatedOrder {
        order_id,
        charge_id: created.id,
        payload: created.payload,
        client_secret: created.client_secret,
        url: created.url,
        amount_text: product.price_text(),
        product: product.id,
    };
    Ok((StatusCode::CREATED, Json(order)))
}

/// The state of an order.
#[derive(Serialize)]
pub(super) struct OrderState {
    order_id: String,
    product: &'static str,
    status: ChargeStatus,
    amount_text: String,
    decline_code: Option<String>,
}

/// `GET /demo/orders/{order_id}`: the state of the order, from the merchant API.
pub(super) async fn get_order(
    State(demo): State<Arc<Demo>>,
    Named(order_id): Named<String>,
) -> Result<Json<OrderState>, ApiError> {
    let shop = &demo.mode.shop;
    let (product, charge_id) = shop.orders.find(&order_id).ok_or_else(ApiError::not_found)?;
    let path = format!("charges/{charge_id}");
    let charge: ChargeView = shop.ask(&order_id, Method::GET, &path, None).await?;
    Ok(Json(OrderState {
        order_id,
        product: product.id,
        status: charge.status,
        amount_text: product.price_text(),
        // The shopper reads this, and must not learn that a card is known to be stolen.
        decline_code: charge
            .decline_code
            .map(|code| DeclineCode::from_code(&code).shown().as_str().to_owned()),
    }))
}

/// A new client secret.
#[derive(Serialize, Deserialize)]
pub(super) struct NewClientSecret {
    client_secret: String,
}

/// `POST /demo/orders/{order_id}/client-secret`: a new client secret for a shopper whose first one has expired.
pub(super) async fn create_client_secret(
    State(demo): State<Arc<Demo>>,
    Named(order_id): Named<String>,
) -> Result<Json<NewClientSecret>, ApiError> {
    let shop = &demo.mode.shop;
    let (_, charge_id) = shop.orders.find(&order_id).ok_or_else(ApiError::not_found)?;
    let path = format!("charges/{charge_id}/client-secret");
    shop.ask(&order_id, Method::POST, &path, None).await.map(Json)
}

/// Whether the text is an id like those that the shop's page makes at a shopper's first visit.
fn is_shopper_id(text: &str) -> bool {
    (1..=SHOPPER_ID_CHARACTERS_MAX).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

/// An order number that a person can read out: `LK-8F3A21C4`.
fn new_order_id() -> String {
    let random = Uuid::new_v4().simple().to_string();
    format!("LK-{}", random[..8].to_ascii_uppercase())
}
