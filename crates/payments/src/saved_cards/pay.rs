//! Paying with a saved card. Its number goes from the vault through memory to the provider; the shopper types the
//! security code.

use protocol::{Card, ClientSecretClaims, Sensitive};
use providers::ProviderCard;
use rules::{Brand, RuleExperiments};
use serde_json::json;
use store::{Actor, AuditAction, AuditedAction, CardOwner, Charge};
use vault::Sealed;

use super::owner::check_offers_saved_cards;
use super::remove_payment_method::payment_method_not_found;
use super::save::card_record;
use super::state::SavedCards;
use crate::checks::card_check::{Expiry, check_security_code, has_expired};
use web::api_error::ApiError;

/// The saved card `id` of the client secret's shopper, for the provider. 404 if it is unknown, removed, expired or
/// another shopper's; 403 if `charge` offers no saved cards; 422 if the security code breaks a rule under
/// `experiments`.
pub async fn saved_card(
    saved_cards: &SavedCards,
    claims: &ClientSecretClaims,
    charge: &Charge,
    id: &str,
    typed: &Card,
    experiments: RuleExperiments,
) -> Result<ProviderCard, ApiError> {
    let not_found = || payment_method_not_found().at("payment_method.id");
    if typed.number.is_some() {
        return Err(ApiError::invalid(
            "payment_method.card.number",
            "Send a saved card's id or a new card's number, not both.",
        ));
    }
    let vault = saved_cards.vault.as_ref().ok_or_else(not_found)?;
    let owner = CardOwner {
        partner_id: claims.sub.clone(),
        shopper_id: claims.shopper_id.clone(),
    };
    // A guest has no id, and no card is saved under an empty one.
    if owner.shopper_id.is_empty() {
        return Err(not_found());
    }
    check_offers_saved_cards(charge).map_err(|error| error.at("payment_method.id"))?;
    let found = saved_cards
        .store
        .payable_card(&owner, id)
        .await?
        .ok_or_else(not_found)?;
    let expiry = read_expiry(found.card.expiration_month, found.card.expiration_year)
        .ok_or_else(|| ApiError::internal(&"a saved card's expiry is unusable"))?;
    // An expired card is answered like a removed one, because the shopper cannot correct any field of the form.
    if has_expired(expiry, saved_cards.clock.now_ms()) {
        return Err(not_found());
    }
    let brand = Brand::from_name(&found.card.brand);
    let typed_code = typed.security_code.as_ref().map(Sensitive::expose);
    let security_code = check_security_code(brand, typed_code.unwrap_or_default(), experiments)?;
    let sealed = Sealed {
        key_id: found.sealed.key_id,
        wrapped_key: found.sealed.wrapped_key,
        number: found.sealed.sealed_number,
    };
    // Recorded before the card is opened: a line too many is better than an opened card without a line.
    let by = Actor::shopper(&owner.partner_id, &owner.shopper_id, saved_cards.clock.now_ms());
    let opened = AuditedAction {
        action: AuditAction::CardOpened,
        subject: id,
        detail: json!({ "charge_id": claims.charge_id, "token_id": claims.jti }),
    };
    saved_cards.store.record_action(&by, &opened).await?;
    let number = vault.unseal(&sealed, card_record(&owner, id)).map_err(|cause| {
        // The shopper is told that the card is gone and so uses another one; the operator must repair the keys.
        tracing::error!(%cause, payment_method_id = id, key_id = sealed.key_id, "a saved card cannot be opened");
        not_found()
    })?;
    Ok(ProviderCard {
        number,
        security_code,
        expiration_month: expiry.month,
        expiration_year: expiry.year,
        holder_name: found.card.holder_name,
    })
}

fn read_expiry(month: i64, year: i64) -> Option<Expiry> {
    Some(Expiry {
        month: month.try_into().ok()?,
        year: year.try_into().ok()?,
    })
}
