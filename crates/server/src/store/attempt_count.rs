//! Counts attempts to pay in fixed windows, over all nodes, against card testing.

use sqlx::AnyConnection;

use super::{Store, StoreError};
use crate::config::AttemptLimit;

/// Whose attempts are counted, and how many are let through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptCount {
    /// A dimension and who of it: `charge ch_…`.
    pub subject: String,
    /// The limit.
    pub limit: AttemptLimit,
    /// In how many rows the subject is counted. More than one lets attempts at once pass each other; the limit may
    /// then be overshot by as many as are at it in the same moment.
    pub parts: u8,
}

/// Counts an attempt for each subject, in the attempt's own transaction and last in it, since busy rows are locked
/// until it ends. The answer is when the first limit that is passed begins anew, in unix milliseconds; the caller then
/// takes everything back, so that a refused attempt does not count.
pub(super) async fn count(
    connection: &mut AnyConnection,
    counts: &[AttemptCount],
    attempt_id: &str,
    now_ms: i64,
) -> Result<Option<i64>, StoreError> {
    for AttemptCount {
        subject,
        limit,
        parts,
    } in counts
    {
        let window_ms = i64::from(limit.window_seconds) * 1_000;
        let start = now_ms - now_ms.rem_euclid(window_ms);
        // With the length in it, a changed setting counts from the beginning.
        let subject = format!("{subject} {}", limit.window_seconds);
        // Ids end in random digits.
        let part = attempt_id.bytes().last().unwrap_or_default() % parts.max(&1);
        sqlx::query(
            "INSERT INTO attempt_counts (subject, window_start, part, attempts, window_end) VALUES ($1, $2, $3, 1, $4) \
             ON CONFLICT (subject, window_start, part) DO UPDATE SET attempts = attempt_counts.attempts + 1",
        )
        .bind(&subject)
        .bind(start)
        .bind(i64::from(part))
        .bind(start + window_ms)
        .execute(&mut *connection)
        .await?;
        let attempts: i64 = sqlx::query_scalar(
            "SELECT CAST(SUM(attempts) AS BIGINT) FROM attempt_counts WHERE subject = $1 AND window_start = $2",
        )
        .bind(&subject)
        .bind(start)
        .fetch_one(&mut *connection)
        .await?;
        if attempts > i64::from(limit.attempts) {
            return Ok(Some(start + window_ms));
        }
    }
    Ok(None)
}

impl Store {
    /// Forgets counts whose window ended before `ended_before`, in unix milliseconds; how many rows.
    pub async fn forget_attempt_counts(&self, ended_before: i64) -> Result<u64, StoreError> {
        Ok(sqlx::query("DELETE FROM attempt_counts WHERE window_end < $1")
            .bind(ended_before)
            .execute(&self.writer)
            .await?
            .rows_affected())
    }
}
