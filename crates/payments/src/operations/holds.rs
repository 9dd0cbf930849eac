//! Holds whose time has come: the service captures them by itself (`capture_after_hours`), or they have ended.

use std::sync::Arc;
use std::time::Duration;

use protocol::clock::millis;
use protocol::{ChargeStatus, OperationKind, OperationStatus};
use providers::HoldLookup;
use store::{Charge, DueHold, StoreError};

use super::run::{Wish, begin_and_run};
use crate::charges::Charges;
use crate::charges::provider_call::{LOOKUP_TIMEOUT, payment_of};

/// How many holds one round works on.
const HOLDS_PER_ROUND: i64 = 100;
/// When a hold is looked at again after a try that failed.
const TRY_AGAIN: Duration = Duration::from_mins(1);
/// When a capture that the provider has refused is tried again.
const TRY_REFUSED_AGAIN: Duration = Duration::from_hours(1);
/// When the provider is asked again about a hold whose end it does not tell.
const LOOK_AGAIN: Duration = Duration::from_hours(24);

/// When it is asked again about a hold that should have ended.
const LOOK_AFTER_END: Duration = Duration::from_mins(10);

/// One round.
pub async fn settle_holds(charges: &Arc<Charges>) -> Result<(), StoreError> {
    let due = charges
        .store
        .due_holds(charges.clock.now_ms(), HOLDS_PER_ROUND)
        .await?;
    for hold in due {
        let next = charges.clock.now_ms() + millis(TRY_AGAIN);
        if charges.store.own_hold(&hold, next).await? && !settle(charges, &hold).await? {
            // Each of the other holds would wait for the provider as long, and lost payments with them.
            break;
        }
    }
    Ok(())
}

/// Returns whether the provider answers.
async fn settle(charges: &Arc<Charges>, hold: &DueHold) -> Result<bool, StoreError> {
    let Some(charge) = charges.store.charge(&hold.charge_id).await? else {
        return Ok(true);
    };
    if charge.status != ChargeStatus::Authorized {
        return Ok(true);
    }
    if charge.capture_at.is_some_and(|at| at <= charges.clock.now_ms()) {
        capture(charges, &charge).await
    } else {
        look(charges, &charge).await
    }
}

/// Captures the hold. If the provider refuses, a person may have captured it there.
async fn capture(charges: &Arc<Charges>, charge: &Charge) -> Result<bool, StoreError> {
    let charge_id = &charge.id;
    let captured = begin_and_run(charges, charge_id, OperationKind::Capture, Wish::default()).await;
    match captured {
        Ok(capture) if capture.state == OperationStatus::Failed => {
            let answers = look(charges, charge).await?;
            // If it is still held. Each try is a row, so there are few.
            let next = charges.clock.now_ms() + millis(TRY_REFUSED_AGAIN);
            charges.store.look_at_hold(charge_id, next).await?;
            Ok(answers)
        }
        Ok(capture) => Ok(capture.state != OperationStatus::OutcomeUnknown),
        Err(error) => {
            tracing::warn!(%error, charge_id, "a hold could not be captured at its time; it is tried again");
            Ok(true)
        }
    }
}

/// Asks the provider whether the money is still held.
async fn look(charges: &Charges, charge: &Charge) -> Result<bool, StoreError> {
    let Some(attempt) = charges.store.attempt_that_paid(&charge.id).await? else {
        return Ok(true);
    };
    let now = charges.clock.now_ms();
    let captured = match charges
        .provider
        .lookup_hold(payment_of(&attempt), LOOKUP_TIMEOUT)
        .await
    {
        HoldLookup::Held(hold) => {
            let mut charge = charge.clone();
            if let Some(ends_at) = hold.ends_at.filter(|at| Some(*at) != charge.capture_before) {
                charge.hold_ends(ends_at);
                charges.store.record_times_of_hold(&charge).await?;
            }
            let look_at = match hold.ends_at {
                Some(ends_at) if ends_at > now => ends_at,
                Some(_) => now + millis(LOOK_AFTER_END),
                None => now + millis(LOOK_AGAIN),
            };
            let look_at = charge.capture_at.map_or(look_at, |at| at.min(look_at));
            charges.store.look_at_hold(&charge.id, look_at).await?;
            return Ok(true);
        }
        HoldLookup::Unreachable => return Ok(false),
        HoldLookup::Captured(amount) => Some(amount),
        HoldLookup::Ended => None,
    };
    charges
        .store
        .record_end_of_hold(&attempt, captured.as_deref(), now)
        .await?;
    charges.webhooks.wake();
    Ok(true)
}
