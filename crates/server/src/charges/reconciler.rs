//! Asks the provider what became of attempts whose answer was lost, whose process died or whose shopper did not come
//! back, until every one is known; and expires the charges whose time has run out.

use std::time::{Duration, Instant};

use providers::{Lookup, ProviderOutcome};
use store::{Attempt, AttemptOutcome, AttemptState, StoreError};
use tokio::sync::watch;
use tracing::Instrument;
use wire::DeclineCode;

use super::expiry::sweep;
use super::outcome::{lose, record};
use super::press::{LEASE, millis};
use super::provider_call::payment_of;
use super::shopper_action::{look_after, wait_for_shopper};
use crate::saved_cards::save::settle_left_over;
use crate::service::app::{App, SharedApp};

/// How many attempts one round takes.
const ATTEMPTS_PER_ROUND: i64 = 50;
/// How long the provider may take to say what became of a key. Shorter than the lease, so that no other node asks too.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(5);
/// Noted in the place of a payment's reference when the attempt shall have none.
const NEVER_MADE: &str = "never_made";
/// When to ask again for an attempt that is not known yet.
const ASK_AGAIN: Duration = Duration::from_secs(2);

/// What one round did.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Round {
    /// Attempts whose outcome is recorded now.
    pub resolved: usize,
    /// Attempts to ask for again.
    pub open: usize,
}

/// Reconciles at once and then every interval, until told to stop.
pub async fn run(app: SharedApp, mut stop: watch::Receiver<bool>) {
    loop {
        match reconcile(&app).await {
            Ok(round) if round.resolved > 0 => {
                tracing::info!(resolved = round.resolved, "lost outcomes found");
            }
            Ok(_) => {}
            Err(cause) => tracing::error!(%cause, "lost outcomes cannot be looked for"),
        }
        if let Err(cause) = settle_left_over(&app).await {
            tracing::error!(%cause, "pending cards cannot be settled");
        }
        if let Err(cause) = sweep(&app).await {
            tracing::error!(%cause, "charges whose time has run out cannot be looked for");
        }
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return,
            () = tokio::time::sleep(app.config.reconcile_interval) => {}
        }
    }
}

/// One round: takes over the attempts that nobody looks after, and asks the provider for each.
pub async fn reconcile(app: &App) -> Result<Round, StoreError> {
    let now = app.clock.now_ms();
    let mut round = Round::default();
    for attempt in app.store.abandoned_attempts(now, ATTEMPTS_PER_ROUND).await? {
        if !app.store.own_attempt(&attempt, now + millis(LEASE)).await? {
            continue;
        }
        let asked = Instant::now();
        let answer = app
            .provider
            .lookup(payment_of(&attempt), LOOKUP_TIMEOUT)
            .instrument(tracing::info_span!(
                "provider",
                call = "lookup",
                attempt_id = attempt.id
            ))
            .await;
        app.metrics.provider_took("lookup", asked.elapsed());
        if resolve(app, &attempt, answer.clone()).await? {
            round.resolved += 1;
        } else {
            round.open += 1;
        }
        if answer == Lookup::Unreachable {
            tracing::warn!("the provider cannot be asked for lost outcomes now");
            break;
        }
    }
    Ok(round)
}

/// Records what the provider says of an attempt; whether it is known now.
async fn resolve(app: &App, attempt: &Attempt, answer: Lookup) -> Result<bool, StoreError> {
    if attempt.state == AttemptState::WaitingForShopperAction {
        return look_after(app, attempt, answer).await;
    }
    let now = app.clock.now_ms();
    // A process that was held up for so long finds this note in the place of its own, and makes no payment.
    let is_never_made = answer == Lookup::NeverHeard
        && now >= given_up_at(app, attempt)
        && app.store.note_payment(&attempt.id, NEVER_MADE, None).await?;
    let outcome = match answer {
        Lookup::Known(ProviderOutcome::Approved(reference)) => AttemptOutcome::Succeeded(reference),
        Lookup::Known(ProviderOutcome::Declined(code)) => AttemptOutcome::Declined(code),
        // Its outcome was lost; now the shopper's page learns of the challenge.
        Lookup::Known(ProviderOutcome::ActionRequired(action)) => {
            wait_for_shopper(app, attempt, &action).await?;
            return Ok(false);
        }
        Lookup::NeverHeard if is_never_made => AttemptOutcome::Declined(DeclineCode::ProcessingError),
        Lookup::NeverHeard | Lookup::Unreachable | Lookup::Known(ProviderOutcome::Unknown) => {
            lose(app, attempt, now + millis(ASK_AGAIN)).await?;
            return Ok(false);
        }
    };
    record(app, attempt, &outcome).await?;
    Ok(true)
}

/// From when on an attempt that the provider never heard of counts as never made. Its request ended with the time-out,
/// counted from the same moment; the grace is for what may still be on the wire and for clocks that differ.
fn given_up_at(app: &App, attempt: &Attempt) -> i64 {
    attempt.created_at + millis(app.config.provider_timeout) + millis(app.config.provider_grace)
}
