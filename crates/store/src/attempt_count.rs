//! Counts attempts to pay in fixed windows, over all nodes, against card testing.

use model::AttemptLimit;
use sqlx::AnyConnection;

use super::{Store, StoreError};

/// How many values a counted subject has in the statement.
const PARAMETERS_PER_ROW: usize = 4;

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
    if counts.is_empty() {
        return Ok(None);
    }
    let windows: Vec<Window> = counts.iter().map(|count| Window::of(count, now_ms)).collect();
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
    // The other parts of a subject are not changed by this statement, so either database reads them as they are.
    let sql = sqlx::AssertSqlSafe(format!(
        "INSERT INTO attempt_counts (subject, window_start, part, attempts, window_end) VALUES {} \
         ON CONFLICT (subject, window_start, part) DO UPDATE SET attempts = attempt_counts.attempts + 1 \
         RETURNING subject, CAST(attempts + COALESCE((SELECT SUM(o.attempts) FROM attempt_counts o \
         WHERE o.subject = attempt_counts.subject AND o.window_start = attempt_counts.window_start \
         AND o.part <> attempt_counts.part), 0) AS BIGINT) AS attempts",
        rows.join(", ")
    ));
    let mut query = sqlx::query_as(sql);
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
    let is_passed = |window: &Window, limit: u32| {
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
struct Window {
    subject: String,
    /// Unix milliseconds.
    start: i64,
    end: i64,
}

impl Window {
    fn of(count: &AttemptCount, now_ms: i64) -> Self {
        let length = i64::from(count.limit.window_seconds) * 1_000;
        let start = now_ms - now_ms.rem_euclid(length);
        Self {
            // With the length in it, a changed setting counts from the beginning.
            subject: format!("{} {}", count.subject, count.limit.window_seconds),
            start,
            end: start + length,
        }
    }
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
