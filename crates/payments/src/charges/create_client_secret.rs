//! `POST /v1/charges/{id}/client-secret`: a new client secret for a charge whose first one has expired.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use protocol::{CreatedCharge, ErrorCode};

use super::create_charge::{ChargeCreator, check_is_active};
use super::state::Charges;
use merchants::callers::Merchant;
use web::{ApiError, DescribedAnswer, NoFields, Operation, PathId, note_charge};

/// This endpoint in the OpenAPI description.
pub const OPERATION: Operation = Operation {
    method: "POST",
    path: "/v1/charges/{id}/client-secret",
    id: "create_client_secret",
    summary: "Get a new client secret",
    description: "For a shopper who comes back after the first one expired. Earlier ones stay valid until they expire.",
    answers: &[DescribedAnswer::json::<CreatedCharge>(
        201,
        "The charge, with its present status and a new client secret.",
    )],
    errors: &[
        ErrorCode::InvalidRequest,
        ErrorCode::MerchantInactive,
        ErrorCode::ChargeNotFound,
        ErrorCode::PayloadTooLarge,
    ],
    ..Operation::OF_MERCHANT
};

/// The answer is like that of `POST /v1/charges`, with the charge's present status and a new client secret. Earlier
/// client secrets stay valid until they expire.
pub async fn create_client_secret(
    State(charges): State<Arc<Charges>>,
    Merchant(partner): Merchant,
    PathId(id): PathId,
    _: NoFields,
) -> Result<(StatusCode, Json<CreatedCharge>), ApiError> {
    check_is_active(&partner)?;
    let charge = charges.charge(&id, &partner.id).await?;
    note_charge(&charge.id);
    let charge = charges.expiry.expire_if_due(charge).await?;
    let signed = charges
        .client_secrets
        .issue(&charge, &partner.allowed_origins)
        .await?;
    let opened = ChargeCreator::from(&*charges).answer(&charge, charge.status, signed)?;
    Ok((StatusCode::CREATED, Json(opened)))
}
