//! Payments are closed from the restore of an earlier database until the provider's payments were brought back. Otherwise
//! a shopper could pay a charge again that is only known as paid at the provider.

use serde::Deserialize;
use serde_json::{Value, json};

use super::audit_log::{Actor, AuditAction, note};
use super::sql::query;
use super::write::retried;
use super::{Store, StoreError};

/// The id of the one row.
const ROW: &str = "payments";
/// The subject of lines of the audit log.
const SUBJECT: &str = "payments";

/// The closure of payments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct PaymentClosure {
    /// The provider's payments since this time must be brought back, in unix milliseconds.
    pub since: i64,
    /// When they were closed, in unix milliseconds.
    pub closed_at: i64,
}

impl Store {
    /// Whether payments are closed, and since when. The readiness check asks each time and must not wait for others, so
    /// this uses its own connection on PostgreSQL, and on SQLite the one that writes.
    pub async fn payment_closure(&self) -> Result<Option<PaymentClosure>, StoreError> {
        let asked = query("SELECT since, closed_at FROM payment_closures");
        Ok(match &self.health {
            Some(health) => asked.fetch_optional(health).await?,
            None => asked.fetch_optional(&mut self.write().await?).await?,
        })
    }

    /// Closes payments. If they are closed already, the earlier time counts.
    pub async fn close_payments(&self, since: i64, by: &Actor) -> Result<(), StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            query(
                "INSERT INTO payment_closures (id, since, closed_at) VALUES ($1, $2, $3) \
                 ON CONFLICT (id) DO UPDATE SET \
                 since = CASE WHEN excluded.since < payment_closures.since THEN excluded.since \
                 ELSE payment_closures.since END",
            )
            .bind(ROW)
            .bind(since)
            .bind(by.at)
            .execute(&mut tx)
            .await?;
            let detail = json!({ "since": since });
            note(&mut tx, by, AuditAction::PaymentsClosed, SUBJECT, &detail).await?;
            tx.commit().await
        })
        .await
    }

    /// Opens payments, and notes what was brought back. False if they were open.
    pub async fn open_payments(&self, detail: &Value, by: &Actor) -> Result<bool, StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            let opened = query("DELETE FROM payment_closures WHERE id = $1")
                .bind(ROW)
                .execute(&mut tx)
                .await?
                == 1;
            note(&mut tx, by, AuditAction::PaymentsReconciled, SUBJECT, detail).await?;
            tx.commit().await?;
            Ok(opened)
        })
        .await
    }

    /// When the newest attempt of this database began, and when the oldest unfinished one did, in unix milliseconds. What
    /// is missing after a restore was made after the newest one.
    pub async fn attempt_times(&self) -> Result<(Option<i64>, Option<i64>), StoreError> {
        // Ids begin with their time, so the greatest one is the newest. The condition holds for every id, and lets SQLite
        // search for it.
        let newest: Option<i64> =
            query("SELECT created_at FROM attempts WHERE id < 'b' ORDER BY id DESC LIMIT 1")
                .fetch_optional(&self.readers)
                .await?;
        let oldest: Option<i64> = query(format!(
            "SELECT MIN(created_at) FROM attempts WHERE {}",
            super::attempt::UNDER_WAY
        ))
        .fetch_one(&self.readers)
        .await?;
        Ok((newest, oldest))
    }
}

#[cfg(test)]
mod tests;
