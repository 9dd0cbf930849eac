//! `GET /v1/charges/{id}/refunds`: the refunds of a charge.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use protocol::{ErrorCode, OperationKind, RefundList};

use crate::charges::Charges;
use merchants::callers::Merchant;
use web::{ApiError, DescribedAnswer, Operation, PathId, note_charge};

/// This endpoint in the OpenAPI description.
pub const OPERATION: Operation = Operation {
    method: "GET",
    path: "/v1/charges/{id}/refunds",
    id: "list_refunds",
    summary: "List a charge's refunds",
    description: "All refunds of a charge, the oldest first.",
    answers: &[DescribedAnswer::json::<RefundList>(200, "The refunds.")],
    errors: &[ErrorCode::ChargeNotFound],
    ..Operation::OF_MERCHANT
};

/// The refunds of a charge of this merchant.
pub async fn list_refunds(
    State(charges): State<Arc<Charges>>,
    Merchant(partner): Merchant,
    PathId(id): PathId,
) -> Result<Json<RefundList>, ApiError> {
    let charge = charges.charge(&id, &partner.id).await?;
    note_charge(&charge.id);
    let operations = charges.store.operations_of(&[&charge.id]).await?;
    let refunds = operations
        .iter()
        .filter(|operation| operation.kind == OperationKind::Refund);
    let items = refunds.map(|refund| refund.refund_view(&charge.amount_currency));
    Ok(Json(RefundList {
        items: items.collect(),
    }))
}
