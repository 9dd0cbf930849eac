//! `POST /v1/operator/charges/{id}/refunds`: an operator gives back a paid amount or a part of it.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use protocol::{OperationKind, OperatorActRequest, RefundView};
use store::AuditAction;

use super::acts::{key_of_act, note_act, visible_charge};
use crate::charges::Charges;
use crate::operations::{Wish, begin_and_run};
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
    charges.expiry.gate.must_be_open()?;
    let charge = visible_charge(&charges, &operator, &id).await?;
    let key = key_of_act(key)?;
    note_act(&charges, &operator, AuditAction::RefundRequested, &charge, &body).await?;
    let wish = Wish {
        amount_value: body.amount_value,
        reason: Some(body.reason),
        metadata: None,
        idempotency_key: Some(key),
    };
    let refund = begin_and_run(&charges, &charge.id, OperationKind::Refund, wish).await?;
    Ok((
        StatusCode::CREATED,
        Json(refund.refund_view(&charge.amount_currency)),
    ))
}
