//! Attempts to pay a charge: durable before the provider is called, finished exactly once.

use sqlx::{FromRow, Sqlite, Transaction};
use wire::ChargeStatus;

use super::attempt_count::{AttemptCount, count};
use super::{Store, StoreError, charge};
use crate::charges::decline::DeclineCode;
use crate::charges::state::{ChargeEvent, transition};

/// One press of the pay button that reached the provider, or was about to.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct Attempt {
    /// `att_…`.
    pub id: String,
    /// The charge it pays.
    pub charge_id: String,
    /// The idempotency key that the provider gets.
    pub provider_key: String,
    /// Where it stands.
    #[sqlx(try_from = "String")]
    pub state: AttemptState,
    /// Why it was declined.
    pub decline_code: Option<String>,
    /// When it began, in unix milliseconds.
    pub created_at: i64,
    /// Until when somebody looks after it, in unix milliseconds.
    pub owner_until: i64,
    /// What the shopper must do, as JSON, from when on it waited for that.
    pub shopper_action: Option<String>,
    /// Until when it may be done, in unix milliseconds.
    pub action_until: Option<i64>,
}

pub(super) const COLUMNS: &str = "SELECT id, charge_id, provider_key, state, decline_code, created_at, owner_until, \
                                  shopper_action, action_until FROM attempts";

/// The states in which an attempt keeps every other from beginning.
const UNDER_WAY: &str = "state IN ('in_flight', 'outcome_unknown', 'waiting_for_shopper_action')";

/// Where an attempt stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptState {
    /// The provider is being called, or its caller died.
    InFlight,
    /// The answer was lost; the reconciler asks for it.
    OutcomeUnknown,
    /// The shopper must do something first: a 3-D Secure challenge.
    WaitingForShopperAction,
    /// The provider took the card.
    Succeeded,
    /// The provider refused the card, or never heard of it.
    Declined,
}

impl AttemptState {
    const ALL: [Self; 5] = [
        Self::InFlight,
        Self::OutcomeUnknown,
        Self::WaitingForShopperAction,
        Self::Succeeded,
        Self::Declined,
    ];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::InFlight => "in_flight",
            Self::OutcomeUnknown => "outcome_unknown",
            Self::WaitingForShopperAction => "waiting_for_shopper_action",
            Self::Succeeded => "succeeded",
            Self::Declined => "declined",
        }
    }
}

impl TryFrom<String> for AttemptState {
    type Error = StoreError;

    fn try_from(name: String) -> Result<Self, StoreError> {
        Self::ALL
            .into_iter()
            .find(|state| state.as_str() == name)
            .ok_or(StoreError::Unusable("attempt state"))
    }
}

/// What is known when an attempt begins.
#[derive(Debug, Clone)]
pub struct NewAttempt {
    /// `att_…`.
    pub id: String,
    /// The charge to pay.
    pub charge_id: String,
    /// The page's idempotency key of this press.
    pub press_key: String,
    /// A fresh idempotency key for the provider.
    pub provider_key: String,
    /// Now, in unix milliseconds.
    pub now_ms: i64,
    /// Until when this request looks after it, in unix milliseconds.
    pub owner_until: i64,
    /// What it counts for; nothing for no limits.
    pub counts: Vec<AttemptCount>,
}

/// What became of the wish to begin an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Begun {
    /// It is durable; the caller, and nobody else, calls the provider now.
    Started(Attempt),
    /// The same press came before, or another one is under way: this attempt answers for it.
    Other(Attempt),
    /// The charge is in a state in which nobody may pay it; nothing was written.
    NotPayable(ChargeStatus),
    /// There are too many attempts already; nothing was written. Another may come at this time, in unix milliseconds.
    TooMany(i64),
    /// There is no such charge.
    NoCharge,
}

/// How an attempt ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttemptOutcome {
    /// The provider took the card; with the provider's reference.
    Succeeded(String),
    /// The provider refused it.
    Declined(DeclineCode),
}

/// What became of recording an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finished {
    /// It is recorded.
    Recorded,
    /// Somebody recorded one before; it stands.
    Before,
    /// An approval came for an attempt that had been given up, and the charge could be set right.
    ApprovedLate,
    /// An approval came for an attempt that had been given up, and the charge has gone another way since: a person
    /// must refund it.
    ApprovedTooLate,
}

