//! How much work waits, and since when, for the operator.

use serde::Deserialize;

use super::attempt::UNDER_WAY;
use super::sql::query;
use super::{AttemptState, Store, StoreError};

/// The unfinished attempts of one state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct OpenAttempts {
    /// Their state.
    pub state: AttemptState,
    /// How many there are.
    pub attempts: i64,
    /// When the oldest began, in unix milliseconds.
    pub oldest: i64,
}

/// From when on work is overdue, in milliseconds after its time.
const OVERDUE_MS: i64 = 600_000;
/// Overdue work is tried at least once in this time, in milliseconds.
const TRIED_MS: i64 = 3_600_000;

impl Store {
    /// How many operations have no result and how many holds should have ended, both for ten minutes.
    pub async fn overdue_work(&self, now_ms: i64) -> Result<(i64, i64), StoreError> {
        let sql = "SELECT (SELECT COUNT(*) FROM operations WHERE owner_until <= $1 AND created_at <= $2 \
             AND state IN ('processing', 'outcome_unknown')), \
             (SELECT COUNT(*) FROM holds h CROSS JOIN charges c WHERE h.look_at <= $1 AND c.id = h.charge_id \
             AND COALESCE(c.capture_at, c.capture_before) <= $2)";
        let times = query(sql).bind(now_ms + TRIED_MS).bind(now_ms - OVERDUE_MS);
        Ok(times.fetch_one(&self.readers).await?)
    }

    /// Events that merchants have not accepted yet.
    pub async fn webhooks_waiting(&self) -> Result<i64, StoreError> {
        let sql = "SELECT COUNT(*) FROM webhook_events WHERE state IN ('due', 'queued')";
        Ok(query(sql).fetch_one(&self.readers).await?)
    }

    /// Attempts to pay whose outcome is not known yet.
    pub async fn attempts_open(&self) -> Result<i64, StoreError> {
        let sql = format!("SELECT COUNT(*) FROM attempts WHERE {UNDER_WAY}");
        Ok(query(sql).fetch_one(&self.readers).await?)
    }

    /// Attempts whose outcome is not known yet, by state. A state without attempts has no row.
    pub async fn open_attempts(&self) -> Result<Vec<OpenAttempts>, StoreError> {
        let sql = format!(
            "SELECT state, COUNT(*) AS attempts, MIN(created_at) AS oldest FROM attempts WHERE {UNDER_WAY} GROUP BY state"
        );
        Ok(query(sql).fetch_all(&self.readers).await?)
    }
}
