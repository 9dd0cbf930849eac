//! Saves a card when it pays. It is sealed before the provider is called, becomes visible when the payment succeeds,
//! and is destroyed when it fails. So a card is also saved if the outcome is only known after a crash, when its number
//! is no longer in memory.

use protocol::ids::{IdKind, new_id};
use providers::ProviderCard;
use rules::{Brand, CardNetworks};
use store::{Attempt, AttemptState, CardAgreement, CardOwner, Charge, PendingCard, ShownCard, StoreError};
use vault::{CardRecord, Pan, SealError};

use super::state::SavedCards;
use crate::checks::card_check::this_month;

/// How many cards one round settles, or tells of.
const CARDS_PER_ROUND: i64 = 50;

/// Whether a card that pays this charge may be saved: the merchant allows it, and the shopper has an id. Only the
/// stored charge counts, not what the page says.
pub fn may_save(charge: &Charge) -> bool {
    !charge.shopper_id.is_empty()
        && charge.enable_save_payment_method == Some(true)
        && charge.eligible_save_payment_methods
}

/// Seals the card into a row that waits for the attempt's outcome. An error is logged and does not stop a payment; the card
/// is then not saved. Returns whether it is sealed.
pub async fn seal_pending_card(
    saved_cards: &SavedCards,
    charge: &Charge,
    attempt: &Attempt,
    card: &ProviderCard,
    agreement: CardAgreement,
) -> bool {
    match try_to_seal(saved_cards, charge, attempt, card, agreement).await {
        Ok(()) => saved_cards.vault.is_some(),
        Err(cause) => {
            tracing::error!(
                %cause,
                attempt_id = attempt.id,
                charge_id = attempt.charge_id,
                "a card cannot be saved"
            );
            false
        }
    }
}

/// Why a card cannot be saved.
#[derive(Debug, thiserror::Error)]
enum SealPendingError {
    #[error(transparent)]
    Seal(#[from] SealError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

async fn try_to_seal(
    saved_cards: &SavedCards,
    charge: &Charge,
    attempt: &Attempt,
    card: &ProviderCard,
    agreement: CardAgreement,
) -> Result<(), SealPendingError> {
    let Some(vault) = &saved_cards.vault else {
        return Ok(());
    };
    let owner = CardOwner::new(&charge.partner_id, &charge.shopper_id);
    let id = new_id(IdKind::PaymentMethod, &saved_cards.clock);
    let (sealed, fingerprints) = vault.seal(&card.number, card_record(&owner, &id))?;
    let pending = PendingCard {
        card: shown_card(
            id,
            new_id(IdKind::Card, &saved_cards.clock),
            &card.number,
            (card.expiration_month.into(), card.expiration_year.into()),
            card.holder_name.clone(),
            network_names(&saved_cards.networks, &card.number),
            card.network,
        ),
        sealed,
        fingerprint: fingerprints.active,
        older_fingerprints: fingerprints.others,
        attempt_id: attempt.id.clone(),
        agreement,
        now_ms: saved_cards.clock.now_ms(),
    };
    Ok(saved_cards.store.add_pending_card(&owner, &pending).await?)
}

/// The parts of a new card that may be shown. The number tells the brand.
pub(super) fn shown_card(
    id: String,
    card_id: String,
    number: &Pan,
    (expiration_month, expiration_year): (i64, i64),
    holder_name: String,
    networks: Option<String>,
    network: Option<Brand>,
) -> ShownCard {
    ShownCard {
        id,
        card_id,
        brand: Brand::detect(number.first_six())
            .map_or_else(String::new, |brand| brand.row().name.to_owned()),
        first_six: number.first_six().to_owned(),
        last_four: number.last_four().to_owned(),
        expiration_month,
        expiration_year,
        holder_name,
        networks,
        network: network.map(|network| network.name().to_owned()),
    }
}

/// The names of a number's networks; `None` if they are unknown.
pub(super) fn network_names(known: &CardNetworks, number: &Pan) -> Option<String> {
    let networks = known.of(number.first_eight(), number.length());
    let names: Vec<&str> = networks.iter().map(|network| network.name()).collect();
    Some(names.join(" ")).filter(|names| !names.is_empty())
}

/// The record to which a saved card's number is bound.
pub fn card_record<'a>(owner: &'a CardOwner, id: &'a str) -> CardRecord<'a> {
    CardRecord {
        partner_id: &owner.partner_id,
        shopper_id: &owner.shopper_id,
        id,
    }
}

/// Keeps or destroys the attempt's pending card, as its outcome says. An error is logged, and
/// [`settle_abandoned_cards`] tries again.
pub async fn settle_pending_card(saved_cards: &SavedCards, attempt: &Attempt) {
    if saved_cards.vault.is_none() {
        return;
    }
    if let Err(cause) = try_to_settle(saved_cards, attempt).await {
        tracing::error!(
            %cause,
            attempt_id = attempt.id,
            charge_id = attempt.charge_id,
            "a pending card cannot be settled yet"
        );
    }
}

async fn try_to_settle(saved_cards: &SavedCards, attempt: &Attempt) -> Result<(), StoreError> {
    // Most payments have no pending card, and a read is cheaper than a write.
    if !saved_cards.store.has_pending_card(&attempt.id).await? {
        return Ok(());
    }
    match attempt.state {
        AttemptState::Succeeded => {
            saved_cards
                .store
                .keep_pending_card(attempt, saved_cards.clock.now_ms())
                .await
        }
        AttemptState::Declined => saved_cards.store.drop_pending_card(&attempt.id).await,
        _ => Ok(()),
    }
}

/// Settles the cards of attempts that were finished by a process that died before it settled their cards.
pub async fn settle_abandoned_cards(saved_cards: &SavedCards) -> Result<(), StoreError> {
    for attempt_id in saved_cards.store.attempts_to_settle(CARDS_PER_ROUND).await? {
        if let Some(attempt) = saved_cards.store.attempt(&attempt_id).await? {
            try_to_settle(saved_cards, &attempt).await?;
        }
    }
    Ok(())
}

/// Tells merchants of some cards whose last month has begun.
pub async fn tell_expiring_cards(saved_cards: &SavedCards) -> Result<(), StoreError> {
    let now_ms = saved_cards.clock.now_ms();
    saved_cards
        .store
        .tell_expiring_cards(this_month(now_ms), now_ms, CARDS_PER_ROUND)
        .await
}