impl Store {
    /// Begins an attempt: in one transaction the charge moves to `processing` and the attempt is written, unless the
    /// same press was seen before, another attempt is under way, or the charge's state forbids it.
    pub async fn begin_attempt(&self, new: &NewAttempt) -> Result<Begun, StoreError> {
        let mut tx = self.write().await?;
        let Some(status) = charge::status(&mut tx, &new.charge_id).await? else {
            return Ok(Begun::NoCharge);
        };
        if let Some(other) = same_press_or_under_way(&mut tx, new).await? {
            return Ok(Begun::Other(other));
        }
        let Ok(pressed) = transition(status, ChargeEvent::Pressed) else {
            return Ok(Begun::NotPayable(status));
        };
        charge::apply(&mut tx, &new.charge_id, pressed, None, new.now_ms).await?;
        sqlx::query(
            "INSERT INTO attempts (id, charge_id, press_key, provider_key, state, created_at, owner_until) \
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
        )
        .bind(&new.id)
        .bind(&new.charge_id)
        .bind(&new.press_key)
        .bind(&new.provider_key)
        .bind(AttemptState::InFlight.as_str())
        .bind(new.now_ms)
        .bind(new.owner_until)
        .execute(&mut *tx)
        .await?;
        if let Some(again_at) = count(&mut tx, &new.counts, &new.id, new.now_ms).await? {
            return Ok(Begun::TooMany(again_at));
        }
        tx.commit().await?;
        Ok(Begun::Started(Attempt {
            id: new.id.clone(),
            charge_id: new.charge_id.clone(),
            provider_key: new.provider_key.clone(),
            state: AttemptState::InFlight,
            decline_code: None,
            created_at: new.now_ms,
            owner_until: new.owner_until,
            shopper_action: None,
            action_until: None,
        }))
    }

    /// Records how an attempt ended, and moves its charge, in one transaction. The first outcome stands, except that
    /// an approval is never forgotten.
    pub async fn finish_attempt(
        &self,
        attempt_id: &str,
        outcome: &AttemptOutcome,
        now_ms: i64,
    ) -> Result<Finished, StoreError> {
        let mut tx = self.write().await?;
        let attempt = by_id(&mut tx, attempt_id).await?;
        let approved = matches!(outcome, AttemptOutcome::Succeeded(_));
        let (event, finished) = match attempt.state {
            AttemptState::InFlight | AttemptState::OutcomeUnknown | AttemptState::WaitingForShopperAction => {
                let event = if approved {
                    ChargeEvent::Approved
                } else {
                    ChargeEvent::Declined
                };
                (event, Finished::Recorded)
            }
            AttemptState::Declined if approved => (ChargeEvent::ApprovedLate, Finished::ApprovedLate),
            AttemptState::Declined | AttemptState::Succeeded => return Ok(Finished::Before),
        };
        let status = charge::status(&mut tx, &attempt.charge_id)
            .await?
            .ok_or(StoreError::Unusable("attempt without a charge"))?;
        let moved = match transition(status, event) {
            Err(_) if finished == Finished::ApprovedLate => return Ok(Finished::ApprovedTooLate),
            other => other?,
        };
        let (state, decline, reference) = match outcome {
            AttemptOutcome::Succeeded(reference) => (AttemptState::Succeeded, None, Some(reference)),
            AttemptOutcome::Declined(code) => (AttemptState::Declined, Some(code.as_str()), None),
        };
        charge::apply(&mut tx, &attempt.charge_id, moved, decline, now_ms).await?;
        let changed = sqlx::query(
            "UPDATE attempts SET state = $1, decline_code = $2, provider_reference = $3, finished_at = $4 \
             WHERE id = $5 AND state = $6",
        )
        .bind(state.as_str())
        .bind(decline)
        .bind(reference)
        .bind(now_ms)
        .bind(attempt_id)
        .bind(attempt.state.as_str())
        .execute(&mut *tx)
        .await?
        .rows_affected();
        if changed != 1 {
            return Err(StoreError::Conflict("attempt"));
        }
        tx.commit().await?;
        Ok(finished)
    }

