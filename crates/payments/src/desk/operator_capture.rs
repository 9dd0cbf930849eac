//! `POST /v1/operator/charges/{id}/capture`: an operator takes held money.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use protocol::{ChargeView, OperatorActRequest};
use store::AuditAction;

use super::acts::{key_of_act, note_act, visible_charge};
use crate::charges::Charges;
use crate::operations::Wish;
use crate::operations::capture_charge::capture;
use merchants::callers::IdempotencyKey;
use merchants::operators::ActingOperator;
use web::{ApiError, JsonBody, PathId};

/// Captures a held charge in the same way as its merchant does.
pub async fn operator_capture(
    State(charges): State<Arc<Charges>>,
    ActingOperator(operator): ActingOperator,
    PathId(id): PathId,
    IdempotencyKey(key): IdempotencyKey,
    JsonBody(body): JsonBody<OperatorActRequest>,
) -> Result<(StatusCode, Json<ChargeView>), ApiError> {
    charges.expiry.gate.must_be_open()?;
    let charge = visible_charge(&charges, &operator, &id).await?;
    let key = key_of_act(key)?;
    note_act(&charges, &operator, AuditAction::CaptureRequested, &charge, &body).await?;
    let wish = Wish {
        amount_value: body.amount_value,
        reason: Some(body.reason),
        metadata: None,
        idempotency_key: Some(key),
    };
    capture(&charges, &charge, wish).await
}
