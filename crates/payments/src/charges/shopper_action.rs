//! The shopper's action that a charge waits for: recorded, checked with the provider, and given up when the shopper cancels
//! or the time runs out.

use std::time::Duration;

use protocol::ShopperAction;
use protocol::clock::millis;
use providers::{GiveUpReason, PaymentLookup, ProviderOutcome};
use store::{Attempt, AttemptStep, StepKind, StoreError, WaitingAttempt};

use super::outcome::{read_and_announce, record_outcome};
use super::press::LEASE;
use super::provider_call::{give_up, lookup};
use super::state::Charges;
use web::{note_attempt, note_charge};

/// How often the provider is asked about an attempt that waits, if the shopper does not come back.
const LOOKUP_INTERVAL: Duration = Duration::from_secs(10);

/// Records that an attempt waits for the shopper. Returns the attempt as it is stored then.
pub async fn wait_for_shopper(
    charges: &Charges,
    attempt: &Attempt,
    action: &ShopperAction,
    steps: &[AttemptStep],
) -> Result<Attempt, StoreError> {
    let now = charges.clock.now_ms();
    let until = now + millis(charges.settings.challenge_timeout);
    let waiting = WaitingAttempt {
        action,
        until,
        look_at: until.min(now + millis(LOOKUP_INTERVAL)),
        steps,
    };
    charges.store.await_shopper(attempt, &waiting, now).await?;
    read_and_announce(charges, attempt).await
}

/// Records the provider's answer about an attempt that waits for the shopper; the caller must have the attempt's
/// lease. If the shopper's time is up, the payment is given up. `steps` led to the answer. Returns whether the attempt
/// waits no more.
pub async fn record_provider_answer(
    charges: &Charges,
    attempt: &Attempt,
    answer: PaymentLookup,
    mut steps: Vec<AttemptStep>,
) -> Result<bool, StoreError> {
    let now = charges.clock.now_ms();
    let until = attempt.action_until.unwrap_or_default();
    let answer = match answer {
        PaymentLookup::Known(ProviderOutcome::ActionRequired(_)) if now >= until => {
            give_up(charges, attempt, GiveUpReason::TimedOut, &mut steps).await
        }
        // The provider has taken no money for a payment that it does not know.
        PaymentLookup::NeverReceived if now >= until => {
            PaymentLookup::Known(ProviderOutcome::declined(GiveUpReason::TimedOut.decline()))
        }
        other => other,
    };
    if record_known(charges, attempt, answer, &steps).await? {
        return Ok(true);
    }
    let next = now + millis(LOOKUP_INTERVAL);
    let look_at = if now < until { next.min(until) } else { next };
    charges.store.look_again(&attempt.id, look_at, &steps).await?;
    Ok(false)
}

/// The shopper came back from the challenge: asks the provider at once, unless it was asked a moment ago. If the
/// outcome is still unknown, the reconciler asks for it later.
pub async fn handle_return(charges: &Charges, charge_id: &str) -> Result<(), StoreError> {
    let Some(attempt) = charges.store.waiting_attempt(charge_id).await? else {
        return Ok(());
    };
    note_charge(&attempt.charge_id);
    note_attempt(&attempt.id);
    if !charges.return_limit.allows(&attempt.id, charges.clock.now_ms()) {
        return Ok(());
    }
    // If another process has the lease, it asks the provider itself.
    if charges
        .store
        .own_attempt(&attempt, charges.clock.now_ms() + millis(LEASE))
        .await?
    {
        let mut steps = vec![AttemptStep::moment(
            StepKind::ShopperReturned,
            charges.clock.now_ms(),
        )];
        let answer = lookup(charges, &attempt, &mut steps).await;
        record_provider_answer(charges, &attempt, answer, steps).await?;
    }
    Ok(())
}

/// The result of canceling what the shopper must do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Canceled {
    /// No attempt waits any more: it was canceled, or had ended before.
    Settled,
    /// The provider gave no final answer, so the attempt still waits.
    Unreachable,
}

/// Gives up the challenge that the shopper canceled. The lease is not needed, because the provider accepts only one
/// outcome.
pub async fn cancel(charges: &Charges, charge_id: &str) -> Result<Canceled, StoreError> {
    let Some(attempt) = charges.store.waiting_attempt(charge_id).await? else {
        return Ok(Canceled::Settled);
    };
    note_attempt(&attempt.id);
    let mut steps = Vec::new();
    let answer = give_up(charges, &attempt, GiveUpReason::Canceled, &mut steps).await;
    if record_known(charges, &attempt, answer, &steps).await? {
        return Ok(Canceled::Settled);
    }
    charges.store.add_steps(&attempt.id, &steps).await?;
    Ok(Canceled::Unreachable)
}

async fn record_known(
    charges: &Charges,
    attempt: &Attempt,
    answer: PaymentLookup,
    steps: &[AttemptStep],
) -> Result<bool, StoreError> {
    let PaymentLookup::Known(outcome) = answer else {
        return Ok(false);
    };
    let Some(outcome) = outcome.settled() else {
        return Ok(false);
    };
    record_outcome(charges, attempt, &outcome, steps).await?;
    Ok(true)
}
