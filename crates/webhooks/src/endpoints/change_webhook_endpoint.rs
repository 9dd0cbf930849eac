//! `POST /v1/webhook-endpoints/{id}`: a merchant changes an endpoint, or makes a new secret for it.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use merchants::callers::Merchant;
use merchants::keys::card_vault::CardVault;
use protocol::{ChangeWebhookEndpoint, ErrorCode, Sensitive, WebhookEndpointView};
use serde_json::json;
use store::{Actor, AuditAction, KnownEndpoint};
use web::{ApiError, DescribedAnswer, JsonBody, Operation, PathId, json_body};

use super::{checked_description, checked_events, checked_url, endpoint, not_found, view};
use crate::delivery::Webhooks;
use crate::secret_at_rest::{opened, stored};
use crate::sender::{FORMER_SECRET_SECONDS, new_secret, rolled};

/// This endpoint in the OpenAPI description.
pub const OPERATION: Operation = Operation {
    method: "POST",
    path: "/v1/webhook-endpoints/{id}",
    id: "change_webhook_endpoint",
    summary: "Change a webhook endpoint",
    description: "What is left out stays. With `new_secret`, the answer has a new secret, which is not shown again. For a \
        day, the former one signs each event, too.",
    request: json_body::<ChangeWebhookEndpoint>(),
    answers: &[DescribedAnswer::json::<WebhookEndpointView>(
        200,
        "The changed endpoint.",
    )],
    errors: &[ErrorCode::WebhookEndpointNotFound],
    ..Operation::OF_MERCHANT
};

/// How often a change is made again when another one came between.
const TRIES: usize = 5;

/// Changes the endpoint and ends its pause. Two changes at once happen one after the other, so each new secret that was
/// answered signs.
pub async fn change_webhook_endpoint(
    State(webhooks): State<Arc<Webhooks>>,
    Merchant(partner): Merchant,
    PathId(id): PathId,
    JsonBody(body): JsonBody<ChangeWebhookEndpoint>,
) -> Result<Json<WebhookEndpointView>, ApiError> {
    for _ in 0..TRIES {
        let before = endpoint(&webhooks, &partner.id, &id).await?;
        let changed = changed(&webhooks, &before, &body)?;
        let secret = body.new_secret.then(new_secret).transpose()?;
        let changed = match &secret {
            Some(secret) => with_secret(&webhooks, changed, secret)?,
            None => changed,
        };
        let written = webhooks.store.change_webhook_endpoint(&changed, &before);
        if !written.await? {
            continue;
        }
        let by = Actor::merchant(&partner.id, webhooks.clock.now_ms());
        let detail = json!({
            "endpoint": id, "url": changed.url, "events": changed.events, "new_secret": body.new_secret,
        });
        let recorded = webhooks
            .store
            .record_action(&by, AuditAction::WebhookSet, &partner.id, &detail);
        recorded.await?;
        webhooks.wake();
        return Ok(Json(WebhookEndpointView {
            secret: secret.map(|secret| secret.expose().to_owned()),
            ..view(changed)
        }));
    }
    Err(not_found())
}

fn changed(
    webhooks: &Webhooks,
    before: &KnownEndpoint,
    body: &ChangeWebhookEndpoint,
) -> Result<KnownEndpoint, ApiError> {
    let mut changed = before.clone();
    if let Some(url) = &body.url {
        changed.url = checked_url(url, webhooks)?;
    }
    if let Some(events) = &body.events {
        changed.events = events.as_deref().map(checked_events).transpose()?;
    }
    if let Some(description) = &body.description {
        changed.description = description.as_deref().map(checked_description).transpose()?;
    }
    Ok(changed)
}

/// The endpoint with a new secret and its former one. One that cannot be opened signs nothing, so it is dropped.
fn with_secret(
    webhooks: &Webhooks,
    endpoint: KnownEndpoint,
    secret: &Sensitive,
) -> Result<KnownEndpoint, ApiError> {
    let ring = webhooks.vault.as_deref().map(CardVault::ring);
    let ring = ring.as_deref();
    let until = webhooks.clock.now_seconds() + FORMER_SECRET_SECONDS;
    let secrets = match opened(ring, &endpoint.partner_id, &endpoint.secret) {
        Ok(former) => rolled(secret, &former, until),
        Err(_) => secret.clone(),
    };
    Ok(KnownEndpoint {
        secret: stored(ring, &endpoint.partner_id, &secrets).map_err(|error| ApiError::internal(&error))?,
        ..endpoint
    })
}
