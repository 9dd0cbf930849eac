//! How much work waits, for the operator.

use super::attempt::UNDER_WAY;
use super::sql::query;
use super::{Store, StoreError};

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
}
