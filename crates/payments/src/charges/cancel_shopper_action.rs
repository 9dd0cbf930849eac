//! `POST /v1/pub/charges/{charge_id}/cancel-shopper-action`: the shopper closed the challenge.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use protocol::{ErrorCode, ShopperCharge};

use super::shopper_action::{Canceled, cancel};
use super::shopper_charge::{SHOPPER_CHARGE, charge_of_reader, shopper_view};
use super::state::Charges;
use merchants::callers::ReadingShopper;
use web::{ApiError, Caller, Operation, PathId};

/// This endpoint in the OpenAPI description.
pub const OPERATION: Operation = Operation {
    method: "POST",
    path: "/v1/pub/charges/{charge_id}/cancel-shopper-action",
    id: "cancel_shopper_action",
    summary: "Cancel a challenge",
    description: "For the form's page: the shopper closed the challenge, and may try another card. The charge in \
        the answer may be paid nevertheless, if the challenge was passed just before.",
    caller: Caller::Shopper,
    answers: &[SHOPPER_CHARGE],
    errors: &[
        ErrorCode::ChargeMismatch,
        ErrorCode::ChargeNotFound,
        ErrorCode::Unavailable,
    ],
    ..Operation::OF_MERCHANT
};

/// Gives up the challenge, so that another card can be tried. The answer is the charge after that, which is paid if
/// the shopper had passed the challenge before. If the provider cannot be reached it is a 503, and the charge still
/// waits. A client secret that expired during the challenge still cancels it.
pub async fn cancel_shopper_action(
    State(charges): State<Arc<Charges>>,
    shopper: ReadingShopper,
    PathId(charge_id): PathId,
) -> Result<Json<ShopperCharge>, ApiError> {
    charge_of_reader(&charges, &shopper, &charge_id).await?;
    if cancel(&charges, &charge_id).await? == Canceled::Unreachable {
        return Err(ApiError::new(
            ErrorCode::Unavailable,
            "The provider cannot be asked now. Try again.",
        ));
    }
    shopper_view(&charges, charge_of_reader(&charges, &shopper, &charge_id).await?).await
}
