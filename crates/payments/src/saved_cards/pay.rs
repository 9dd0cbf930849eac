//! Paying with a saved card. Its number goes from the vault through memory to the provider. The shopper types the security
//! code; a merchant that pays without the shopper has none. The number is opened once the attempt has begun, so a charge
//! that cannot be paid opens none.

use protocol::{Card, ClientSecretClaims, ErrorCode, MerchantPaymentReason, SaveCardUsage, Sensitive};
use providers::{MerchantPayment, ProviderCard};
use rules::{Brand, Month, RuleExperiments};
use serde_json::json;
use store::{Actor, AuditAction, CardOwner, Charge, NewAuditLine, PayableCard, UsedCard};
use vault::{SealError, SecurityCode};

use super::owner::check_offers_saved_cards;
use super::remove_payment_method::payment_method_not_found;
use super::save::card_record;
use super::state::SavedCards;
use crate::checks::card_check::{check_network, check_new_date, check_security_code, has_expired};
use web::ApiError;

/// The field of a shopper's saved card.
const SHOPPERS_FIELD: &str = "payment_method.id";

/// A saved card that passed the rules. Its number is sealed.
#[derive(Debug)]
pub struct SealedCard {
    owner: CardOwner,
    found: PayableCard,
    expiry: Month,
    /// The shopper typed the date, and the card gets it if it pays.
    renews: bool,
    /// The network that the shopper chose.
    network: Option<Brand>,
    payer: Payer,
}

/// Who pays with a saved card.
#[derive(Debug)]
enum Payer {
    Shopper {
        security_code: SecurityCode,
        /// The client secret's id.
        token_id: String,
    },
    Merchant(MerchantPaymentReason),
}

/// The saved card `id` of the client secret's shopper, perhaps with a new date. 404 if it is unknown, removed, expired or
/// another shopper's; 403 if `charge` offers no saved cards; 422 if the security code or the new date breaks a rule under
/// `experiments`, or if the number does not have the network that was chosen. A new choice is stored with the card.
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
    let owner = CardOwner::new(&claims.sub, &claims.shopper_id);
    let (found, known) = payable(saved_cards, &owner, id, SHOPPERS_FIELD).await?;
    let now_ms = saved_cards.clock.now_ms();
    let new_date = check_new_date(typed, now_ms, experiments)?;
    // A setup lists no cards, but can give one its new date (docs/card-page.md).
    if !charge.is_setup() || new_date.is_none() {
        check_offers_saved_cards(charge).map_err(|error| error.at("payment_method.id"))?;
    }
    let expiry = new_date.unwrap_or(known);
    // An expired card without a new date is answered like a removed one, because the shopper cannot correct any field.
    if has_expired(expiry, now_ms) {
        return Err(payment_method_not_found().at(SHOPPERS_FIELD));
    }
    let brand = Brand::from_name(&found.card.brand);
    let typed_code = typed.security_code.as_ref().map(Sensitive::expose);
    let security_code = check_security_code(brand, typed_code.unwrap_or_default(), experiments)?;
    check_network(typed.network, &saved_cards.carried(&found.card.networks()))?;
    let network = typed.network.or_else(|| found.card.network());
    if let Some(chosen) = typed.network.filter(|_| typed.network != found.card.network()) {
        saved_cards.store.choose_network(&owner, id, chosen).await?;
    }
    Ok(SealedCard {
        owner,
        found,
        expiry,
        renews: expiry != known,
        network,
        payer: Payer::Shopper {
            security_code,
            token_id: claims.jti.clone(),
        },
    })
}

/// The saved card `id` with which the merchant of `charge` pays without the shopper. 404 if it is unknown, removed or another
/// shopper's; 409 if the shopper has not agreed to such payments, or if it has expired. The provider's copy of a card may
/// have a later date than ours.
pub async fn card_of_merchant(
    saved_cards: &SavedCards,
    charge: &Charge,
    id: &str,
    reason: MerchantPaymentReason,
) -> Result<SealedCard, ApiError> {
    const FIELD: &str = "payment_method_id";
    let owner = CardOwner::new(&charge.partner_id, &charge.shopper_id);
    let (found, expiry) = payable(saved_cards, &owner, id, FIELD).await?;
    let usage = found.agreement.as_ref().map(|agreement| agreement.usage);
    if usage != Some(SaveCardUsage::OffSession) {
        return Err(ApiError::new(
            ErrorCode::PaymentMethodNotReusable,
            "The shopper has not agreed that this card is charged without the shopper.",
        )
        .at(FIELD));
    }
    let is_kept = saved_cards.provider.keeps_cards_as().is_some() && found.kept().is_some();
    if !is_kept && has_expired(expiry, saved_cards.clock.now_ms()) {
        return Err(ApiError::new(ErrorCode::PaymentMethodExpired, "The card has expired.").at(FIELD));
    }
    Ok(SealedCard {
        network: found.card.network(),
        owner,
        found,
        expiry,
        renews: false,
        payer: Payer::Merchant(reason),
    })
}

