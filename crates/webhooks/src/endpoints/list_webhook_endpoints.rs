//! `GET /v1/webhook-endpoints`: the endpoints of a merchant.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use merchants::callers::Merchant;
use protocol::WebhookEndpoints;
use web::{ApiError, DescribedAnswer, Operation};

use super::view;
use crate::delivery::Webhooks;

/// This endpoint in the OpenAPI description.
pub const OPERATION: Operation = Operation {
    method: "GET",
    path: "/v1/webhook-endpoints",
    id: "list_webhook_endpoints",
    summary: "List your webhook endpoints",
    description: "All of them, the oldest first, without their secrets.",
    answers: &[DescribedAnswer::json::<WebhookEndpoints>(200, "The endpoints.")],
    ..Operation::OF_MERCHANT
};

/// All endpoints of the merchant; there are at most 16.
pub async fn list_webhook_endpoints(
    State(webhooks): State<Arc<Webhooks>>,
    Merchant(partner): Merchant,
) -> Result<Json<WebhookEndpoints>, ApiError> {
    let endpoints = webhooks.store.webhook_endpoints_of(&partner.id).await?;
    let items = endpoints.into_iter().map(view).collect();
    Ok(Json(WebhookEndpoints { items }))
}
