//! `POST /v1/events/{id}/resend`: a merchant wants to hear an event again.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use protocol::{ErrorCode, EventView};

use super::list_events::view;
use super::state::Charges;
use merchants::callers::Merchant;
use web::{ApiError, DescribedAnswer, NoFields, Operation, PathId, note_charge};

/// This endpoint in the OpenAPI description.
pub const OPERATION: Operation = Operation {
    method: "POST",
    path: "/v1/events/{id}/resend",
    id: "resend_event",
    summary: "Send an event again",
    description: "The event is sent again, with its id and before later events of its charge. An event that waits for its \
        next attempt is sent now.",
    answers: &[DescribedAnswer::json::<EventView>(
        202,
        "The event, which is sent soon.",
    )],
    errors: &[
        ErrorCode::InvalidRequest,
        ErrorCode::EventNotFound,
        ErrorCode::PayloadTooLarge,
    ],
    ..Operation::OF_MERCHANT
};

/// Makes the event due again. Another merchant's event is a 404, as if it did not exist.
pub async fn resend_event(
    State(charges): State<Arc<Charges>>,
    Merchant(partner): Merchant,
    PathId(id): PathId,
    _: NoFields,
) -> Result<(StatusCode, Json<EventView>), ApiError> {
    let now_ms = charges.clock.now_ms();
    let Some(event) = charges.store.resend_event(&partner.id, &id, now_ms).await? else {
        return Err(ApiError::new(ErrorCode::EventNotFound, "There is no such event."));
    };
    note_charge(&event.charge_id);
    charges.webhooks.wake();
    Ok((StatusCode::ACCEPTED, Json(view(event)?)))
}
