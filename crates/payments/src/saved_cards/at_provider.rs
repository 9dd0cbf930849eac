//! Saved cards at a provider that keeps cards, too. A shopper pays with the card in our vault; the provider's copy is
//! for the merchant, and is made and removed with ours. Only making the provider's customer can delay a payment, by
//! at most `CUSTOMER_TIMEOUT`.

use std::sync::Arc;
use std::time::Duration;

use protocol::KeptCard;
use protocol::clock::millis;
use protocol::ids::sha256_hex;
use providers::CardChangeOutcome;
use store::{CardChange, CardOwner, Charge, DueCardChange, StoreError};
use tokio::sync::watch;

use super::state::SavedCards;

/// How long making a customer may take. After that the payment continues without one.
const CUSTOMER_TIMEOUT: Duration = Duration::from_secs(5);
/// How long the provider may take for a change. Shorter than [`FIRST_PAUSE`], during which no other node tries.
const CHANGE_TIMEOUT: Duration = Duration::from_secs(5);
/// How many changes are sent in one round.
const CHANGES_PER_ROUND: i64 = 20;
/// The pause after the first failed try. It doubles after each further try, up to the longest.
const FIRST_PAUSE: Duration = Duration::from_secs(10);
const LONGEST_PAUSE: Duration = Duration::from_secs(3_600);
/// After this many tries, about four days, a change is given up.
const TRIES_MAX: i64 = 100;

/// The provider's customer for the shopper of a charge whose card is to be saved; made if there is none. `None` if the
/// provider keeps no cards, if saving cards is off, or if the customer cannot be made now: then the payment continues,
/// and the card is saved only here.
pub async fn customer(saved_cards: &SavedCards, charge: &Charge) -> Option<String> {
    let provider = saved_cards.provider.keeps_cards_as()?;
    saved_cards.vault.as_ref()?;
    let owner = CardOwner::new(&charge.partner_id, &charge.shopper_id);
    let stored = saved_cards.store.provider_customer(provider, &owner).await;
    match stored {
        Ok(Some(customer)) => return Some(customer),
        Ok(None) => {}
        Err(cause) => {
            tracing::error!(%cause, "the provider's customer of a shopper cannot be looked up");
            return None;
        }
    }
    let name = format!("{}\n{}", owner.partner_id, owner.shopper_id);
    let key = format!("customer-{}", sha256_hex(name.as_bytes()));
    let made = saved_cards
        .provider
        .new_customer(&key, &owner.shopper_id, CUSTOMER_TIMEOUT)
        .await?;
    keep_customer(saved_cards, &owner, &made).await;
    Some(made)
}

/// Stores a shopper's customer that the provider has made, also in place of one that was deleted there.
pub async fn keep_customer(saved_cards: &SavedCards, owner: &CardOwner, made: &str) {
    let (store, provider) = (&saved_cards.store, saved_cards.provider.keeps_cards_as());
    let kept = store
        .put_provider_customer(provider.unwrap_or_default(), owner, made)
        .await;
    if let Err(cause) = kept {
        // The next call with the same key gets the same customer.
        tracing::error!(%cause, "the provider's customer of a shopper cannot be stored");
    }
}

/// Sends changes to the provider now and then in every interval, until `stop` is true. It is a task of its own, so that
/// a slow provider does not delay the reconciler.
pub async fn run(saved_cards: Arc<SavedCards>, mut stop: watch::Receiver<bool>) {
    loop {
        let told = tokio::select! {
            // A change whose call is dropped is sent again, as after a lost answer.
            _ = stop.wait_for(|stop| *stop) => return,
            told = tell_provider(&saved_cards) => told,
        };
        if let Err(cause) = told {
            tracing::error!(%cause, "could not send changes of saved cards to the provider");
        }
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return,
            () = tokio::time::sleep(saved_cards.tell_interval) => {}
        }
    }
}

/// Sends the saved and removed cards to the provider. Returns how many changes are finished.
pub async fn tell_provider(saved_cards: &SavedCards) -> Result<usize, StoreError> {
    let provider = &saved_cards.provider;
    if provider.keeps_cards_as().is_none() {
        return Ok(0);
    }
    let mut notified = 0;
    for due in saved_cards
        .store
        .due_card_changes(saved_cards.clock.now_ms(), CHANGES_PER_ROUND)
        .await?
    {
        let again_at = saved_cards.clock.now_ms() + pause_ms(due.tries);
        if !saved_cards.store.begin_card_change(&due, again_at).await? {
            continue;
        }
        let date = saved_cards.store.kept_card_date(&due.provider_card).await?;
        let answer = match due.kind {
            CardChange::Attach => provider.attach(&kept(&due), date, CHANGE_TIMEOUT).await,
            CardChange::Detach => provider.detach(&due.provider_card, CHANGE_TIMEOUT).await,
            CardChange::Date => match date {
                Some(date) => provider.date_card(&due.provider_card, date, CHANGE_TIMEOUT).await,
                None => CardChangeOutcome::Done,
            },
            CardChange::Erase => {
                provider
                    .erase_customer(&due.provider_customer, CHANGE_TIMEOUT)
                    .await
            }
        };
        if answer == CardChangeOutcome::NotNow && due.tries + 1 < TRIES_MAX {
            tracing::warn!(kind = ?due.kind, tries = due.tries + 1, "could not send a change of a saved card to the provider; it is retried");
            continue;
        }
        if answer != CardChangeOutcome::Done {
            tracing::error!(kind = ?due.kind, provider_card = due.provider_card, "the provider's copy of a saved card differs from ours; compare them at the provider");
        }
        if answer == CardChangeOutcome::Refused && due.kind == CardChange::Attach {
            saved_cards.store.forget_provider_card(&due.provider_card).await?;
        }
        saved_cards.store.end_card_change(&due, again_at).await?;
        notified += 1;
    }
    Ok(notified)
}

fn kept(due: &DueCardChange) -> KeptCard {
    KeptCard {
        card: due.provider_card.clone(),
        customer: due.provider_customer.clone(),
    }
}

/// The pause after a change has failed `tries + 1` times, in milliseconds.
fn pause_ms(tries: i64) -> i64 {
    let doubled = millis(FIRST_PAUSE).saturating_mul(1_i64 << tries.clamp(0, 20));
    doubled.min(millis(LONGEST_PAUSE))
}

#[cfg(test)]
mod tests;
