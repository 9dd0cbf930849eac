//! `DELETE /v1/webhook-endpoints/{id}`: a merchant removes an endpoint.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use merchants::callers::Merchant;
use protocol::ErrorCode;
use serde_json::json;
use store::{Actor, AuditAction};
use web::{ApiError, DescribedAnswer, Operation, PathId};

use super::{endpoint, not_found};
use crate::delivery::Webhooks;

/// This endpoint in the OpenAPI description.
pub const OPERATION: Operation = Operation {
    method: "DELETE",
    path: "/v1/webhook-endpoints/{id}",
    id: "remove_webhook_endpoint",
    summary: "Remove a webhook endpoint",
    description: "Events that were not sent to it yet are given up.",
    answers: &[DescribedAnswer::nothing(204, "The endpoint was removed.")],
    errors: &[ErrorCode::WebhookEndpointNotFound],
    ..Operation::OF_MERCHANT
};

/// Removes the endpoint. One that is gone already is a 404.
pub async fn remove_webhook_endpoint(
    State(webhooks): State<Arc<Webhooks>>,
    Merchant(partner): Merchant,
    PathId(id): PathId,
) -> Result<StatusCode, ApiError> {
    let key = endpoint(&webhooks, &partner.id, &id).await?.key();
    let now_ms = webhooks.clock.now_ms();
    if !webhooks.store.remove_webhook_endpoint(&key, None, now_ms).await? {
        return Err(not_found());
    }
    let by = Actor::merchant(&partner.id, now_ms);
    let detail = json!({ "endpoint": id });
    let recorded = webhooks
        .store
        .record_action(&by, AuditAction::WebhookRemoved, &partner.id, &detail);
    recorded.await?;
    Ok(StatusCode::NO_CONTENT)
}
