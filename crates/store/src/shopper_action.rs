//! Attempts that wait for the shopper: what must be done is durable, so that any node can show it and look after it.

use model::charge_state::{ChargeEvent, transition};
use sqlx::AnyConnection;
use wire::{ChargeStatus, ShopperAction};

use super::attempt::moves::held;
use super::attempt::{Attempt, AttemptState, COLUMNS};
use super::write::retried;
use super::{Store, StoreError, charge};

/// What an attempt waits for.
#[derive(Debug, Clone)]
pub struct Waiting<'a> {
    /// What the shopper must do.
    pub action: &'a ShopperAction,
    /// Until when it may be done, in unix milliseconds.
    pub until: i64,
    /// When to ask the provider what became of it, in unix milliseconds.
    pub look_at: i64,
}

impl Attempt {
    /// What the shopper must do while the attempt waits.
    pub fn action(&self) -> Option<ShopperAction> {
        let waits = self.state == AttemptState::WaitingForShopperAction;
        serde_json::from_str(self.shopper_action.as_deref().filter(|_| waits)?).ok()
    }
}

impl Store {
    /// Records that an attempt waits for the shopper, and moves its charge, in one transaction. One that waits already
    /// keeps its time; one that is finished stays so.
    pub async fn await_shopper(
        &self,
        attempt_id: &str,
        waiting: &Waiting<'_>,
        now_ms: i64,
    ) -> Result<(), StoreError> {
        let action =
            serde_json::to_string(waiting.action).map_err(|_| StoreError::Unusable("shopper action"))?;
        retried(|| async {
            let mut tx = self.write().await?;
            begin_waiting(&mut tx, attempt_id, waiting, &action, now_ms).await?;
            tx.commit().await
        })
        .await
    }

    /// Says when to look again at an attempt that still waits; one that does not is left alone.
    pub async fn look_again(&self, attempt_id: &str, look_at: i64) -> Result<(), StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            sqlx::query("UPDATE attempts SET owner_until = $1 WHERE id = $2 AND state = $3")
                .bind(look_at)
                .bind(attempt_id)
                .bind(AttemptState::WaitingForShopperAction.as_str())
                .execute(&mut *tx)
                .await?;
            tx.commit().await
        })
        .await
    }

    /// The attempt of a charge that waits for the shopper.
    pub async fn waiting_attempt(&self, charge_id: &str) -> Result<Option<Attempt>, StoreError> {
        let sql = sqlx::AssertSqlSafe(format!("{COLUMNS} WHERE charge_id = $1 AND state = $2"));
        Ok(sqlx::query_as(sql)
            .bind(charge_id)
            .bind(ChargeStatus::WaitingForShopperAction.as_str())
            .fetch_optional(&self.readers)
            .await?)
    }
}

async fn begin_waiting(
    tx: &mut AnyConnection,
    attempt_id: &str,
    waiting: &Waiting<'_>,
    action: &str,
    now_ms: i64,
) -> Result<(), StoreError> {
    let (attempt, status) = held(tx, attempt_id).await?;
    if !matches!(
        attempt.state,
        AttemptState::InFlight | AttemptState::OutcomeUnknown
    ) {
        return Ok(());
    }
    let moved = transition(status, ChargeEvent::ActionRequired)?;
    charge::apply(tx, &attempt.charge_id, moved, None, now_ms).await?;
    let changed = sqlx::query(
        "UPDATE attempts SET state = $1, shopper_action = $2, action_until = $3, owner_until = $4 \
         WHERE id = $5 AND state = $6",
    )
    .bind(AttemptState::WaitingForShopperAction.as_str())
    .bind(action)
    .bind(waiting.until)
    .bind(waiting.look_at)
    .bind(attempt_id)
    .bind(attempt.state.as_str())
    .execute(tx)
    .await?
    .rows_affected();
    if changed == 1 {
        Ok(())
    } else {
        Err(StoreError::Conflict("attempt"))
    }
}
