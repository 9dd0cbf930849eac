//! `GET /v1/charges/{id}`: a charge as its merchant sees it.

use axum::Json;
use axum::extract::State;
use wire::ChargeView;

use super::state::Charges;
use crate::callers::Merchant;
use crate::http::api_error::ApiError;
use crate::http::path_id::PathId;
use std::sync::Arc;

/// Another merchant's charge is a 404, as if there were none.
pub async fn get_charge(
    State(charges): State<Arc<Charges>>,
    Merchant(partner): Merchant,
    PathId(id): PathId,
) -> Result<Json<ChargeView>, ApiError> {
    let charge = charges
        .store
        .charge_of_partner(&id, &partner.id)
        .await?
        .ok_or_else(ApiError::charge_not_found)?;
    Ok(Json(charges.expiry.as_it_stands(charge).await?.into()))
}
