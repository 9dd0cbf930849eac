//! `/v1/webhook-endpoints`: a merchant adds, reads, changes and removes its own endpoints.

pub mod change_webhook_endpoint;
pub mod create_webhook_endpoint;
pub mod get_webhook_endpoint;
pub mod list_webhook_endpoints;
pub mod remove_webhook_endpoint;

use protocol::clock::rfc3339;
use protocol::limits::TEXT_CHARACTERS_MAX;
use protocol::{ErrorCode, WebhookEndpointView, webhook_event};
use rules::letters::is_hidden_control;
use store::KnownEndpoint;
use web::ApiError;

use crate::delivery::Webhooks;
use crate::destination;

/// The merchant's endpoint with this id. Another merchant's is a 404, as if it did not exist.
async fn endpoint(webhooks: &Webhooks, partner_id: &str, id: &str) -> Result<KnownEndpoint, ApiError> {
    let endpoints = webhooks.store.webhook_endpoints_of(partner_id).await?;
    let found = endpoints.into_iter().find(|endpoint| endpoint.id == id);
    found.ok_or_else(not_found)
}

fn not_found() -> ApiError {
    ApiError::new(
        ErrorCode::WebhookEndpointNotFound,
        "There is no such webhook endpoint.",
    )
}

/// The endpoint without its secret.
fn view(endpoint: KnownEndpoint) -> WebhookEndpointView {
    WebhookEndpointView {
        id: endpoint.id,
        url: endpoint.url,
        events: endpoint.events,
        description: endpoint.description,
        created_at: rfc3339(endpoint.created_at),
        secret: None,
    }
}

fn checked_url(url: &str, webhooks: &Webhooks) -> Result<String, ApiError> {
    destination::parse(url, webhooks.private_networks)
        .map(String::from)
        .map_err(|error| ApiError::invalid("url", format!("This field {error}.")))
}

/// The types, each once, in the order in which they were given.
fn checked_events(given: &[String]) -> Result<Vec<String>, ApiError> {
    let known: Vec<String> = webhook_event::kinds().collect();
    let mut events: Vec<String> = Vec::new();
    for (at, kind) in given.iter().enumerate() {
        if !known.contains(kind) {
            let message = format!("There is no such event. There are {}.", known.join(", "));
            return Err(ApiError::invalid(format!("events[{at}]"), message));
        }
        if !events.contains(kind) {
            events.push(kind.clone());
        }
    }
    if events.is_empty() {
        let message = "Name at least one event, or leave the field out for all.";
        return Err(ApiError::invalid("events", message));
    }
    Ok(events)
}

fn checked_description(text: &str) -> Result<String, ApiError> {
    if text.chars().count() > TEXT_CHARACTERS_MAX {
        let message = format!("This field must have at most {TEXT_CHARACTERS_MAX} characters.");
        return Err(ApiError::invalid("description", message));
    }
    if text.chars().any(is_hidden_control) {
        let message =
            "This field must not have control characters, or characters that change the text's direction.";
        return Err(ApiError::invalid("description", message));
    }
    Ok(text.to_owned())
}
