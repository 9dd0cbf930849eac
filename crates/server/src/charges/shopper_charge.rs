//! `GET /v1/pub/charges/{charge_id}`: where the charge stands, for the shopper's page.

use axum::Json;
use axum::extract::State;
use wire::{ErrorCode, ShopperCharge};

use crate::api_error::ApiError;
use crate::app::SharedApp;
use crate::callers::Shopper;
use crate::path_id::PathId;

/// A client secret opens its own charge alone.
pub async fn shopper_charge(
    State(app): State<SharedApp>,
    Shopper(claims): Shopper,
    PathId(charge_id): PathId,
) -> Result<Json<ShopperCharge>, ApiError> {
    if charge_id != claims.charge_id {
        return Err(ApiError::new(
            ErrorCode::ChargeMismatch,
            "The client secret opens another charge.",
        ));
    }
    let charge = app
        .store
        .charge_of_partner(&charge_id, &claims.sub)
        .await?
        .ok_or_else(ApiError::charge_not_found)?;
    Ok(Json(ShopperCharge {
        id: charge.id,
        status: charge.status.0,
        decline_code: charge.decline_code,
        return_url: charge.return_url,
    }))
}
