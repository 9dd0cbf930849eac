//! `GET /v1/pub/card-key`: the public key that seals cards, for clients that do not use the form's page.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use protocol::{CardKey, ServiceAddress};

use super::state::Charges;
use merchants::keys::signing::SigningError;
use web::{ApiError, Caller, DescribedAnswer, Operation};

/// This endpoint in the OpenAPI description.
pub const OPERATION: Operation = Operation {
    method: "GET",
    path: "/v1/pub/card-key",
    id: "card_key",
    summary: "Get the key that cards are sealed for",
    description: "For clients that send cards without the form's page. Seal number and security code for this key, and \
        send them as `payment_method.card.sealed`. The key is rotated, so get it before each charge.",
    caller: Caller::Anyone,
    answers: &[DescribedAnswer::json::<CardKey>(
        200,
        "A public key as a JSON Web Key.",
    )],
    ..Operation::OF_MERCHANT
};

/// The active key. It changes with the service's signing keys, so a client asks for it before each charge.
pub async fn card_key(State(charges): State<Arc<Charges>>) -> Result<impl IntoResponse, ApiError> {
    let key = present_key(&charges).await?;
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(key)))
}

/// The key for a page that calls `service`; `None` if that is another service, which has its own keys, or if the key
/// cannot be read.
pub async fn key_of_page(charges: &Charges, service: &ServiceAddress) -> Option<Arc<CardKey>> {
    if !service.base.is_empty() {
        return None;
    }
    present_key(charges)
        .await
        .inspect_err(|error| tracing::error!(%error, "a page has no key to seal cards for"))
        .ok()
}

async fn present_key(charges: &Charges) -> Result<Arc<CardKey>, SigningError> {
    Ok(charges.signing_keys.active().await?.card_key().clone())
}
