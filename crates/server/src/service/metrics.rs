//! `GET /metrics`: the counts, for the operator's Prometheus.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

use super::app::App;
use crate::pages::page_not_found;
use web::client_ip::is_private;

/// Prometheus' text format.
const TEXT: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Answers clients on this machine or its private network, but not through a proxy. All others get the 404 page.
pub(crate) async fn metrics(
    State(app): State<App>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
) -> Response {
    if !is_private(peer.ip().to_canonical()) || is_forwarded(&headers, app.proxies.header.as_ref()) {
        return page_not_found(State(app.pages.clone()), Uri::from_static("/metrics"), headers).await;
    }
    // No query to the database here: metrics are needed most when something is broken.
    app.metrics.health.set_ready(app.readiness.is_ready());
    app.metrics
        .health
        .refresh(app.store.pool_state(), app.clock.now_ms());
    app.metrics.health.set_database_work(app.store.work());
    app.metrics.set_presses(app.charges.presses.under_way());
    match app.metrics.text() {
        Ok(text) => (
            [(header::CONTENT_TYPE, TEXT), (header::CACHE_CONTROL, "no-store")],
            text,
        )
            .into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// Whether a proxy sent the request. Then the connection is the proxy's, and the client may be anywhere.
fn is_forwarded(headers: &HeaderMap, configured: Option<&header::HeaderName>) -> bool {
    let usual = [
        header::FORWARDED,
        header::HeaderName::from_static("x-forwarded-for"),
        header::VIA,
    ];
    usual
        .iter()
        .chain(configured)
        .any(|name| headers.contains_key(name))
}
