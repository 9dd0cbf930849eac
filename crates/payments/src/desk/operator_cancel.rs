//! `POST /v1/operator/charges/{id}/cancel`: an operator withdraws a charge that is not paid, or releases its hold.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use protocol::{ChargeView, OperatorActRequest};
use store::AuditAction;

use super::acts::{key_of_act, no_amount, note_act, visible_charge};
use crate::charges::Charges;
use crate::charges::cancel_charge::cancel;
use crate::operations::Wish;
use merchants::callers::IdempotencyKey;
use merchants::operators::ActingOperator;
use web::{ApiError, JsonBody, PathId};

/// Cancels a charge in the same way as its merchant does.
pub async fn operator_cancel(
    State(charges): State<Arc<Charges>>,
    ActingOperator(operator): ActingOperator,
    PathId(id): PathId,
    IdempotencyKey(key): IdempotencyKey,
    JsonBody(body): JsonBody<OperatorActRequest>,
) -> Result<(StatusCode, Json<ChargeView>), ApiError> {
    charges.expiry.gate.must_be_open()?;
    let charge = visible_charge(&charges, &operator, &id).await?;
    let key = key_of_act(key)?;
    no_amount(&body)?;
    note_act(&charges, &operator, AuditAction::CancelRequested, &charge, &body).await?;
    let wish = Wish {
        reason: Some(body.reason),
        idempotency_key: Some(key),
        ..Wish::default()
    };
    cancel(&charges, charge, wish).await
}
