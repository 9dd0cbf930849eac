//! Holds whose time has come: the service captures them by itself (`capture_after_hours`), or they have ended.

use std::sync::Arc;
use std::time::Duration;

use protocol::clock::millis;
use protocol::{ChargeStatus, OperationKind};
use providers::{HoldLookup, PaymentRef};
use store::{DueHold, StoreError};

use super::run::{Wish, begin_and_run};
use crate::charges::Charges;

/// How many holds one round works on.
const HOLDS_PER_ROUND: i64 = 100;
/// When a hold is looked at again after a try that failed.
const TRY_AGAIN: Duration = Duration::from_mins(1);
/// When the provider is asked again about a hold whose end it does not tell.
const LOOK_AGAIN: Duration = Duration::from_hours(24);

/// One round.
pub async fn settle_holds(charges: &Arc<Charges>) -> Result<(), StoreError> {
    let due = charges
        .store
        .due_holds(charges.clock.now_ms(), HOLDS_PER_ROUND)
        .await?;
    for hold in due {
        let next = charges.clock.now_ms() + millis(TRY_AGAIN);
        if charges.store.own_hold(&hold, next).await? {
            settle(charges, &hold).await?;
        }
    }
    Ok(())
}

async fn settle(charges: &Arc<Charges>, hold: &DueHold) -> Result<(), StoreError> {
    let Some(charge) = charges.store.charge(&hold.charge_id).await? else {
        return Ok(());
    };
    if charge.status != ChargeStatus::Authorized {
        return Ok(());
    }
    let now = charges.clock.now_ms();
    if charge.capture_at.is_some_and(|at| at <= now) {
        if let Err(error) = begin_and_run(charges, &charge.id, OperationKind::Capture, Wish::default()).await
        {
            tracing::warn!(%error, charge_id = charge.id, "a hold could not be captured at its time; it is tried again");
        }
        return Ok(());
    }
    let Some(attempt) = charges.store.attempt_that_paid(&charge.id).await? else {
        return Ok(());
    };
    let payment = PaymentRef {
        attempt_id: &attempt.id,
        charge_id: &attempt.charge_id,
        idempotency_key: &attempt.provider_key,
        reference: attempt.provider_reference.as_deref(),
    };
    let timeout = charges.settings.provider_timeout;
    let (ended, captured) = match charges.provider.lookup_hold(payment, timeout).await {
        HoldLookup::Held(hold) => {
            let ends_at = hold.ends_at.filter(|at| *at > now);
            let look_at = ends_at.into_iter().chain(charge.capture_at).min();
            let look_at = look_at.unwrap_or(now + millis(LOOK_AGAIN));
            charges.store.look_at_hold(&charge.id, look_at).await?;
            (false, None)
        }
        HoldLookup::Captured(amount) => (true, Some(amount)),
        HoldLookup::Ended => (true, None),
        HoldLookup::Unreachable => (false, None),
    };
    if ended {
        charges
            .store
            .record_end_of_hold(&attempt, captured.as_deref(), now)
            .await?;
        charges.webhooks.wake();
    }
    Ok(())
}
