//! `POST /v1/operator/charges/{id}/cancel`: an operator withdraws a charge that is not paid, or releases its hold.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use protocol::{ChargeView, OperatorActRequest};
use store::AuditAction;

use super::acts::{begin_act, no_amount};
use crate::charges::Charges;
use crate::charges::cancel_charge::cancel;
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
    no_amount(&body)?;
    let action = AuditAction::CancelRequested;
    let (charge, wish) = begin_act(&charges, &operator, &id, key, body, action).await?;
    cancel(&charges, charge, wish).await
}
