//! `GET /v1/pub/charges/{charge_id}`: the charge's status, for the shopper's page.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use protocol::{ChargeStatus, ClientSecretClaims, DeclineCode, ErrorCode, ShopperCharge};
use store::Charge;

use super::state::Charges;
use merchants::callers::{ReadingShopper, client_secret_expired};
use web::{ApiError, Caller, DescribedAnswer, Operation, PathId};

/// This endpoint in the OpenAPI description.
pub const OPERATION: Operation = Operation {
    method: "GET",
    path: "/v1/pub/charges/{charge_id}",
    id: "shopper_charge",
    summary: "Get a charge's status",
    description: "For the form's page, after the shopper's action.",
    caller: Caller::Shopper,
    answers: &[SHOPPER_CHARGE],
    errors: &[ErrorCode::ChargeMismatch, ErrorCode::ChargeNotFound],
    ..Operation::OF_MERCHANT
};

pub(super) const SHOPPER_CHARGE: DescribedAnswer =
    DescribedAnswer::json::<ShopperCharge>(200, "The parts of the charge that its shopper may see.");

/// The charge of the client secret; any other charge is a 403. A client secret that has expired is a 401 only while there
/// is no payment, so that a shopper who has paid learns it.
pub async fn shopper_charge(
    State(charges): State<Arc<Charges>>,
    shopper: ReadingShopper,
    PathId(charge_id): PathId,
) -> Result<Json<ShopperCharge>, ApiError> {
    let charge = charge_of_reader(&charges, &shopper, &charge_id).await?;
    shopper_view(&charges, charge).await
}

/// The charge of the client secret, also after the secret has expired if there was a payment.
pub(super) async fn charge_of_reader(
    charges: &Charges,
    shopper: &ReadingShopper,
    charge_id: &str,
) -> Result<Charge, ApiError> {
    let charge = charge_of_claims(charges, &shopper.claims, charge_id).await?;
    if shopper.has_expired && matches!(charge.status, ChargeStatus::Created | ChargeStatus::Expired) {
        return Err(client_secret_expired());
    }
    Ok(charge)
}

/// The charge in the path, which must be the client secret's; otherwise it is a 403.
pub(super) async fn charge_of_claims(
    charges: &Charges,
    claims: &ClientSecretClaims,
    charge_id: &str,
) -> Result<Charge, ApiError> {
    if charge_id != claims.charge_id {
        return Err(ApiError::new(
            ErrorCode::ChargeMismatch,
            "The client secret opens another charge.",
        ));
    }
    let charge = charges.charge(charge_id, &claims.sub).await?;
    Ok(charges.expiry.expire_if_due(charge).await?)
}

/// The charge as its shopper may see it.
pub(super) async fn shopper_view(charges: &Charges, charge: Charge) -> Result<Json<ShopperCharge>, ApiError> {
    let paid_with = match charge.status {
        ChargeStatus::Succeeded | ChargeStatus::Authorized => {
            charges.store.card_that_paid(&charge.id).await?
        }
        _ => None,
    };
    let waiting = charges.store.waiting_attempt(&charge.id).await?;
    Ok(Json(ShopperCharge {
        id: charge.id,
        status: charge.status,
        decline_code: charge
            .decline_code
            .map(|code| DeclineCode::from_code(&code).shown().as_str().to_owned()),
        return_url: charge.return_url,
        cancel_url: charge.cancel_url,
        paid_with,
        shopper_action: waiting.and_then(|attempt| attempt.action()),
    }))
}
