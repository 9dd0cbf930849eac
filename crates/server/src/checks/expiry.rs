//! Expires charges that were not paid in time, at the latest when they are read.

use std::time::Duration;

use model::charge_state::{ChargeEvent, transition};
use model::clock::{Clock, millis};
use store::{Charge, Store, StoreError};

use super::payment_gate::PaymentGate;

/// How many charges one sweep expires.
const CHARGES_PER_SWEEP: i64 = 200;

/// Expires charges whose time has run out. Cheap to clone.
#[derive(Clone)]
pub struct ChargeExpiry {
    store: Store,
    clock: Clock,
    lifetime: Duration,
    /// While payments are closed nothing expires: the provider may know that it is paid.
    pub(crate) gate: PaymentGate,
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
        let can_expire = transition(charge.status.0, ChargeEvent::Expired).is_ok();
        if !can_expire || charge.created_at > self.due_before() || self.gate.is_closed() {
            return Ok(charge);
        }
        self.expire(&charge.id).await?;
        let now = self.store.charge(&charge.id).await?;
        now.ok_or(StoreError::Unusable("charge that is gone"))
    }

    /// Expires charges whose time has run out although nobody read them. Returns how many were due.
    pub async fn sweep(&self) -> Result<usize, StoreError> {
        if self.gate.is_closed() {
            return Ok(0);
        }
        let due = self
            .store
            .charges_made_before(self.due_before(), CHARGES_PER_SWEEP)
            .await?;
        for id in &due {
            self.expire(id).await?;
        }
        Ok(due.len())
    }

    async fn expire(&self, id: &str) -> Result<(), StoreError> {
        // If a card went to the provider meanwhile, the charge does not expire.
        self.store
            .end_charge(id, ChargeEvent::Expired, self.clock.now_ms())
            .await?;
        Ok(())
    }

    /// A charge is due if it was created at this time or before, in unix milliseconds.
    fn due_before(&self) -> i64 {
        self.clock.now_ms() - millis(self.lifetime)
    }
}
