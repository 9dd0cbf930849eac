//! `POST /v1/operator/charges/{id}/refunds`: an operator gives back a paid amount or a part of it.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use protocol::{OperationKind, OperatorActRequest, RefundView};
use store::AuditAction;

use super::acts::begin_act;
use crate::charges::Charges;
use crate::operations::begin_and_run;
use merchants::callers::IdempotencyKey;
use merchants::operators::ActingOperator;
use web::{ApiError, JsonBody, PathId};

/// Refunds a charge in the same way as its merchant does.
pub async fn operator_refund(
    State(charges): State<Arc<Charges>>,
    ActingOperator(operator): ActingOperator,
    PathId(id): PathId,
    IdempotencyKey(key): IdempotencyKey,
    JsonBody(body): JsonBody<OperatorActRequest>,
) -> Result<(StatusCode, Json<RefundView>), ApiError> {
    let action = AuditAction::RefundRequested;
    let (charge, wish) = begin_act(&charges, &operator, &id, key, body, action).await?;
    let refund = begin_and_run(&charges, &charge.id, OperationKind::Refund, wish).await?;
    Ok((
        StatusCode::CREATED,
        Json(refund.refund_view(&charge.amount_currency)),
    ))
}
