//! `POST /v1/operator/charges/{id}/capture`: an operator takes held money.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use protocol::{ChargeView, OperatorActRequest};
use store::AuditAction;

use super::acts::begin_act;
use crate::charges::Charges;
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
    let action = AuditAction::CaptureRequested;
    let (charge, wish) = begin_act(&charges, &operator, &id, key, body, action).await?;
    capture(&charges, &charge, wish).await
}
