//! `POST /v1/pub/charges/{charge_id}/cancel-shopper-action`: the shopper closed the challenge.

use axum::Json;
use axum::extract::State;
use wire::{ErrorCode, ShopperCharge};

use super::shopper_action::{Canceled, cancel};
use super::shopper_charge::{charge_of_claims, shown};
use super::state::Charges;
use crate::callers::Shopper;
use crate::http::api_error::ApiError;
use crate::http::path_id::PathId;
use std::sync::Arc;

/// Gives up what the charge waits for, so that another card can be tried. The answer is the charge as it stands then,
/// which is paid when the challenge was passed after all. 503 while the provider cannot be asked: it still waits.
pub async fn cancel_shopper_action(
    State(charges): State<Arc<Charges>>,
    Shopper(claims): Shopper,
    PathId(charge_id): PathId,
) -> Result<Json<ShopperCharge>, ApiError> {
    charge_of_claims(&charges, &claims, &charge_id).await?;
    if cancel(&charges, &charge_id).await? == Canceled::Unreachable {
        return Err(ApiError::new(
            ErrorCode::Unavailable,
            "The provider cannot be asked now. Try again.",
        ));
    }
    shown(&charges, charge_of_claims(&charges, &claims, &charge_id).await?).await
}
