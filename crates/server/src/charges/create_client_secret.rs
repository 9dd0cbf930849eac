//! `POST /v1/charges/{id}/client-secret`: a fresh client secret for a charge whose first one has expired.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use wire::CreatedCharge;

use super::create_charge::{Maker, answer, open_for_charges};
use super::expiry::as_it_stands;
use crate::http::api_error::ApiError;
use crate::http::callers::Merchant;
use crate::http::path_id::PathId;
use crate::service::app::SharedApp;

/// The answer is that of `POST /v1/charges`, with the charge's present status and a new client secret. Earlier client
/// secrets stay good until they expire.
pub async fn create_client_secret(
    State(app): State<SharedApp>,
    Merchant(partner): Merchant,
    PathId(id): PathId,
) -> Result<(StatusCode, Json<CreatedCharge>), ApiError> {
    open_for_charges(&partner)?;
    let charge = app
        .store
        .charge_of_partner(&id, &partner.id)
        .await?
        .ok_or_else(ApiError::charge_not_found)?;
    let charge = as_it_stands(&app, charge).await?;
    let signed = app
        .client_secrets
        .issue(&charge, &partner.allowed_origins)
        .await?;
    let opened = answer(Maker::from(&*app), &charge, charge.status.0, signed);
    Ok((StatusCode::CREATED, Json(opened)))
}
