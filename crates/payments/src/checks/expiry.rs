//! Expires charges that were not paid in time, at the latest when they are read.

use std::time::Duration;

use protocol::charge_state::{ChargeEvent, transition};
use protocol::clock::{Clock, millis};
use store::{Charge, EndOutcome, OpenCharge, Store, StoreError};

use super::payment_gate::PaymentGate;

/// About how many open charges one sweep looks at.
const CHARGES_PER_SWEEP: usize = 200;
/// How many charges are looked for at once, most of which have ended.
const CHARGES_AT_ONCE: i64 = 200;
/// How many searches one sweep makes, so that the reconciler does not wait long after many charges were made.
const SEARCHES_PER_SWEEP: usize = 500;

/// Expires charges whose time has run out. Cheap to clone.
#[derive(Clone)]
pub struct ChargeExpiry {
    store: Store,
    clock: Clock,
    lifetime: Duration,
    /// While payments are closed no charge expires, because the provider may know that it is paid.
    pub gate: PaymentGate,
}

impl ChargeExpiry {
    /// `lifetime` is how long a charge can be paid.
    pub fn new(store: Store, clock: Clock, lifetime: Duration, gate: PaymentGate) -> Self {
        Self {
            store,
            clock,
            lifetime,
            gate,
        }
    }

    /// The charge as it stands now: expired if its time has run out. While a card is with the provider, a charge does
    /// not expire.
    pub async fn expire_if_due(&self, charge: Charge) -> Result<Charge, StoreError> {
        let can_expire = transition(charge.status, ChargeEvent::Expired).is_ok();
        if !can_expire || charge.created_at > self.due_before() || self.gate.is_closed() {
            return Ok(charge);
        }
        self.expire(&charge.id).await?;
        let now = self.store.charge(&charge.id).await?;
        now.ok_or(StoreError::Unusable("charge that is gone"))
    }

    /// Expires charges whose time has run out and that were not read since. Returns how many were due and open.
    pub async fn sweep(&self) -> Result<usize, StoreError> {
        if self.gate.is_closed() {
            return Ok(0);
        }
        let overdue = self.store.overdue_charges().await?;
        for charge in &overdue {
            if self.is_over(charge).await? {
                self.store.forget_overdue_charge(&charge.id).await?;
            }
        }
        let due = self.due_before();
        let mut from = self.store.begin_of_due_charges(due).await?;
        let mut open = 0;
        for _ in 0..SEARCHES_PER_SWEEP {
            let Some(found) = self.store.due_charges(from, due, CHARGES_AT_ONCE).await? else {
                break;
            };
            open += found.open.len();
            let mut stay = Vec::new();
            for charge in found.open {
                if !self.is_over(&charge).await? {
                    stay.push(charge.id);
                }
            }
            self.store.settle_due_charges(found.until, due, &stay).await?;
            from = found.until;
            if open >= CHARGES_PER_SWEEP {
                break;
            }
        }
        Ok(overdue.len() + open)
    }

    /// Expires the charge if it can. Returns whether nothing can happen to it any more.
    async fn is_over(&self, charge: &OpenCharge) -> Result<bool, StoreError> {
        let can = |status, event| transition(status, event).is_ok();
        let status = if can(charge.status, ChargeEvent::Expired) {
            match self.expire(&charge.id).await? {
                EndOutcome::Moved => return Ok(true),
                EndOutcome::Stays(status) => status,
            }
        } else {
            charge.status
        };
        // One that is declined can expire then.
        Ok(!can(status, ChargeEvent::Declined) && !can(status, ChargeEvent::Expired))
    }

    async fn expire(&self, id: &str) -> Result<EndOutcome, StoreError> {
        // If a card went to the provider meanwhile, the charge does not expire.
        self.store
            .end_charge(id, ChargeEvent::Expired, self.clock.now_ms())
            .await
    }

    /// A charge is due if it was created at this time or before, in unix milliseconds.
    fn due_before(&self) -> i64 {
        self.clock.now_ms() - millis(self.lifetime)
    }
}
