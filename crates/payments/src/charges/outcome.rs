//! Records the outcome of an attempt once, tells the requests that wait for it, and logs when a person must act.

use store::{Attempt, AttemptOutcome, AttemptStep, FinishOutcome, StoreError};

use super::state::Charges;
use crate::saved_cards::save::settle_pending_card;

/// Records how an attempt ended, and the steps that led to it. Returns the attempt as it is stored then; its outcome is
/// another one if that was recorded earlier.
pub async fn record_outcome(
    charges: &Charges,
    attempt: &Attempt,
    outcome: &AttemptOutcome,
    steps: &[AttemptStep],
) -> Result<Attempt, StoreError> {
    let finished = charges
        .store
        .finish_attempt(attempt, outcome, steps, charges.clock.now_ms())
        .await?;
    match finished {
        FinishOutcome::Recorded | FinishOutcome::RecordedWithoutEvent | FinishOutcome::Before => {}
        FinishOutcome::ApprovedLate => {
            tracing::warn!(
                attempt_id = attempt.id,
                charge_id = attempt.charge_id,
                "paid after it was given up"
            );
        }
        FinishOutcome::ApprovedTooLate => {
            tracing::error!(
                attempt_id = attempt.id,
                charge_id = attempt.charge_id,
                "the provider approved an attempt that was given up, but the charge has changed since: refund the payment"
            );
        }
    }
    let has_no_event = finished == FinishOutcome::RecordedWithoutEvent;
    let now = if has_no_event || finished == FinishOutcome::Recorded {
        charges.counts.outcome(outcome);
        charges.presses.announce(&attempt.id);
        if !has_no_event {
            charges.webhooks.wake();
        }
        attempt.ended(outcome)
    } else {
        read_and_announce(charges, attempt).await?
    };
    settle_pending_card(&charges.saved_cards, &now).await;
    Ok(now)
}

/// Records that an attempt's answer was lost; the reconciler asks for it from `look_at`, in unix milliseconds.
pub async fn record_lost_answer(
    charges: &Charges,
    attempt: &Attempt,
    look_at: i64,
    steps: &[AttemptStep],
) -> Result<Attempt, StoreError> {
    charges
        .store
        .lose_outcome(attempt, look_at, steps, charges.clock.now_ms())
        .await?;
    charges.counts.lost_answer();
    read_and_announce(charges, attempt).await
}

/// Tells the requests that wait for the attempt, and reads it as it is stored now.
pub(super) async fn read_and_announce(charges: &Charges, attempt: &Attempt) -> Result<Attempt, StoreError> {
    charges.presses.announce(&attempt.id);
    charges.webhooks.wake();
    let now = charges.store.attempt(&attempt.id).await?;
    now.ok_or(StoreError::Unusable("attempt that is gone"))
}
