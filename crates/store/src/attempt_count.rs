//! Counts attempts to pay in fixed time windows, over all nodes, as a defence against card testing.

use std::sync::LazyLock;

use model::AttemptLimit;

use super::sql::query;
use super::write::Tx;
use super::{Store, StoreError};

/// How many values a counted subject has in the statement.
const PARAMETERS_PER_ROW: usize = 4;
const INSERT: &str = "INSERT INTO attempt_counts (subject, window_start, part, attempts, window_end)";
/// In a conflict the attempts are added. The sum of the subject's other rows does not change, so both databases read
/// their counts.
const UPSERT: &str = "ON CONFLICT (subject, window_start, part) \
     DO UPDATE SET attempts = attempt_counts.attempts + EXCLUDED.attempts \
     RETURNING subject, window_start, CAST(attempts + COALESCE((SELECT SUM(o.attempts) FROM attempt_counts o \
     WHERE o.subject = attempt_counts.subject AND o.window_start = attempt_counts.window_start \
     AND o.part <> attempt_counts.part), 0) AS BIGINT) AS attempts";
/// Counts an attempt unless the limit is reached; then it changes no row.
const COUNT_ONE: &str = "INSERT INTO attempt_counts (subject, window_start, part, attempts, window_end) \
     VALUES ($1, $2, 0, 1, $3) ON CONFLICT (subject, window_start, part) \
     DO UPDATE SET attempts = attempt_counts.attempts + 1 WHERE attempt_counts.attempts < $4";

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
    let rows = CountRow::all_of(counts, attempt_id, now_ms);
    if matches!(connection, Tx::Grouped(_)) {
        return count_one_by_one(connection, &rows).await;
    }
    let statement = query(format!("{INSERT} VALUES {} {UPSERT}", values(rows.len())));
    let statement = rows.iter().fold(statement, |statement, row| {
        statement
            .bind(&row.subject)
            .bind(row.start)
            .bind(row.part)
            .bind(row.end)
    });
    let counted: Vec<(String, i64, i64)> = statement.fetch_all(connection).await?;
    let passed = rows.iter().find(|row| {
        let most = i64::from(row.limit);
        counted
            .iter()
            .any(|(subject, _, attempts)| *subject == row.subject && *attempts > most)
    });
    Ok(passed.map(|row| row.end))
}

/// The same on SQLite, a statement for each subject. One for all of them, or one that returns rows, would first copy each
/// page that it changes, to be able to undo itself. SQLite has one writer, so nobody waits for a row, and one row counts
/// the subject.
async fn count_one_by_one(connection: &mut Tx, rows: &[CountRow]) -> Result<Option<i64>, StoreError> {
    for row in rows {
        let counted = query(COUNT_ONE)
            .bind(&row.subject)
            .bind(row.start)
            .bind(row.end)
            .bind(i64::from(row.limit))
            .execute(&mut *connection)
            .await?;
        // The first attempt is counted by a new row, whatever the limit is.
        if counted == 0 || row.limit == 0 {
            return Ok(Some(row.end));
        }
    }
    Ok(None)
}

/// For a statement with a table `held` of attempts and a table `counts` of what they count towards: the table that counts
/// them. It locks the rows in the order of their places.
pub(super) static COUNTED: LazyLock<String> = LazyLock::new(|| {
    format!(
        "counted AS ({INSERT} SELECT subject, window_start, part, COUNT(*), MAX(window_end) \
         FROM counts WHERE attempt IN (SELECT attempt FROM held) \
         GROUP BY subject, window_start, part ORDER BY MIN(place) {UPSERT})"
    )
});
/// For the same statement: 1 if no limit is exceeded, otherwise 0.
pub(super) const NONE_PASSED: &str = "(SELECT CAST(COUNT(*) = 0 AS INT) FROM counted JOIN counts \
     USING (subject, window_start) WHERE attempts > most)";

/// A subject in the fixed window that now falls in.
#[derive(Debug)]
pub(super) struct CountRow {
    pub(super) subject: String,
    /// Unix milliseconds.
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) part: i64,
    pub(super) limit: u32,
}

/// So many rows in SQL, with the places of their values.
fn values(rows: usize) -> String {
    let rows: Vec<String> = (0..rows)
        .map(|row| {
            let place = 1 + row * PARAMETERS_PER_ROW;
            format!("(${place}, ${}, ${}, 1, ${})", place + 1, place + 2, place + 3)
        })
        .collect();
    rows.join(", ")
}

impl CountRow {
    /// The rows that count an attempt, in the order in which every transaction locks them, so that no two wait for each
    /// other.
    pub(super) fn all_of(counts: &[AttemptCount], attempt_id: &str, now_ms: i64) -> Vec<Self> {
        let mut rows: Vec<Self> = counts
            .iter()
            .map(|count| Self::of(count, attempt_id, now_ms))
            .collect();
        rows.sort_by(|one, other| one.key().cmp(&other.key()));
        rows
    }

    /// What names the row.
    pub(super) fn key(&self) -> (&str, i64, i64) {
        (&self.subject, self.start, self.part)
    }

    fn of(count: &AttemptCount, attempt_id: &str, now_ms: i64) -> Self {
        let (start, end) = count.limit.window(now_ms);
        Self {
            // The key has the length, so that a changed setting starts a new count.
            subject: format!("{} {}", count.subject, count.limit.window_seconds),
            start,
            end,
            part: i64::from(part(attempt_id, count.parts.max(1))),
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

/// How many counts one transaction deletes: meanwhile nobody else writes to SQLite.
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
mod tests {
    use super::*;

    #[test]
    fn attempts_are_spread_evenly_over_the_rows_of_a_subject() {
        const PARTS: u8 = 64;
        const ATTEMPTS: u32 = 6_400;
        let mut in_part = [0_u32; PARTS as usize];
        for number in 0..ATTEMPTS {
            let id = model::ids::new_id_at(model::ids::IdKind::Attempt, i64::from(number));
            in_part[usize::from(part(&id, PARTS))] += 1;
        }
        let (least, most) = (in_part.iter().min().unwrap(), in_part.iter().max().unwrap());
        assert!(*least > 40 && *most < 180, "{in_part:?}");
    }
}
