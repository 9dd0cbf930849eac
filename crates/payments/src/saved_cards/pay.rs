//! Paying with a saved card. Its number goes from the vault through memory to the provider; the shopper types the
//! security code. The number is opened once the attempt has begun, so a charge that cannot be paid opens none.

use protocol::{Card, ClientSecretClaims, Sensitive};
use providers::ProviderCard;
use rules::{Brand, Month, RuleExperiments};
use serde_json::json;
use store::{Actor, AuditAction, CardOwner, Charge, NewAuditLine, PayableCard, UsedCard};
use vault::{SealError, SecurityCode};

use super::owner::check_offers_saved_cards;
use super::remove_payment_method::payment_method_not_found;
use super::save::card_record;
use super::state::SavedCards;
use crate::checks::card_check::{check_security_code, has_expired};
use web::api_error::ApiError;

/// A saved card that passed the rules. Its number is sealed.
#[derive(Debug)]
pub struct SealedCard {
    owner: CardOwner,
    found: PayableCard,
    expiry: Month,
    security_code: SecurityCode,
    /// The client secret's id.
    token_id: String,
}

/// The saved card `id` of the client secret's shopper. 404 if it is unknown, removed, expired or
/// another shopper's; 403 if `charge` offers no saved cards; 422 if the security code breaks a rule under
/// `experiments`.
pub async fn saved_card(
    saved_cards: &SavedCards,
    claims: &ClientSecretClaims,
    charge: &Charge,
    id: &str,
    typed: &Card,
    experiments: RuleExperiments,
) -> Result<SealedCard, ApiError> {
    if typed.number.is_some() {
        return Err(ApiError::invalid(
            "payment_method.card.number",
            "Send a saved card's id or a new card's number, not both.",
        ));
    }
    let vault = saved_cards.vault.as_ref().ok_or_else(not_found)?;
    let owner = CardOwner::new(&claims.sub, &claims.shopper_id);
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
    // Without its key no attempt is begun.
    if !vault.ring().knows(&found.sealed.key_id) {
        return Err(unopenable(&found, SealError::UnknownKey));
    }
    Ok(SealedCard {
        owner,
        found,
        expiry,
        security_code,
        token_id: claims.jti.clone(),
    })
}

impl SealedCard {
    /// `pm_…`.
    pub fn id(&self) -> &str {
        &self.found.card.id
    }

    /// What is stored of the card with its attempt.
    pub fn used(&self) -> UsedCard {
        let card = &self.found.card;
        UsedCard::new(
            &card.brand,
            &card.last_four,
            &card.first_six,
            (self.expiry.month, self.expiry.year),
            Some(&card.id),
        )
    }

    /// The line of the audit log that must be committed before [`Self::open`].
    pub fn opening(&self, charge_id: &str, now_ms: i64) -> NewAuditLine {
        NewAuditLine {
            by: Actor::shopper(&self.owner.partner_id, &self.owner.shopper_id, now_ms),
            action: AuditAction::CardOpened,
            subject: self.id().to_owned(),
            detail: json!({ "charge_id": charge_id, "token_id": self.token_id }),
        }
    }

    /// Opens the number; 404 if it cannot be opened.
    pub fn open(self, saved_cards: &SavedCards) -> Result<ProviderCard, ApiError> {
        let vault = saved_cards.vault.as_ref().ok_or_else(not_found)?;
        let number = vault
            .unseal(&self.found.sealed, card_record(&self.owner, self.id()))
            .map_err(|cause| unopenable(&self.found, cause))?;
        Ok(ProviderCard {
            number,
            security_code: self.security_code,
            expiration_month: self.expiry.month,
            expiration_year: self.expiry.year,
            holder_name: self.found.card.holder_name,
        })
    }
}

fn not_found() -> ApiError {
    payment_method_not_found().at("payment_method.id")
}

/// The shopper is told that the card is gone and so uses another one; the operator must repair the keys.
fn unopenable(card: &PayableCard, cause: SealError) -> ApiError {
    let (id, key_id) = (&card.card.id, &card.sealed.key_id);
    tracing::error!(%cause, payment_method_id = id, key_id, "a saved card cannot be opened");
    not_found()
}

fn read_expiry(month: i64, year: i64) -> Option<Month> {
    Some(Month {
        month: month.try_into().ok()?,
        year: year.try_into().ok()?,
    })
}
