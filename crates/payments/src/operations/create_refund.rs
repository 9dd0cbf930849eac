//! `POST /v1/charges/{id}/refunds`: a merchant gives back a paid amount or a part of it.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use protocol::limits::TEXT_CHARACTERS_MAX;
use protocol::{CreateRefund, ErrorCode, OperationKind, RefundView};

use super::{Wish, begin_and_run};
use crate::charges::Charges;
use crate::charges::charge_rules::{check_length, metadata, operation_amount};
use crate::charges::create_charge::IDEMPOTENCY_KEY;
use merchants::callers::{IdempotencyKey, Merchant};
use web::{ApiError, Caller, DescribedAnswer, Operation, OptionalBody, PathId, json_body, note_charge};

/// This endpoint in the OpenAPI description.
pub const OPERATION: Operation = Operation {
    method: "POST",
    path: "/v1/charges/{id}/refunds",
    id: "create_refund",
    summary: "Refund a charge",
    description: "Gives back the amount, or without one all that is left. Send an `Idempotency-Key`, so that a repeated \
        request gives nothing back twice. The refund's `status` may still change: `refund.succeeded` and `refund.failed` \
        tell it.",
    caller: Caller::Merchant,
    parameters: &[IDEMPOTENCY_KEY],
    request: json_body::<CreateRefund>(),
    answers: &[DescribedAnswer::json::<RefundView>(201, "The refund.")],
    errors: &[
        ErrorCode::ChargeNotFound,
        ErrorCode::ChargeNotRefundable,
        ErrorCode::InvalidAmount,
        ErrorCode::AmountTooLarge,
        ErrorCode::IdempotencyConflict,
        ErrorCode::NotSupportedByProvider,
    ],
};

/// Refunds a paid charge. Never gives back more than was captured, on all nodes together.
pub async fn create_refund(
    State(charges): State<Arc<Charges>>,
    Merchant(partner): Merchant,
    PathId(id): PathId,
    IdempotencyKey(key): IdempotencyKey,
    OptionalBody(body): OptionalBody<CreateRefund>,
) -> Result<(StatusCode, Json<RefundView>), ApiError> {
    charges.expiry.gate.must_be_open()?;
    let charge = charges.charge(&id, &partner.id).await?;
    note_charge(&charge.id);
    operation_amount(body.amount_value.as_deref(), &charge.amount_currency)?;
    check_length(
        "reason",
        body.reason.as_deref().unwrap_or_default(),
        TEXT_CHARACTERS_MAX,
    )?;
    metadata(body.metadata.as_ref())?;
    let wish = Wish {
        amount_value: body.amount_value,
        reason: body.reason,
        metadata: body.metadata,
        idempotency_key: key,
    };
    let refund = begin_and_run(&charges, &charge.id, OperationKind::Refund, wish).await?;
    Ok((
        StatusCode::CREATED,
        Json(refund.refund_view(&charge.amount_currency)),
    ))
}
