//! `GET /v1/charges/{id}`: a charge as its merchant sees it.

use axum::Json;
use axum::extract::State;
use wire::ChargeView;

use super::expiry::as_it_stands;
use crate::http::api_error::ApiError;
use crate::http::callers::Merchant;
use crate::http::path_id::PathId;
use crate::service::app::SharedApp;

/// Another merchant's charge is a 404, as if there were none.
pub async fn get_charge(
    State(app): State<SharedApp>,
    Merchant(partner): Merchant,
    PathId(id): PathId,
) -> Result<Json<ChargeView>, ApiError> {
    let charge = app
        .store
        .charge_of_partner(&id, &partner.id)
        .await?
        .ok_or_else(ApiError::charge_not_found)?;
    Ok(Json(as_it_stands(&app, charge).await?.into()))
}
