//! Asks the provider for the outcome of attempts whose answer was lost, whose process died or whose shopper did not
//! come back, until it is known; and expires the charges whose time has run out.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::stream::{self, StreamExt, TryStreamExt};
use protocol::DeclineCode;
use protocol::clock::millis;
use providers::{PaymentLookup, ProviderOutcome};
use store::{Attempt, AttemptOutcome, AttemptState, AttemptStep, NEVER_MADE, StoreError};
use tokio::sync::watch;

use super::outcome::{record_lost_answer, record_outcome};
use super::press::LEASE;
use super::provider_call::{lookup, prevent};
use super::shopper_action::{record_provider_answer, wait_for_shopper};
use super::state::Charges;
use crate::operations::holds::settle_holds;
use crate::operations::listed_disputes::record_listed_disputes;
use crate::operations::unfinished::settle_operations;
use crate::saved_cards::save::{settle_abandoned_cards, tell_expiring_cards};

/// How many attempts one round asks for.
const ATTEMPTS_PER_ROUND: i64 = 100;
/// How many of them it asks for at the same time.
const ASKED_AT_ONCE: usize = 16;
/// How long to wait before asking again for an outcome that is still unknown.
const ASK_AGAIN: Duration = Duration::from_secs(2);

/// The result of one round.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Round {
    /// Attempts whose outcome was recorded.
    pub resolved: usize,
    /// Attempts whose outcome is still unknown.
    pub open: usize,
}

/// Reconciles at once, unless the settings say otherwise, and then at every interval, until `stop` is true. While rounds
/// find outcomes and there are more to ask for, the next round follows at once.
pub async fn run(charges: Arc<Charges>, mut stop: watch::Receiver<bool>) {
    let mut disputes_since = 0;
    if !charges.settings.reconcile_at_start && pause(&charges, &mut stop).await {
        return;
    }
    loop {
        if charges.expiry.gate.is_closed() {
            // A payment whose reference is not in a restored database would count as never made.
            if pause(&charges, &mut stop).await {
                return;
            }
            continue;
        }
        match reconcile_some(&charges).await {
            Ok((round, is_full)) if round.resolved > 0 => {
                tracing::info!(resolved = round.resolved, "lost outcomes found");
                if is_full && !*stop.borrow() {
                    continue;
                }
            }
            Ok(_) => {}
            Err(cause) => tracing::error!(%cause, "could not look up lost outcomes"),
        }
        if let Err(cause) = settle_operations(&charges).await {
            tracing::error!(%cause, "unfinished refunds, captures and releases cannot be looked up");
        }
        if let Err(cause) = settle_holds(&charges).await {
            tracing::error!(%cause, "holds cannot be looked up");
        }
        if let Err(cause) = record_listed_disputes(&charges, &mut disputes_since).await {
            tracing::error!(%cause, "disputes cannot be recorded");
        }
        if let Err(cause) = settle_abandoned_cards(&charges.saved_cards).await {
            tracing::error!(%cause, "pending cards cannot be settled");
        }
        if let Err(cause) = tell_expiring_cards(&charges.saved_cards).await {
            tracing::error!(%cause, "merchants cannot be told of expiring cards");
        }
        if let Err(cause) = charges.expiry.sweep().await {
            tracing::error!(%cause, "could not look up charges whose time has run out");
        }
        if pause(&charges, &mut stop).await {
            return;
        }
    }
}

/// Waits until the next round. Returns whether to stop.
async fn pause(charges: &Charges, stop: &mut watch::Receiver<bool>) -> bool {
    tokio::select! {
        _ = stop.wait_for(|stop| *stop) => true,
        () = tokio::time::sleep(charges.settings.reconcile_interval) => false,
    }
}

/// One round: takes over the attempts whose lease has ended, those that wait longest first, and asks the provider for
/// several at once.
pub async fn reconcile(charges: &Charges) -> Result<Round, StoreError> {
    Ok(reconcile_some(charges).await?.0)
}

