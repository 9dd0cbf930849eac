//! `POST /v1/providers/stripe/events`: Stripe tells that a payment, a refund or a dispute has changed. It is checked by its
//! signature, and only a reason to ask Stripe: an event that comes twice, late or not at all changes nothing.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use protocol::ErrorCode;
use providers::{CardUpdate, EventRefusal, ProviderEvent};

use crate::charges::Charges;
use web::ApiError;

/// Answers 200 once the event is recorded, 400 if its signature is wrong, and 404 if the service takes no events.
pub async fn provider_events(
    State(charges): State<Arc<Charges>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<StatusCode, ApiError> {
    let signature = headers.get("stripe-signature");
    let signature = signature
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let now = charges.clock.now_seconds();
    let event = charges
        .provider
        .event(signature, &body, now)
        .map_err(|refusal| match refusal {
            EventRefusal::NotTaken => ApiError::new(ErrorCode::NotFound, "This service takes no such events."),
            EventRefusal::Signature => ApiError::new(
                ErrorCode::InvalidRequest,
                "The signature is missing, wrong or too old: compare provider_event_secret_file with Stripe's endpoint.",
            )
            .at("stripe-signature"),
            EventRefusal::Unreadable => ApiError::new(ErrorCode::InvalidRequest, "The body is no event."),
        })?;
    record(&charges, event).await?;
    Ok(StatusCode::OK)
}

async fn record(charges: &Charges, event: ProviderEvent) -> Result<(), ApiError> {
    let now = charges.clock.now_ms();
    match event {
        ProviderEvent::Operation { id } => {
            if let Some(operation) = charges.store.operation(&id).await? {
                // Whatever it is now, it is looked up at once.
                charges.store.look_at_operation(&operation, now).await?;
            }
        }
        ProviderEvent::Payment { key } => {
            if let Some(attempt) = charges.store.attempt_by_provider_key(&key).await? {
                charges.store.look_at_hold(&attempt.charge_id, now).await?;
            }
        }
        ProviderEvent::Dispute { payment, dispute } => {
            let timeout = charges.settings.provider_timeout;
            let key = charges.provider.payment_key(&payment, timeout).await;
            // Stripe sends the event again after an error.
            let key = key.ok_or_else(|| {
                ApiError::new(
                    ErrorCode::Unavailable,
                    "The provider cannot be asked for this payment now.",
                )
            })?;
            let recorded = charges.store.record_dispute(&key, &dispute, now).await?;
            if recorded == Some(true) {
                charges.webhooks.wake();
            }
        }
        ProviderEvent::Card(update) => {
            let CardUpdate {
                card,
                last_four,
                expiry,
            } = update;
            if charges
                .store
                .update_provider_card(&card, &last_four, expiry, now)
                .await?
            {
                charges.webhooks.wake();
            }
        }
        ProviderEvent::Other => {}
    }
    Ok(())
}
