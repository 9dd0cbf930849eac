//! Attempts that wait for the shopper. The shopper's action is stored, so that any node can show it and handle the
//! attempt.

use protocol::charge_state::{ChargeEvent, transition};
use protocol::{ChargeStatus, ShopperAction};

use super::attempt::moves::{held, move_both};
use super::attempt::step::{AttemptStep, added_unless_full, lines};
use super::attempt::{Attempt, AttemptState, COLUMNS};
use super::charge_view::Told;
use super::sql::query;
use super::write::{Tx, retried};
use super::{Store, StoreError};

/// The shopper's action that an attempt waits for.
#[derive(Debug, Clone)]
pub struct WaitingAttempt<'a> {
    /// What the shopper must do.
    pub action: &'a ShopperAction,
    /// The deadline for the shopper, in unix milliseconds.
    pub until: i64,
    /// When to ask the provider for the outcome, in unix milliseconds.
    pub look_at: i64,
    /// The steps that led to it.
    pub steps: &'a [AttemptStep],
}

impl Attempt {
    /// The shopper's action while the attempt waits.
    pub fn action(&self) -> Option<ShopperAction> {
        let waits = self.state == AttemptState::WaitingForShopperAction;
        serde_json::from_str(self.shopper_action.as_deref().filter(|_| waits)?).ok()
    }
}

impl Store {
    /// Records that an attempt waits for the shopper, and changes its charge's state, in one transaction. An attempt
    /// that waits already keeps its deadline; a finished one does not change.
    pub async fn await_shopper(
        &self,
        attempt: &Attempt,
        waiting: &WaitingAttempt<'_>,
        now_ms: i64,
    ) -> Result<(), StoreError> {
        let action =
            serde_json::to_string(waiting.action).map_err(|_| StoreError::Unusable("shopper action"))?;
        retried(|| async {
            let mut tx = self.write().await?;
            begin_waiting(&mut tx, attempt, waiting, &action, now_ms).await?;
            tx.commit().await
        })
        .await
    }

    /// Sets when to check an attempt again that still waits; any other attempt does not change.
    pub async fn look_again(
        &self,
        attempt_id: &str,
        look_at: i64,
        steps: &[AttemptStep],
    ) -> Result<(), StoreError> {
        let sql = format!(
            "UPDATE attempts SET owner_until = $1, {} WHERE id = $2 AND state = $3",
            added_unless_full("$4")
        );
        let steps = lines(steps);
        query(sql)
            .bind(look_at)
            .bind(attempt_id)
            .bind(AttemptState::WaitingForShopperAction.as_str())
            .bind(&steps)
            .write(&self.writer)
            .await?;
        Ok(())
    }

    /// The attempt of a charge that waits for the shopper.
    pub async fn waiting_attempt(&self, charge_id: &str) -> Result<Option<Attempt>, StoreError> {
        let sql = format!("{COLUMNS} WHERE charge_id = $1 AND state = $2");
        Ok(query(sql)
            .bind(charge_id)
            .bind(ChargeStatus::WaitingForShopperAction.as_str())
            .fetch_optional(&self.readers)
            .await?)
    }
}

async fn begin_waiting(
    tx: &mut Tx,
    attempt: &Attempt,
    waiting: &WaitingAttempt<'_>,
    action: &str,
    now_ms: i64,
) -> Result<(), StoreError> {
    let (charge, attempt) = held(tx, attempt).await?;
    if !matches!(
        attempt.state,
        AttemptState::InFlight | AttemptState::OutcomeUnknown
    ) {
        return Ok(());
    }
    let moved = transition(charge.status, ChargeEvent::ActionRequired)?;
    let waits = query(
        "UPDATE attempts SET state = $1, shopper_action = $2, action_until = $3, owner_until = $4, steps = steps || $7 \
         WHERE id = $5 AND state = $6",
    )
    .bind(AttemptState::WaitingForShopperAction.as_str())
    .bind(action)
    .bind(waiting.until)
    .bind(waiting.look_at)
    .bind(&attempt.id)
    .bind(attempt.state.as_str())
    .bind(lines(waiting.steps));
    move_both(tx, charge, moved, None, Told::default(), now_ms, waits).await?;
    Ok(())
}
