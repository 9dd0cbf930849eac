//! `GET /v1/webhook-endpoints/{id}`: one endpoint of a merchant.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use merchants::callers::Merchant;
use protocol::{ErrorCode, WebhookEndpointView};
use web::{ApiError, DescribedAnswer, Operation, PathId};

use super::{endpoint, view};
use crate::delivery::Webhooks;

/// This endpoint in the OpenAPI description.
pub const OPERATION: Operation = Operation {
    method: "GET",
    path: "/v1/webhook-endpoints/{id}",
    id: "get_webhook_endpoint",
    summary: "Get a webhook endpoint",
    description: "The endpoint without its secret.",
    answers: &[DescribedAnswer::json::<WebhookEndpointView>(200, "The endpoint.")],
    errors: &[ErrorCode::WebhookEndpointNotFound],
    ..Operation::OF_MERCHANT
};

/// Another merchant's endpoint is a 404, as if it did not exist.
pub async fn get_webhook_endpoint(
    State(webhooks): State<Arc<Webhooks>>,
    Merchant(partner): Merchant,
    PathId(id): PathId,
) -> Result<Json<WebhookEndpointView>, ApiError> {
    let endpoint = endpoint(&webhooks, &partner.id, &id).await?;
    Ok(Json(view(endpoint)))
}
