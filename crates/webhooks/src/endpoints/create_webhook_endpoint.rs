//! `POST /v1/webhook-endpoints`: a merchant adds an endpoint.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use merchants::callers::Merchant;
use merchants::keys::card_vault::CardVault;
use protocol::ids::{IdKind, new_id};
use protocol::{CreateWebhookEndpoint, ErrorCode, WEBHOOK_ENDPOINTS_MAX, WebhookEndpointView};
use serde_json::json;
use store::{Actor, AuditAction, KnownEndpoint};
use web::{ApiError, DescribedAnswer, JsonBody, Operation, json_body};

use super::{checked_description, checked_events, checked_url, view};
use crate::delivery::Webhooks;
use crate::secret_at_rest::stored;
use crate::sender::new_secret;

/// This endpoint in the OpenAPI description.
pub const OPERATION: Operation = Operation {
    method: "POST",
    path: "/v1/webhook-endpoints",
    id: "create_webhook_endpoint",
    summary: "Add a webhook endpoint",
    description: "Events are sent to it from now on. The answer has the secret that signs them, which is not shown again. \
        A merchant has at most 16 endpoints.",
    request: json_body::<CreateWebhookEndpoint>(),
    answers: &[DescribedAnswer::json::<WebhookEndpointView>(
        201,
        "The new endpoint, with its secret.",
    )],
    ..Operation::OF_MERCHANT
};

/// Adds an endpoint with a secret of its own. A merchant that has 16 of them gets a 400.
pub async fn create_webhook_endpoint(
    State(webhooks): State<Arc<Webhooks>>,
    Merchant(partner): Merchant,
    JsonBody(body): JsonBody<CreateWebhookEndpoint>,
) -> Result<(StatusCode, Json<WebhookEndpointView>), ApiError> {
    let url = checked_url(&body.url, &webhooks)?;
    let events = body.events.as_deref().map(checked_events).transpose()?;
    let description = body.description.as_deref().map(checked_description).transpose()?;
    let secret = new_secret()?;
    let ring = webhooks.vault.as_deref().map(CardVault::ring);
    let endpoint = KnownEndpoint {
        secret: stored(ring.as_deref(), &partner.id, &secret).map_err(|error| ApiError::internal(&error))?,
        partner_id: partner.id,
        endpoint_id: String::new(),
        id: new_id(IdKind::WebhookEndpoint, &webhooks.clock),
        url,
        events,
        description,
        created_at: webhooks.clock.now_ms(),
    };
    let added = webhooks
        .store
        .add_webhook_endpoint(&endpoint, WEBHOOK_ENDPOINTS_MAX);
    if !added.await? {
        return Err(ApiError::new(
            ErrorCode::InvalidRequest,
            format!("You have {WEBHOOK_ENDPOINTS_MAX} webhook endpoints. Remove one first."),
        ));
    }
    let by = Actor::merchant(&endpoint.partner_id, endpoint.created_at);
    let detail = json!({ "endpoint": endpoint.id, "url": endpoint.url, "events": endpoint.events, "new_secret": true });
    let recorded = webhooks
        .store
        .record_action(&by, AuditAction::WebhookSet, &endpoint.partner_id, &detail);
    recorded.await?;
    let created = WebhookEndpointView {
        secret: Some(secret.expose().to_owned()),
        ..view(endpoint)
    };
    Ok((StatusCode::CREATED, Json(created)))
}