    /// Records that an attempt's answer was lost, and when the reconciler shall look after it. An attempt that is
    /// finished or waits for the shopper, or was already unknown, keeps its state; the last gets the new time.
    pub async fn lose_outcome(&self, attempt_id: &str, look_at: i64, now_ms: i64) -> Result<(), StoreError> {
        let mut tx = self.write().await?;
        let attempt = by_id(&mut tx, attempt_id).await?;
        if !matches!(
            attempt.state,
            AttemptState::InFlight | AttemptState::OutcomeUnknown
        ) {
            return Ok(());
        }
        if attempt.state == AttemptState::InFlight {
            let status = charge::status(&mut tx, &attempt.charge_id)
                .await?
                .ok_or(StoreError::Unusable("attempt without a charge"))?;
            let lost = transition(status, ChargeEvent::OutcomeLost)?;
            charge::apply(&mut tx, &attempt.charge_id, lost, None, now_ms).await?;
        }
        sqlx::query("UPDATE attempts SET state = $1, owner_until = $2 WHERE id = $3 AND state = $4")
            .bind(AttemptState::OutcomeUnknown.as_str())
            .bind(look_at)
            .bind(attempt_id)
            .bind(attempt.state.as_str())
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        Ok(())
    }

    /// The attempt with this id.
    pub async fn attempt(&self, id: &str) -> Result<Option<Attempt>, StoreError> {
        let sql = sqlx::AssertSqlSafe(format!("{COLUMNS} WHERE id = $1"));
        Ok(sqlx::query_as(sql).bind(id).fetch_optional(&self.readers).await?)
    }

    /// Unfinished attempts that nobody looks after any more, the longest waiting first.
    pub async fn abandoned_attempts(&self, now_ms: i64, limit: i64) -> Result<Vec<Attempt>, StoreError> {
        let sql = sqlx::AssertSqlSafe(format!(
            "{COLUMNS} WHERE {UNDER_WAY} AND owner_until <= $1 \
             ORDER BY owner_until LIMIT $2"
        ));
        Ok(sqlx::query_as(sql)
            .bind(now_ms)
            .bind(limit)
            .fetch_all(&self.readers)
            .await?)
    }

    /// Takes over an unfinished attempt, or goes on looking after one: false when somebody else was faster or the
    /// attempt is finished.
    pub async fn own_attempt(&self, attempt: &Attempt, owner_until: i64) -> Result<bool, StoreError> {
        let changed = sqlx::query(sqlx::AssertSqlSafe(format!(
            "UPDATE attempts SET owner_until = $1 WHERE id = $2 AND owner_until = $3 AND {UNDER_WAY}"
        )))
        .bind(owner_until)
        .bind(&attempt.id)
        .bind(attempt.owner_until)
        .execute(&self.writer)
        .await?
        .rows_affected();
        Ok(changed == 1)
    }
}

pub(super) async fn by_id(tx: &mut Transaction<'_, Sqlite>, id: &str) -> Result<Attempt, StoreError> {
    let sql = sqlx::AssertSqlSafe(format!("{COLUMNS} WHERE id = $1"));
    Ok(sqlx::query_as(sql).bind(id).fetch_one(&mut **tx).await?)
}

/// The attempt that answers for a new press: the one of the same press, otherwise the one under way.
async fn same_press_or_under_way(
    tx: &mut Transaction<'_, Sqlite>,
    new: &NewAttempt,
) -> Result<Option<Attempt>, StoreError> {
    let same_press = sqlx::AssertSqlSafe(format!("{COLUMNS} WHERE charge_id = $1 AND press_key = $2"));
    let found: Option<Attempt> = sqlx::query_as(same_press)
        .bind(&new.charge_id)
        .bind(&new.press_key)
        .fetch_optional(&mut **tx)
        .await?;
    if found.is_some() {
        return Ok(found);
    }
    let under_way = sqlx::AssertSqlSafe(format!("{COLUMNS} WHERE charge_id = $1 AND {UNDER_WAY}"));
    Ok(sqlx::query_as(under_way)
        .bind(&new.charge_id)
        .fetch_optional(&mut **tx)
        .await?)
}

#[cfg(test)]
mod tests;
