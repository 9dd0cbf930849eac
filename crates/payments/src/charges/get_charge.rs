//! `GET /v1/charges/{id}`: a charge as its merchant sees it.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use protocol::{ChargeView, ErrorCode};

use super::state::Charges;
use merchants::callers::Merchant;
use web::{ApiError, DescribedAnswer, Operation, PathId, note_charge};

/// This endpoint in the OpenAPI description.
pub const OPERATION: Operation = Operation {
    method: "GET",
    path: "/v1/charges/{id}",
    id: "get_charge",
    summary: "Get a charge",
    description: "The state of a charge. Deliver when its `status` is `succeeded`; do not rely on what a page says.",
    answers: &[DescribedAnswer::json::<ChargeView>(200, "The charge.")],
    errors: &[ErrorCode::ChargeNotFound],
    ..Operation::OF_MERCHANT
};

/// Another merchant's charge is a 404, as if it did not exist.
pub async fn get_charge(
    State(charges): State<Arc<Charges>>,
    Merchant(partner): Merchant,
    PathId(id): PathId,
) -> Result<Json<ChargeView>, ApiError> {
    let charge = charges.charge(&id, &partner.id).await?;
    note_charge(&charge.id);
    let charge = charges.expiry.expire_if_due(charge).await?;
    Ok(Json(charges.store.charge_view(&charge).await?))
}
