//! A charge's time: one that is not paid within it expires, at the latest when somebody looks.

use std::time::Duration;

use model::charge_state::{ChargeEvent, transition};
use model::clock::{Clock, millis};
use store::{Charge, Store, StoreError};

/// How many charges one sweep takes.
const CHARGES_PER_SWEEP: i64 = 200;

/// Expires charges whose time has run out. Cheap to clone.
#[derive(Clone)]
pub struct ChargeExpiry {
    store: Store,
    clock: Clock,
    lifetime: Duration,
}

impl ChargeExpiry {
    /// For charges that can be paid for so long.
    pub fn new(store: Store, clock: Clock, lifetime: Duration) -> Self {
        Self {
            store,
            clock,
            lifetime,
        }
    }

    /// The charge as it stands now: expired if its time has run out. While a card is with the provider nothing expires.
    pub async fn as_it_stands(&self, charge: Charge) -> Result<Charge, StoreError> {
        let can_expire = transition(charge.status.0, ChargeEvent::Expired).is_ok();
        if !can_expire || charge.created_at > self.made_before() {
            return Ok(charge);
        }
        self.expire(&charge.id).await?;
        let now = self.store.charge(&charge.id).await?;
        now.ok_or(StoreError::Unusable("charge that is gone"))
    }

    /// Expires charges whose time has run out and at which nobody looked; how many.
    pub async fn sweep(&self) -> Result<usize, StoreError> {
        let due = self
            .store
            .charges_made_before(self.made_before(), CHARGES_PER_SWEEP)
            .await?;
        for id in &due {
            self.expire(id).await?;
        }
        Ok(due.len())
    }

    async fn expire(&self, id: &str) -> Result<(), StoreError> {
        // A card that went to the provider meanwhile keeps the charge alive.
        self.store
            .end_charge(id, ChargeEvent::Expired, self.clock.now_ms())
            .await?;
        Ok(())
    }

    /// Charges made at this time, in unix milliseconds, or before it are due.
    fn made_before(&self) -> i64 {
        self.clock.now_ms() - millis(self.lifetime)
    }
}
