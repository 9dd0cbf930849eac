//! `POST /v1/operator/events/{id}/resend`: an operator sends a webhook event again.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use protocol::{ErrorCode, OperatorActRequest};
use serde_json::{Value, json};
use store::{AuditAction, EventSelection};

use super::acts::{check_reason, no_amount, visible_charge, write_line};
use crate::charges::Charges;
use merchants::operators::ActingOperator;
use web::{ApiError, JsonBody, PathId};

/// Makes the event due again, in the same way as its merchant does. An event of a merchant that the person does not see is a
/// 404.
pub async fn operator_resend(
    State(charges): State<Arc<Charges>>,
    ActingOperator(operator): ActingOperator,
    PathId(id): PathId,
    JsonBody(body): JsonBody<OperatorActRequest>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let not_found = || ApiError::new(ErrorCode::EventNotFound, "There is no such event.");
    let found = charges
        .store
        .webhook_events(EventSelection::Event(&id), 1)
        .await?;
    let event = found.into_iter().next().ok_or_else(not_found)?;
    let charge = visible_charge(&charges, &operator, &event.charge_id)
        .await
        .map_err(|error| match error.detail().code {
            ErrorCode::ChargeNotFound => not_found(),
            _ => error,
        })?;
    no_amount(&body)?;
    check_reason(&body.reason)?;
    let detail = json!({
        "charge_id": charge.id,
        "partner_id": charge.partner_id,
        "event_id": event.id,
        "event": event.kind,
        "reason": body.reason,
    });
    write_line(
        &charges,
        &operator,
        AuditAction::ResendRequested,
        &charge.id,
        &detail,
    )
    .await?;
    let now_ms = charges.clock.now_ms();
    let sent = charges
        .store
        .resend_event(&charge.partner_id, &id, now_ms)
        .await?;
    let sent = sent.ok_or_else(not_found)?;
    charges.webhooks.wake();
    let answer = json!({ "id": sent.id, "charge_id": charge.id, "state": sent.first.state });
    Ok((StatusCode::ACCEPTED, Json(answer)))
}
