//! Asks the provider for the outcome of attempts whose answer was lost, whose process died or whose shopper did not
//! come back, until it is known; and expires the charges whose time has run out.

use std::sync::Arc;
use std::time::{Duration, Instant};

use model::clock::millis;
use providers::{PaymentLookup, ProviderOutcome};
use store::{Attempt, AttemptOutcome, AttemptState, StoreError};
use tokio::sync::watch;
use tracing::Instrument;
use wire::DeclineCode;

use super::outcome::{record_lost_answer, record_outcome};
use super::presses::LEASE;
use super::provider_call::payment_of;
use super::shopper_action::{record_provider_answer, wait_for_shopper};
use super::state::Charges;
use crate::saved_cards::save::settle_abandoned_cards;

/// How many attempts one round asks for.
const ATTEMPTS_PER_ROUND: i64 = 50;
/// How long the provider may take to look up a payment. Shorter than the lease, so that no other node asks at the same
/// time.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(5);
/// Recorded instead of a payment's reference when the attempt's payment must not be made any more.
const NEVER_MADE: &str = "never_made";
/// How long to wait before asking again for an outcome that is still unknown.
const ASK_AGAIN: Duration = Duration::from_secs(2);

/// What one round did.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Round {
    /// Attempts whose outcome was recorded.
    pub resolved: usize,
    /// Attempts whose outcome is still unknown.
    pub open: usize,
}

/// Reconciles at once and then at every interval, until `stop` is true.
pub async fn run(charges: Arc<Charges>, mut stop: watch::Receiver<bool>) {
    loop {
        match reconcile(&charges).await {
            Ok(round) if round.resolved > 0 => {
                tracing::info!(resolved = round.resolved, "lost outcomes found");
            }
            Ok(_) => {}
            Err(cause) => tracing::error!(%cause, "lost outcomes cannot be looked for"),
        }
        if let Err(cause) = settle_abandoned_cards(&charges.saved_cards).await {
            tracing::error!(%cause, "pending cards cannot be settled");
        }
        if let Err(cause) = charges.expiry.sweep().await {
            tracing::error!(%cause, "charges whose time has run out cannot be looked for");
        }
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return,
            () = tokio::time::sleep(charges.settings.reconcile_interval) => {}
        }
    }
}

/// One round: takes over the attempts whose lease has ended, and asks the provider for each.
pub async fn reconcile(charges: &Charges) -> Result<Round, StoreError> {
    let now = charges.clock.now_ms();
    let mut round = Round::default();
    for attempt in charges.store.abandoned_attempts(now, ATTEMPTS_PER_ROUND).await? {
        if !charges.store.own_attempt(&attempt, now + millis(LEASE)).await? {
            continue;
        }
        let asked = Instant::now();
        let answer = charges
            .provider
            .lookup(payment_of(&attempt), LOOKUP_TIMEOUT)
            .instrument(tracing::info_span!(
                "provider",
                call = "lookup",
                attempt_id = attempt.id
            ))
            .await;
        charges.metrics.count_provider_call("lookup", asked.elapsed());
        if resolve(charges, &attempt, answer.clone()).await? {
            round.resolved += 1;
        } else {
            round.open += 1;
        }
        if answer == PaymentLookup::Unreachable {
            tracing::warn!("the provider cannot be asked for lost outcomes now");
            break;
        }
    }
    Ok(round)
}

/// Records what the provider says about an attempt. Returns whether its outcome is known now.
async fn resolve(charges: &Charges, attempt: &Attempt, answer: PaymentLookup) -> Result<bool, StoreError> {
    if attempt.state == AttemptState::WaitingForShopperAction {
        return record_provider_answer(charges, attempt, answer).await;
    }
    let now = charges.clock.now_ms();
    // A process that was held up this long finds this record instead of its own, and makes no payment.
    let is_never_made = answer == PaymentLookup::NeverReceived
        && now >= given_up_at(charges, attempt)
        && charges
            .store
            .record_payment(&attempt.id, NEVER_MADE, None)
            .await?;
    let outcome = match answer {
        PaymentLookup::Known(ProviderOutcome::Approved(reference)) => AttemptOutcome::Succeeded(reference),
        PaymentLookup::Known(ProviderOutcome::Declined(code)) => AttemptOutcome::Declined(code),
        // The answer was lost; now the shopper's page learns about the challenge.
        PaymentLookup::Known(ProviderOutcome::ActionRequired(action)) => {
            wait_for_shopper(charges, attempt, &action).await?;
            return Ok(false);
        }
        PaymentLookup::NeverReceived if is_never_made => {
            AttemptOutcome::Declined(DeclineCode::ProcessingError)
        }
        PaymentLookup::NeverReceived
        | PaymentLookup::Unreachable
        | PaymentLookup::Known(ProviderOutcome::Unknown) => {
            record_lost_answer(charges, attempt, now + millis(ASK_AGAIN)).await?;
            return Ok(false);
        }
    };
    record_outcome(charges, attempt, &outcome).await?;
    Ok(true)
}

/// When an attempt that the provider never received counts as never made, in unix milliseconds. Its request ended with
/// the time-out, which began with the attempt; the grace is for a request that is still in the network and for clocks
/// that differ.
fn given_up_at(charges: &Charges, attempt: &Attempt) -> i64 {
    attempt.created_at + millis(charges.settings.provider_timeout) + millis(charges.settings.provider_grace)
}
