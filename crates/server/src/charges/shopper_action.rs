//! What the shopper must do before a charge goes on: shown, asked about when it may be over, and given up when the
//! shopper cancels or the time runs out.

use std::time::Duration;

use model::clock::millis;
use providers::{GiveUpReason, PaymentLookup, ProviderOutcome};
use store::{Attempt, AttemptOutcome, StoreError, WaitingAttempt};
use wire::ShopperAction;

use super::outcome::record;
use super::presses::LEASE;
use super::provider_call::payment_of;
use super::state::Charges;

/// How often the provider is asked about an attempt that waits, should nobody come back to tell.
const LOOK_EVERY: Duration = Duration::from_secs(10);
/// How long the provider may take to say what became of one. Shorter than the lease, so that no other node asks too.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(5);

/// Records that an attempt waits for the shopper. Returns the attempt as the books have it then.
pub async fn wait_for_shopper(
    charges: &Charges,
    attempt: &Attempt,
    action: &ShopperAction,
) -> Result<Attempt, StoreError> {
    let now = charges.clock.now_ms();
    let until = now + millis(charges.settings.challenge_timeout);
    let waiting = WaitingAttempt {
        action,
        until,
        look_at: until.min(now + millis(LOOK_EVERY)),
    };
    charges.store.await_shopper(&attempt.id, &waiting, now).await?;
    charges.presses.announce(&attempt.id);
    let now = charges.store.attempt(&attempt.id).await?;
    now.ok_or(StoreError::Unusable("attempt that is gone"))
}

/// Asks the provider what became of an attempt that waits for the shopper and that this caller owns, and records it.
/// One whose time is up is given up. Whether it waits no more.
pub async fn look_after(
    charges: &Charges,
    attempt: &Attempt,
    answer: PaymentLookup,
) -> Result<bool, StoreError> {
    let now = charges.clock.now_ms();
    let until = attempt.action_until.unwrap_or_default();
    let answer = match answer {
        PaymentLookup::Known(ProviderOutcome::ActionRequired(_)) if now >= until => {
            give_up(charges, attempt, GiveUpReason::TimedOut).await
        }
        // It can have no money of a payment that it does not know.
        PaymentLookup::NeverReceived if now >= until => {
            PaymentLookup::Known(ProviderOutcome::Declined(GiveUpReason::TimedOut.decline()))
        }
        other => other,
    };
    if record_known(charges, attempt, answer).await? {
        return Ok(true);
    }
    let next = now + millis(LOOK_EVERY);
    let look_at = if now < until { next.min(until) } else { next };
    charges.store.look_again(&attempt.id, look_at).await?;
    Ok(false)
}

/// The shopper says to be back from the challenge: asks the provider at once, unless it was asked just now. What cannot be
/// known now is the reconciler's.
pub async fn returned(charges: &Charges, charge_id: &str) -> Result<(), StoreError> {
    let Some(attempt) = charges.store.waiting_attempt(charge_id).await? else {
        return Ok(());
    };
    if !charges
        .known
        .return_looks
        .may_look(&attempt.id, charges.clock.now_ms())
    {
        return Ok(());
    }
    // Whoever else looks after it asks the same.
    if charges
        .store
        .own_attempt(&attempt, charges.clock.now_ms() + millis(LEASE))
        .await?
    {
        let answer = charges
            .provider
            .lookup(payment_of(&attempt), LOOKUP_TIMEOUT)
            .await;
        look_after(charges, &attempt, answer).await?;
    }
    Ok(())
}

/// What became of the shopper's wish to cancel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Canceled {
    /// Nothing waits any more: it was canceled, or had ended before.
    Settled,
    /// The provider cannot be asked now, so nothing may be promised.
    Unreachable,
}

/// Gives up what the shopper does not want to finish. It does not need to own the attempt: the provider takes one
/// answer, whoever asks.
pub async fn cancel(charges: &Charges, charge_id: &str) -> Result<Canceled, StoreError> {
    let Some(attempt) = charges.store.waiting_attempt(charge_id).await? else {
        return Ok(Canceled::Settled);
    };
    let answer = give_up(charges, &attempt, GiveUpReason::Canceled).await;
    Ok(if record_known(charges, &attempt, answer).await? {
        Canceled::Settled
    } else {
        Canceled::Unreachable
    })
}

async fn give_up(charges: &Charges, attempt: &Attempt, why: GiveUpReason) -> PaymentLookup {
    charges
        .provider
        .give_up(payment_of(attempt), why, LOOKUP_TIMEOUT)
        .await
}

async fn record_known(
    charges: &Charges,
    attempt: &Attempt,
    answer: PaymentLookup,
) -> Result<bool, StoreError> {
    let outcome = match answer {
        PaymentLookup::Known(ProviderOutcome::Approved(reference)) => AttemptOutcome::Succeeded(reference),
        PaymentLookup::Known(ProviderOutcome::Declined(code)) => AttemptOutcome::Declined(code),
        PaymentLookup::Known(ProviderOutcome::ActionRequired(_) | ProviderOutcome::Unknown)
        | PaymentLookup::NeverReceived
        | PaymentLookup::Unreachable => return Ok(false),
    };
    record(charges, attempt, &outcome).await?;
    Ok(true)
}
