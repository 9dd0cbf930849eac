//! `POST /v1/charges/{id}/capture`: a merchant takes held money.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use protocol::{CaptureCharge, ChargeView, ErrorCode, OperationKind, OperationStatus};
use providers::HOLD_ENDED;
use store::{Charge, Operation as Capture};

use super::run::{capture_expired, not_held};
use super::{Wish, begin_and_run};
use crate::charges::Charges;
use crate::charges::charge_rules::operation_amount;
use crate::charges::create_charge::IDEMPOTENCY_KEY;
use merchants::callers::{IdempotencyKey, Merchant};
use web::{ApiError, Caller, DescribedAnswer, Operation, OptionalBody, PathId, json_body, note_charge};

/// This endpoint in the OpenAPI description.
pub const OPERATION: Operation = Operation {
    method: "POST",
    path: "/v1/charges/{id}/capture",
    id: "capture_charge",
    summary: "Capture a charge",
    description: "Takes the held money, or the part of it that `amount_value` says; the rest is released. A charge can be \
        captured once. A repeated request gets the same answer.",
    caller: Caller::Merchant,
    parameters: &[IDEMPOTENCY_KEY],
    request: json_body::<CaptureCharge>(),
    answers: &[
        DescribedAnswer::json::<ChargeView>(200, "The captured charge."),
        DescribedAnswer::json::<ChargeView>(
            202,
            "The provider's answer was lost. The service asks until it knows the result; a webhook tells it.",
        ),
    ],
    errors: &[
        ErrorCode::ChargeNotFound,
        ErrorCode::ChargeNotCapturable,
        ErrorCode::CaptureExpired,
        ErrorCode::OperationInProgress,
        ErrorCode::InvalidAmount,
        ErrorCode::AmountTooLarge,
        ErrorCode::IdempotencyConflict,
    ],
};

/// Captures a held charge, once.
pub async fn capture_charge(
    State(charges): State<Arc<Charges>>,
    Merchant(partner): Merchant,
    PathId(id): PathId,
    IdempotencyKey(key): IdempotencyKey,
    OptionalBody(body): OptionalBody<CaptureCharge>,
) -> Result<(StatusCode, Json<ChargeView>), ApiError> {
    charges.expiry.gate.must_be_open()?;
    let charge = charges.charge(&id, &partner.id).await?;
    note_charge(&charge.id);
    operation_amount(body.amount_value.as_deref(), &charge.amount_currency)?;
    let wish = Wish {
        amount_value: body.amount_value,
        idempotency_key: key,
        ..Wish::default()
    };
    capture(&charges, &charge, wish).await
}

/// Captures a held charge.
pub(crate) async fn capture(
    charges: &Arc<Charges>,
    charge: &Charge,
    wish: Wish,
) -> Result<(StatusCode, Json<ChargeView>), ApiError> {
    let capture = begin_and_run(charges, &charge.id, OperationKind::Capture, wish).await?;
    let status = answer(&capture)?;
    let charge = charges.charge(&charge.id, &charge.partner_id).await?;
    Ok((status, Json(charges.store.charge_view(&charge).await?)))
}

/// 200 once the result of a capture or a release is known, 202 before, an error if it failed. A release of a hold that has
/// ended by itself has not failed: nothing is held.
pub(crate) fn answer(operation: &Capture) -> Result<StatusCode, ApiError> {
    match operation.state {
        OperationStatus::Succeeded => Ok(StatusCode::OK),
        OperationStatus::Processing | OperationStatus::Pending | OperationStatus::OutcomeUnknown => {
            Ok(StatusCode::ACCEPTED)
        }
        OperationStatus::Failed => {
            let code = operation.failure_code.as_deref().unwrap_or_default();
            match (code, operation.kind) {
                (HOLD_ENDED, OperationKind::Release) => Ok(StatusCode::OK),
                (HOLD_ENDED, _) => Err(capture_expired()),
                (_, kind) => Err(not_held(kind, format!("The payment provider refused: {code}."))),
            }
        }
    }
}
