//! Counts attempts to pay in fixed time windows, over all nodes, as a defence against card testing.

use model::AttemptLimit;

use super::sql::{Query, query};
use super::write::Tx;
use super::{Store, StoreError};

/// How many values a counted subject has in the statement.
const PARAMETERS_PER_ROW: usize = 4;
/// A conflict adds one; the sum of the subject's other rows does not change, so both databases read their counts.
const UPSERT: &str = "ON CONFLICT (subject, window_start, part) DO UPDATE SET attempts = attempt_counts.attempts + 1 \
     RETURNING subject, CAST(attempts + COALESCE((SELECT SUM(o.attempts) FROM attempt_counts o \
     WHERE o.subject = attempt_counts.subject AND o.window_start = attempt_counts.window_start \
     AND o.part <> attempt_counts.part), 0) AS BIGINT) AS attempts";
const INSERT: &str = "INSERT INTO attempt_counts (subject, window_start, part, attempts, window_end)";
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
    let rows = CountRows::of(counts, attempt_id, now_ms);
    if matches!(connection, Tx::Grouped(_)) {
        return count_one_by_one(connection, &rows).await;
    }
    let statement = query(format!("{INSERT} VALUES {} {UPSERT}", rows.values(1)));
    let counted: Vec<(String, i64)> = rows.bind_to(statement).fetch_all(connection).await?;
    let passed = rows.0.iter().find(|row| {
        let most = i64::from(row.limit);
        counted
            .iter()
            .any(|(subject, attempts)| *subject == row.subject && *attempts > most)
    });
    Ok(passed.map(|row| row.end))
}

/// The same on SQLite, a statement for each subject. One for all of them, or one that returns rows, would first copy each
/// page that it changes, to be able to undo itself. SQLite has one writer, so nobody waits for a row, and one row counts
/// the subject.
async fn count_one_by_one(connection: &mut Tx, rows: &CountRows) -> Result<Option<i64>, StoreError> {
    for row in &rows.0 {
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

/// The rows that count an attempt.
pub(super) struct CountRows(Vec<CountRow>);

/// A subject in the fixed window that now falls in.
struct CountRow {
    subject: String,
    /// Unix milliseconds.
    start: i64,
    end: i64,
    part: i64,
    limit: u32,
}

impl CountRows {
    pub(super) fn of(counts: &[AttemptCount], attempt_id: &str, now_ms: i64) -> Self {
        Self(
            counts
                .iter()
                .map(|count| CountRow::of(count, attempt_id, now_ms))
                .collect(),
        )
    }

    /// The rows in SQL, with the places of their values from this number on.
    fn values(&self, first: usize) -> String {
        let rows: Vec<String> = (0..self.0.len())
            .map(|row| {
                let place = first + row * PARAMETERS_PER_ROW;
                format!("(${place}, ${}, ${}, 1, ${})", place + 1, place + 2, place + 3)
            })
            .collect();
        rows.join(", ")
    }

    /// For a statement of which an attempt in the table `began` is a part: the table that counts it, and what the
    /// statement selects, which is an error if a limit is exceeded. The places of the values begin with this number.
    pub(super) fn as_tables(&self, first: usize) -> (String, String) {
        if self.0.is_empty() {
            return (String::new(), "CAST(1 AS BIGINT)".to_owned());
        }
        let counted = format!(
            ", counted AS ({INSERT} SELECT v.* FROM (VALUES {}) v, began {UPSERT})",
            self.values(first)
        );
        let passed: Vec<String> = self
            .0
            .iter()
            .enumerate()
            .map(|(row, count)| {
                let subject = first + row * PARAMETERS_PER_ROW;
                format!("(subject = ${subject} AND attempts > {})", count.limit)
            })
            .collect();
        let selected = format!(
            "1 / (SELECT CAST(COUNT(*) = 0 AS INT) FROM counted WHERE {})::BIGINT",
            passed.join(" OR ")
        );
        (counted, selected)
    }

    pub(super) fn bind_to<'a>(&'a self, statement: Query<'a>) -> Query<'a> {
        self.0.iter().fold(statement, |statement, row| {
            statement
                .bind(&row.subject)
                .bind(row.start)
                .bind(row.part)
                .bind(row.end)
        })
    }
}

impl CountRow {
    fn of(count: &AttemptCount, attempt_id: &str, now_ms: i64) -> Self {
        let length = i64::from(count.limit.window_seconds) * 1_000;
        let start = now_ms - now_ms.rem_euclid(length);
        Self {
            // The key has the length, so that a changed setting starts a new count.
            subject: format!("{} {}", count.subject, count.limit.window_seconds),
            start,
            end: start + length,
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