/// The saved card `id` of this owner and its date; a 404 for `field` if the owner has no such card, or if it cannot be opened.
async fn payable(
    saved_cards: &SavedCards,
    owner: &CardOwner,
    id: &str,
    field: &'static str,
) -> Result<(PayableCard, Month), ApiError> {
    let not_found = || payment_method_not_found().at(field);
    let vault = saved_cards.vault.as_ref().ok_or_else(not_found)?;
    // A guest has no id, and no card is saved under an empty one.
    if owner.shopper_id.is_empty() {
        return Err(not_found());
    }
    let found = saved_cards.store.payable_card(owner, id).await?;
    let found = found.ok_or_else(not_found)?;
    // Without its key no attempt is begun.
    if !vault.ring().knows(&found.sealed.key_id) {
        return Err(unopenable(&found, SealError::UnknownKey).at(field));
    }
    let expiry = read_expiry(found.card.expiration_month, found.card.expiration_year)
        .ok_or_else(|| ApiError::internal(&"a saved card's expiry is unusable"))?;
    Ok((found, expiry))
}

impl SealedCard {
    /// `pm_…`.
    pub fn id(&self) -> &str {
        &self.found.card.id
    }

    /// What is stored of the card with its attempt.
    pub fn used(&self) -> UsedCard {
        let card = &self.found.card;
        let expiry = (self.expiry.month, self.expiry.year);
        match self.payer {
            Payer::Shopper { .. } => UsedCard::saved(card, expiry, self.renews),
            Payer::Merchant(reason) => UsedCard::of_merchant(card, expiry, reason),
        }
    }

    /// What the provider is told if the merchant pays without the shopper.
    pub fn merchant(&self) -> Option<MerchantPayment> {
        match self.payer {
            Payer::Shopper { .. } => None,
            Payer::Merchant(reason) => Some(MerchantPayment {
                reason,
                network_transaction_id: self.found.network_transaction_id.clone(),
                kept: self.found.kept(),
            }),
        }
    }

    /// The line of the audit log that must be committed before [`Self::open`].
    pub fn opening(&self, charge_id: &str, now_ms: i64) -> NewAuditLine {
        let partner_id = &self.owner.partner_id;
        let (by, detail) = match &self.payer {
            Payer::Shopper { token_id, .. } => (
                Actor::shopper(partner_id, now_ms),
                json!({ "charge_id": charge_id, "token_id": token_id }),
            ),
            Payer::Merchant(reason) => (
                Actor::merchant(partner_id, now_ms),
                json!({ "charge_id": charge_id, "reason": reason }),
            ),
        };
        NewAuditLine {
            by,
            action: AuditAction::CardOpened,
            subject: self.id().to_owned(),
            detail,
        }
    }

    /// Opens the number; 404 if it cannot be opened.
    pub fn open(self, saved_cards: &SavedCards) -> Result<ProviderCard, ApiError> {
        let vault = saved_cards.vault.as_ref().ok_or_else(payment_method_not_found)?;
        let number = vault
            .unseal(&self.found.sealed, card_record(&self.owner, self.id()))
            .map_err(|cause| unopenable(&self.found, cause))?;
        Ok(ProviderCard {
            number,
            security_code: match self.payer {
                Payer::Shopper { security_code, .. } => Some(security_code),
                Payer::Merchant(_) => None,
            },
            expiration_month: self.expiry.month,
            expiration_year: self.expiry.year,
            holder_name: self.found.card.holder_name,
            network: self.network,
        })
    }
}

/// The shopper is told that the card is gone and so uses another one; the operator must repair the keys.
fn unopenable(card: &PayableCard, cause: SealError) -> ApiError {
    let (id, key_id) = (&card.card.id, &card.sealed.key_id);
    tracing::error!(%cause, payment_method_id = id, key_id, "a saved card cannot be opened");
    payment_method_not_found()
}

fn read_expiry(month: i64, year: i64) -> Option<Month> {
    Some(Month {
        month: month.try_into().ok()?,
        year: year.try_into().ok()?,
    })
}
