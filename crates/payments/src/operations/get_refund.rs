//! `GET /v1/refunds/{id}`: a refund as its merchant sees it.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use protocol::{ErrorCode, OperationKind, RefundView};

use crate::charges::Charges;
use merchants::callers::Merchant;
use web::{ApiError, DescribedAnswer, Operation, PathId, note_charge};

/// This endpoint in the OpenAPI description.
pub const OPERATION: Operation = Operation {
    method: "GET",
    path: "/v1/refunds/{id}",
    id: "get_refund",
    summary: "Get a refund",
    description: "The state of a refund.",
    answers: &[DescribedAnswer::json::<RefundView>(200, "The refund.")],
    errors: &[ErrorCode::RefundNotFound],
    ..Operation::OF_MERCHANT
};

/// Another merchant's refund is a 404, as if it did not exist.
pub async fn get_refund(
    State(charges): State<Arc<Charges>>,
    Merchant(partner): Merchant,
    PathId(id): PathId,
) -> Result<Json<RefundView>, ApiError> {
    let found = charges.store.operation(&id).await?;
    let refund = found
        .filter(|refund| refund.partner_id == partner.id && refund.kind == OperationKind::Refund)
        .ok_or_else(|| ApiError::new(ErrorCode::RefundNotFound, "There is no such refund."))?;
    note_charge(&refund.charge_id);
    let charge = charges.charge(&refund.charge_id, &partner.id).await?;
    Ok(Json(refund.refund_view(&charge.amount_currency)))
}
