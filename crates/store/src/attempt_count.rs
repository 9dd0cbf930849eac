//! Counts attempts to pay in fixed time windows, over all nodes, as a defence against card testing.

use protocol::AttemptLimit;

use super::sql::{Query, query};
use super::write::Tx;
use super::{Store, StoreError};

/// Counts an attempt unless the subject's limit is reached; then it changes no row. The first condition adds up the subject's
/// rows. The second one sees what other transactions have added to this row since.
const COUNT: &str = "INSERT INTO attempt_counts (subject, window_start, part, attempts, window_end) \
     SELECT $1, $2, $3, 1, $4 WHERE (SELECT COALESCE(SUM(attempts), 0) FROM attempt_counts \
     WHERE subject = $1 AND window_start = $2) < $5 \
     ON CONFLICT (subject, window_start, part) DO UPDATE SET attempts = attempt_counts.attempts + 1 \
     WHERE attempt_counts.attempts < $5";

/// A subject whose attempts are counted, and its limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptCount {
    /// A dimension and its value: `charge ch_…`.
    pub subject: String,
    /// The limit.
    pub limit: AttemptLimit,
    /// How many rows count the subject on PostgreSQL. With several rows, simultaneous attempts do not wait for each other; the
    /// limit can then be exceeded by the number of simultaneous attempts. SQLite has one writer, and counts in one row.
    pub parts: u8,
}

/// A subject in the fixed window that now falls in.
#[derive(Debug)]
pub(super) struct CountRow {
    subject: String,
    /// Unix milliseconds.
    start: i64,
    /// When the next window begins, in unix milliseconds.
    pub(super) end: i64,
    part: i64,
    limit: u32,
}

impl CountRow {
    /// The rows that count an attempt, in the order in which every transaction locks them, so that no two wait for each
    /// other.
    pub(super) fn all_of(tx: &Tx, counts: &[AttemptCount], attempt_id: &str, now_ms: i64) -> Vec<Self> {
        let row = |count: &AttemptCount| {
            let parts = if tx.is_only_writer() {
                1
            } else {
                count.parts.max(1)
            };
            Self::of(count, part(attempt_id, parts), now_ms)
        };
        let mut rows: Vec<Self> = counts.iter().map(row).collect();
        rows.sort_by(|one, other| one.subject.cmp(&other.subject));
        rows
    }

    /// Counts the attempt, as the last statement of its transaction, because busy rows are locked until that ends. It changes
    /// no row if the limit is reached.
    pub(super) fn add(&self) -> Query<'_> {
        query(COUNT)
            .bind(&self.subject)
            .bind(self.start)
            .bind(self.part)
            .bind(self.end)
            .bind(i64::from(self.limit))
    }

    fn of(count: &AttemptCount, part: u8, now_ms: i64) -> Self {
        let (start, end) = count.limit.window(now_ms);
        Self {
            // The key has the length, so that a changed setting starts a new count.
            subject: format!("{} {}", count.subject, count.limit.window_seconds),
            start,
            end,
            part: i64::from(part),
            limit: count.limit.attempts,
        }
    }
}

/// One of so many parts, each equally likely, because ids end in random digits.
fn part(attempt_id: &str, parts: u8) -> u8 {
    // FNV-1a.
    let hash = attempt_id.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    u8::try_from((hash >> 8) % u32::from(parts)).unwrap_or_default()
}

/// How many counts one transaction deletes. SQLite takes no other write meanwhile.
const DELETED_AT_ONCE: i64 = 500;

impl Store {
    /// Deletes counts whose window ended before `ended_before`, in unix milliseconds. Returns how many rows.
    pub async fn delete_attempt_counts(&self, ended_before: i64) -> Result<u64, StoreError> {
        let mut deleted = 0;
        loop {
            let some = query(
                "DELETE FROM attempt_counts WHERE (subject, window_start, part) IN \
                 (SELECT subject, window_start, part FROM attempt_counts WHERE window_end < $1 \
                 ORDER BY window_end LIMIT $2)",
            )
            .bind(ended_before)
            .bind(DELETED_AT_ONCE)
            .write(&self.writer)
            .await?;
            deleted += some;
            if some == 0 {
                return Ok(deleted);
            }
        }
    }
}

#[cfg(test)]
mod tests;
