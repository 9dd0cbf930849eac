//! Counts attempts to pay in fixed time windows, over all nodes, as a defence against card testing.

use model::AttemptLimit;

use super::sql::query;
use super::write::Tx;
use super::{Store, StoreError};

/// How many values a counted subject has in the statement.
const PARAMETERS_PER_ROW: usize = 4;

/// A subject whose attempts are counted, and its limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptCount {
    /// A dimension and its value: `charge ch_…`.
    pub subject: String,
    /// The limit.
    pub limit: AttemptLimit,
    /// How many rows count the subject. With several rows, simultaneous attempts do not wait for each other; the limit
    /// can then be exceeded by the number of simultaneous attempts.
    pub parts: u8,
}

/// Counts an attempt for each subject, as the last step of the attempt's transaction, because busy rows are locked
/// until it ends. If a limit is exceeded, returns when its next window begins, in unix milliseconds; the caller then
/// rolls back, so that a refused attempt does not count.
pub(super) async fn count(
    connection: &mut Tx,
    counts: &[AttemptCount],
    attempt_id: &str,
    now_ms: i64,
) -> Result<Option<i64>, StoreError> {
    if counts.is_empty() {
        return Ok(None);
    }
    let windows: Vec<CountWindow> = counts
        .iter()
        .map(|count| CountWindow::of(count, now_ms))
        .collect();
    let rows: Vec<String> = (0..windows.len())
        .map(|row| {
            let first = row * PARAMETERS_PER_ROW;
            format!(
                "(${}, ${}, ${}, 1, ${})",
                first + 1,
                first + 2,
                first + 3,
                first + 4
            )
        })
        .collect();
    // This statement does not change the subject's other rows, so both databases read their current counts.
    let sql = format!(
        "INSERT INTO attempt_counts (subject, window_start, part, attempts, window_end) VALUES {} \
         ON CONFLICT (subject, window_start, part) DO UPDATE SET attempts = attempt_counts.attempts + 1 \
         RETURNING subject, CAST(attempts + COALESCE((SELECT SUM(o.attempts) FROM attempt_counts o \
         WHERE o.subject = attempt_counts.subject AND o.window_start = attempt_counts.window_start \
         AND o.part <> attempt_counts.part), 0) AS BIGINT) AS attempts",
        rows.join(", ")
    );
    let mut query = query(sql);
    // Ids end in random digits.
    let digit = attempt_id.bytes().last().unwrap_or_default();
    for (window, count) in windows.iter().zip(counts) {
        query = query
            .bind(&window.subject)
            .bind(window.start)
            .bind(i64::from(digit % count.parts.max(1)))
            .bind(window.end);
    }
    let counted: Vec<(String, i64)> = query.fetch_all(connection).await?;
    let is_passed = |window: &CountWindow, limit: u32| {
        counted
            .iter()
            .any(|(subject, attempts)| *subject == window.subject && *attempts > i64::from(limit))
    };
    Ok(windows
        .iter()
        .zip(counts)
        .find(|(window, count)| is_passed(window, count.limit.attempts))
        .map(|(window, _)| window.end))
}

/// The fixed window that `now` falls in.
struct CountWindow {
    subject: String,
    /// Unix milliseconds.
    start: i64,
    end: i64,
}

impl CountWindow {
    fn of(count: &AttemptCount, now_ms: i64) -> Self {
        let length = i64::from(count.limit.window_seconds) * 1_000;
        let start = now_ms - now_ms.rem_euclid(length);
        Self {
            // The key has the length, so that a changed setting starts a new count.
            subject: format!("{} {}", count.subject, count.limit.window_seconds),
            start,
            end: start + length,
        }
    }
}

impl Store {
    /// Deletes counts whose window ended before `ended_before`, in unix milliseconds. Returns how many rows.
    pub async fn delete_attempt_counts(&self, ended_before: i64) -> Result<u64, StoreError> {
        query("DELETE FROM attempt_counts WHERE window_end < $1")
            .bind(ended_before)
            .write(&self.writer)
            .await
    }
}
