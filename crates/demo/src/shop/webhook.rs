//! `POST /demo/webhooks`: the shop's receiver of webhooks. Also the calls about an order.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use serde_json::Value;

use super::Demo;
use super::order_book::{LineKind, LogLine};
use web::Named;

/// 204 for an event that is signed with the shop's secret within the last minutes, and 400 for anything else.
pub(super) async fn receive_webhook(
    State(demo): State<Arc<Demo>>,
    headers: HeaderMap,
    body: Bytes,
) -> StatusCode {
    let shop = &demo.mode.shop;
    if shop.webhook_key.verify(&body, &headers).is_err() {
        return StatusCode::BAD_REQUEST;
    }
    let event: Value = serde_json::from_slice(&body).unwrap_or_default();
    let text = |pointer| event.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let line = LogLine {
        number: 0,
        at_ms: shop.clock.now_ms(),
        kind: LineKind::Webhook,
        name: text("/type").to_owned(),
        status: StatusCode::NO_CONTENT.as_u16(),
        took_ms: 0,
        sent: Some(event.clone()),
        answer: None,
    };
    shop.orders.log(text("/data/partner_reference"), line);
    StatusCode::NO_CONTENT
}

/// `GET /demo/orders/{order_id}/log`: the requests and webhooks about the order. None for an unknown order.
pub(super) async fn get_order_log(
    State(demo): State<Arc<Demo>>,
    Named(order_id): Named<String>,
) -> Json<Vec<LogLine>> {
    Json(demo.mode.shop.orders.calls(&order_id))
}
