//! Decides which cards a client secret gives access to, and when.

use protocol::{ChargeStatus, ErrorCode};
use store::{CardOwner, Charge};

use super::state::SavedCards;
use merchants::callers::CardsCaller;
use web::ApiError;

/// The shopper of the client secret, who owns the cards. A 403 that names `field` if the request names another shopper,
/// or if the client secret is a guest's, who has no cards. With a charge's client secret also a 403 if the charge is over, or
/// if its merchant does not offer saved cards.
pub(super) async fn card_owner(
    saved_cards: &SavedCards,
    caller: &CardsCaller,
    shopper_id: &str,
    field: &'static str,
) -> Result<CardOwner, ApiError> {
    let (partner_id, own_id) = match caller {
        CardsCaller::CardPage(claims) => (&claims.sub, &claims.shopper_id),
        CardsCaller::Charge(claims) => (&claims.sub, &claims.shopper_id),
    };
    if own_id.is_empty() || shopper_id != own_id {
        return Err(ApiError::new(
            ErrorCode::ChargeMismatch,
            "The client secret opens no cards of this shopper.",
        )
        .at(field));
    }
    let owner = CardOwner::new(partner_id, own_id);
    let CardsCaller::Charge(claims) = caller else {
        return Ok(owner);
    };
    let charge = saved_cards
        .store
        .charge_of_partner(&claims.charge_id, &claims.sub)
        .await?
        .ok_or_else(ApiError::charge_not_found)?;
    let charge = saved_cards.expiry.expire_if_due(charge).await?;
    check_offers_saved_cards(&charge)?;
    if is_over(&charge) {
        return Err(not_offered("The charge offers no saved cards: it is over."));
    }
    Ok(owner)
}

/// A 403 unless the form of this charge may show saved cards (docs/saved-cards.md#when-they-are-offered).
pub(super) fn check_offers_saved_cards(charge: &Charge) -> Result<(), ApiError> {
    if charge.display_saved_payment_method_list && charge.eligible_save_payment_methods {
        return Ok(());
    }
    Err(not_offered(
        "The charge offers no saved cards: display_saved_payment_method_list and eligible_save_payment_methods are not \
         both true.",
    ))
}

fn not_offered(message: &'static str) -> ApiError {
    ApiError::new(ErrorCode::SavedCardsNotOffered, message)
}

fn is_over(charge: &Charge) -> bool {
    matches!(
        charge.status,
        ChargeStatus::Succeeded | ChargeStatus::Authorized | ChargeStatus::Canceled | ChargeStatus::Expired
    )
}
