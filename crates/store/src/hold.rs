//! Holds: money that an issuer keeps for a charge until it is captured, released, or the hold ends by itself.

use protocol::ChargeStatus;
use protocol::charge_state::ChargeEvent;

use serde::Deserialize;

use super::attempt::{Attempt, that_paid};
use super::operation::{end_hold, held_with_operations, is_hold_ending};
use super::sql::query;
use super::write::retried;
use super::{Charge, Store, StoreError};

/// A hold that the service must look at.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct DueHold {
    /// The charge.
    pub charge_id: String,
    /// When it was due, in unix milliseconds.
    pub look_at: i64,
}

impl Store {
    /// Holds that are due, the longest waiting first.
    pub async fn due_holds(&self, now_ms: i64, limit: i64) -> Result<Vec<DueHold>, StoreError> {
        Ok(
            query("SELECT charge_id, look_at FROM holds WHERE look_at <= $1 ORDER BY look_at LIMIT $2")
                .bind(now_ms)
                .bind(limit)
                .fetch_all(&self.readers)
                .await?,
        )
    }

    /// Takes a hold over, and looks at it again at `look_at`, in unix milliseconds: false if another node was faster.
    pub async fn own_hold(&self, hold: &DueHold, look_at: i64) -> Result<bool, StoreError> {
        let changed = query("UPDATE holds SET look_at = $1 WHERE charge_id = $2 AND look_at = $3")
            .bind(look_at)
            .bind(&hold.charge_id)
            .bind(hold.look_at)
            .write(&self.writer)
            .await?;
        Ok(changed == 1)
    }

    /// Looks at the hold of this charge again at `look_at`, in unix milliseconds.
    pub async fn look_at_hold(&self, charge_id: &str, look_at: i64) -> Result<(), StoreError> {
        query("UPDATE holds SET look_at = $1 WHERE charge_id = $2")
            .bind(look_at)
            .bind(charge_id)
            .write(&self.writer)
            .await?;
        Ok(())
    }

    /// Records when the hold of this charge ends, and when it is captured.
    pub async fn record_times_of_hold(&self, charge: &Charge) -> Result<(), StoreError> {
        query(
            "UPDATE charges SET capture_before = $1, capture_at = $2 WHERE id = $3 AND status = 'authorized'",
        )
        .bind(charge.capture_before)
        .bind(charge.capture_at)
        .bind(&charge.id)
        .write(&self.writer)
        .await?;
        Ok(())
    }

    /// The attempt that paid this charge; `None` if it is not paid.
    pub async fn attempt_that_paid(&self, charge_id: &str) -> Result<Option<Attempt>, StoreError> {
        Ok(that_paid(charge_id).fetch_optional(&self.readers).await?)
    }

    /// Records that a hold ended without an operation of ours: it ended by itself, or a person captured it at the provider,
    /// then with the amount. Nothing changes if the charge is not held any more, or if an operation of ours is ending the hold.
    pub async fn record_end_of_hold(
        &self,
        attempt: &Attempt,
        captured: Option<&str>,
        now_ms: i64,
    ) -> Result<(), StoreError> {
        let event = captured.map_or(ChargeEvent::HoldEnded, |_| ChargeEvent::Captured);
        retried(|| async {
            let mut tx = self.write().await?;
            let (charge, operations) = held_with_operations(&mut tx, &attempt.charge_id).await?;
            if charge.status == ChargeStatus::Authorized && !is_hold_ending(&operations) {
                let captured = captured.unwrap_or_default();
                end_hold(&mut tx, charge, attempt, event, captured, now_ms).await?;
            }
            tx.commit().await
        })
        .await
    }
}