/// One round, and whether there may be more attempts to ask for. A round is also full if another node was faster with some
/// of its attempts, because otherwise several nodes would pause after each round that they share.
async fn reconcile_some(charges: &Charges) -> Result<(Round, bool), StoreError> {
    let now = charges.clock.now_ms();
    let attempts = charges.store.abandoned_attempts(now, ATTEMPTS_PER_ROUND).await?;
    let is_full = i64::try_from(attempts.len()) == Ok(ATTEMPTS_PER_ROUND);
    let is_unreachable = AtomicBool::new(false);
    let resolved: Vec<Option<bool>> = stream::iter(attempts)
        .map(|attempt| ask(charges, attempt, &is_unreachable))
        .buffer_unordered(ASKED_AT_ONCE)
        .try_collect()
        .await?;
    if is_unreachable.into_inner() {
        tracing::warn!("the provider cannot be asked for lost outcomes now");
    } else {
        let now = charges.clock.now_seconds();
        charges.counts.reconciled(now);
    }
    let count = |known| resolved.iter().filter(|one| **one == Some(known)).count();
    let round = Round {
        resolved: count(true),
        open: count(false),
    };
    Ok((round, is_full))
}

/// Asks for one attempt. Returns whether its outcome is known now; `None` if it was left to another node or another
/// round, because the provider cannot be reached.
async fn ask(
    charges: &Charges,
    attempt: Attempt,
    is_unreachable: &AtomicBool,
) -> Result<Option<bool>, StoreError> {
    let lease_until = charges.clock.now_ms() + millis(LEASE);
    if is_unreachable.load(Ordering::Relaxed) || !charges.store.own_attempt(&attempt, lease_until).await? {
        return Ok(None);
    }
    let mut steps = Vec::new();
    let answer = lookup(charges, &attempt, &mut steps).await;
    if answer == PaymentLookup::Unreachable {
        is_unreachable.store(true, Ordering::Relaxed);
    }
    resolve(charges, &attempt, answer, steps).await.map(Some)
}

/// Records the provider's answer about an attempt. Returns whether its outcome is known now.
async fn resolve(
    charges: &Charges,
    attempt: &Attempt,
    answer: PaymentLookup,
    mut steps: Vec<AttemptStep>,
) -> Result<bool, StoreError> {
    if attempt.state == AttemptState::WaitingForShopperAction {
        return record_provider_answer(charges, attempt, answer, steps).await;
    }
    let now = charges.clock.now_ms();
    let gives_up = answer == PaymentLookup::NeverReceived && now >= given_up_at(charges, attempt);
    let answer = if gives_up {
        prevent(charges, attempt, &mut steps).await
    } else {
        answer
    };
    // A process that was delayed this long finds this reference instead of its own, and makes no payment.
    let is_never_made = gives_up
        && answer == PaymentLookup::NeverReceived
        && charges
            .store
            .record_payment(&attempt.id, NEVER_MADE, None)
            .await?;
    let outcome = match answer {
        PaymentLookup::Known(ProviderOutcome::Approved(approval)) => AttemptOutcome::Succeeded(approval),
        PaymentLookup::Known(ProviderOutcome::Declined(reason)) => AttemptOutcome::Declined(reason),
        // The answer was lost; now the shopper's page learns about the challenge.
        PaymentLookup::Known(ProviderOutcome::ActionRequired(action)) => {
            wait_for_shopper(charges, attempt, &action, &steps).await?;
            return Ok(false);
        }
        PaymentLookup::NeverReceived if is_never_made => {
            AttemptOutcome::Declined(DeclineCode::ProcessingError.into())
        }
        PaymentLookup::NeverReceived
        | PaymentLookup::Unreachable
        | PaymentLookup::Known(ProviderOutcome::Unknown) => {
            record_lost_answer(charges, attempt, now + millis(ASK_AGAIN), &steps).await?;
            return Ok(false);
        }
    };
    record_outcome(charges, attempt, &outcome, &steps).await?;
    Ok(true)
}

/// When an attempt that the provider never received counts as never made, in unix milliseconds. Its request ended with
/// the time-out, which began with the attempt; the grace is for a request that is still in the network and for clocks
/// that differ. One that takes longer is prevented.
fn given_up_at(charges: &Charges, attempt: &Attempt) -> i64 {
    attempt.created_at + millis(charges.settings.provider_timeout) + millis(charges.settings.provider_grace)
}
