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

impl Store {
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
