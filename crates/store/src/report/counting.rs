//! Counts the time that is over for the report, minute by minute, from now into the past and from now on.
//!
//! A count is right although charges and visits still change: whoever changes an old one adds a row to `report_notes` in
//! the same transaction, and a count removes only the rows that it saw before it began. The report counts minutes that
//! have such rows itself.

use std::collections::{BTreeMap, BTreeSet};

use super::super::report_change::{CountedKind, MINUTE_MS, span_begin};
use super::super::sql::{Query, query, read_from_row};
use super::super::write::{Tx, retried};
use super::super::{Store, StoreError};
use super::cases::MinuteCount;
use super::counted_rows::{WordsRead, bind_spans, counted_sql};
use super::counted_time::{COUNTED_AFTER_MS, CountedSpans, SPANS_MS};
use super::place::{begin_at, place_of};
use super::tallies::Tallies;
use super::{bind_ranges, ranges_table, version_before};

/// How many minutes are counted at once, beside those that have changed. In the past they are a span of this length.
const MINUTES_AT_ONCE: i64 = 30;
/// How many minutes that have changed are counted at once, the oldest first.
const CHANGED_AT_ONCE: i64 = 60;
/// How many notes of changes one count removes, and how many one statement.
const NOTES_AT_ONCE: i64 = 5_000;
const REMOVED_AT_ONCE: usize = 50;
/// How many rows one statement writes.
const ROWS_AT_ONCE: usize = 100;
/// The tables of counts and of cases, and the columns of their texts.
const SUMS: (&str, &str) = ("report_sums", "tallies");
const CASES: (&str, &str) = ("report_cases", "cases");
/// When a node of the release before has counted, it may still run for so long without counting again, in milliseconds.
/// What it changes meanwhile is not noted, so that all is counted anew then.
const VERSION_BEFORE_MAY_RUN_MS: i64 = 1_800_000;

/// How far the count has come, as it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CountProgress {
    from: i64,
    until: i64,
    version: i64,
    /// How often nodes of the release before had counted when this was written, and have now.
    seen_before: i64,
    counts_before: i64,
    again_at: i64,
}

read_from_row!(CountProgress {
    from,
    until,
    version,
    seen_before,
    counts_before,
    again_at,
});

impl CountProgress {
    /// Whether nothing is counted, or not all changes since then were noted.
    fn must_begin(&self, now_ms: i64) -> bool {
        let is_due = self.again_at > 0 && self.again_at <= now_ms;
        self.until == 0 || self.seen_before != self.counts_before || is_due
    }

    /// Nothing is counted.
    fn begun(&self, over: i64, now_ms: i64) -> Self {
        let again_at = if self.seen_before == self.counts_before {
            0
        } else {
            now_ms + VERSION_BEFORE_MAY_RUN_MS
        };
        Self {
            from: over,
            until: over,
            seen_before: self.counts_before,
            again_at,
            ..*self
        }
    }
}

/// Minutes that were counted.
#[derive(Debug, Default)]
struct CountedMinutes {
    /// All of them, also those without anything.
    counts: BTreeMap<i64, MinuteCount>,
    /// The notes of changes that are counted, each with its minute.
    notes: Vec<(i64, String)>,
}

impl Store {
    /// Counts some more minutes of charges and of visits. False if there is nothing left to count now.
    pub async fn count_for_report(&self, now_ms: i64) -> Result<bool, StoreError> {
        let charges = self.count_minutes(CountedKind::Charges, now_ms).await?;
        let visits = self.count_minutes(CountedKind::Visits, now_ms).await?;
        Ok(charges || visits)
    }

    async fn count_minutes(&self, kind: CountedKind, now_ms: i64) -> Result<bool, StoreError> {
        let Some(before) = self.progress(kind).await? else {
            return Ok(false);
        };
        let over = span_begin(now_ms - COUNTED_AFTER_MS, MINUTE_MS);
        if before.must_begin(now_ms) {
            let begun = before.begun(over, now_ms);
            self.write_counts(kind, before, begun, CountedMinutes::default())
                .await?;
            return Ok(true);
        }
        let mut after = before;
        let mut minutes: BTreeSet<i64> = self.changed_minutes(kind, before).await?.into_iter().collect();
        let at_once = MINUTES_AT_ONCE * MINUTE_MS;
        after.until = over.clamp(before.until, before.until + at_once);
        minutes.extend(minutes_of(before.until, after.until));
        let is_up_to_date = after.until >= over;
        if is_up_to_date && before.from > 0 {
            // The last one that has any; those in between have none.
            let last = self.last_before(kind, before.from).await?;
            after.from = last.map_or(0, |last| span_begin(last, at_once));
            if last.is_some() {
                minutes.extend(minutes_of(after.from, before.from.min(after.from + at_once)));
            }
        }
        if minutes.is_empty() && after == before {
            return Ok(false);
        }
        let counted = self.counted_now(kind, minutes).await?;
        self.write_counts(kind, before, after, counted).await?;
        Ok(!is_up_to_date || after.from > 0)
    }

    async fn progress(&self, kind: CountedKind) -> Result<Option<CountProgress>, StoreError> {
        Ok(query(
            "SELECT p.counted_from AS \"from\", p.counted_until AS until, p.version AS version, \
             p.seen_before AS seen_before, s.version AS counts_before, p.again_at AS again_at \
             FROM report_progress p JOIN report_spans s ON s.kind = p.kind WHERE p.kind = $1",
        )
        .bind(kind.as_str())
        .fetch_optional(&self.readers)
        .await?)
    }

    /// The first minutes that must be counted again.
    async fn changed_minutes(&self, kind: CountedKind, time: CountProgress) -> Result<Vec<i64>, StoreError> {
        Ok(query(
            "SELECT DISTINCT at FROM report_notes WHERE kind = $1 AND at >= $2 AND at < $3 ORDER BY at LIMIT $4",
        )
        .bind(kind.as_str())
        .bind(time.from)
        .bind(time.until)
        .bind(CHANGED_AT_ONCE)
        .fetch_all(&self.readers)
        .await?)
    }

    async fn last_before(&self, kind: CountedKind, before: i64) -> Result<Option<i64>, StoreError> {
        let sql = match kind {
            CountedKind::Charges => {
                "SELECT MAX(at) FROM (SELECT MAX(created_at) AS at FROM charges WHERE created_at < $1 \
                 UNION ALL SELECT MAX(at) AS at FROM removed_charges WHERE topic = 'status' AND at < $1) AS last"
            }
            CountedKind::Visits => "SELECT MAX(first_at) FROM visits WHERE first_at < $1",
        };
        Ok(query(sql).bind(before).fetch_one(&self.readers).await?)
    }

    async fn counted_now(
        &self,
        kind: CountedKind,
        minutes: BTreeSet<i64>,
    ) -> Result<CountedMinutes, StoreError> {
        let ranges: Vec<(i64, i64)> = minutes.iter().map(|at| (*at, at + MINUTE_MS)).collect();
        // Before the count: a change that is noted later stays noted.
        let notes = self.notes_of(kind, &ranges).await?;
        let mut counts = match kind {
            CountedKind::Charges => self.uncounted_charges(&ranges).await?,
            CountedKind::Visits => self.uncounted_visits(&ranges, None, None).await?,
        };
        for minute in minutes {
            counts.entry(minute).or_default();
        }
        Ok(CountedMinutes { counts, notes })
    }

    async fn notes_of(
        &self,
        kind: CountedKind,
        ranges: &[(i64, i64)],
    ) -> Result<Vec<(i64, String)>, StoreError> {
        let sql = format!(
            "WITH {} SELECT n.at, n.id FROM ranges r CROSS JOIN report_notes n WHERE n.kind = '{}' AND n.at >= r.begins \
             AND n.at < r.ends LIMIT ${}",
            ranges_table(ranges, 1),
            kind.as_str(),
            1 + 2 * ranges.len()
        );
        let statement = bind_ranges(query(sql), ranges).bind(NOTES_AT_ONCE);
        Ok(statement.fetch_all(&self.readers).await?)
    }

    /// Writes the counts of minutes, and sums up the longer spans around them, unless another node was faster.
    async fn write_counts(
        &self,
        kind: CountedKind,
        before: CountProgress,
        after: CountProgress,
        counted: CountedMinutes,
    ) -> Result<(), StoreError> {
        // Around the begin of what was counted before there may be a gap without rows, which is counted now.
        let begins: Vec<i64> = counted.counts.keys().copied().chain([before.from]).collect();
        let texts = counted.counts.into_iter().map(|(at, count)| {
            let (place, (sum, cases)) = (place_of(kind, MINUTE_MS, at), count.texts(at));
            ((place, sum), (place, cases))
        });
        let (sums, cases): (BTreeMap<i64, String>, BTreeMap<i64, String>) = texts.unzip();
        retried(|| async {
            let mut tx = self.write().await?;
            let moved = query(
                "UPDATE report_progress SET counted_from = $1, counted_until = $2, version = version + 1, \
                 seen_before = $3, again_at = $4 WHERE kind = $5 AND version = $6",
            )
            .bind(after.from)
            .bind(after.until)
            .bind(after.seen_before)
            .bind(after.again_at)
            .bind(kind.as_str())
            .bind(before.version)
            .execute(&mut tx)
            .await?;
            if moved == 0 {
                return Ok(());
            }
            replace(&mut tx, SUMS, &sums).await?;
            replace(&mut tx, CASES, &cases).await?;
            for pair in SPANS_MS.windows(2).rev() {
                let [longer, shorter] = *pair else { continue };
                let around: BTreeSet<i64> = begins
                    .iter()
                    .map(|at| span_begin(*at, longer))
                    .filter(|begin| after.from <= *begin && begin + longer <= after.until)
                    .collect();
                sum_up(&mut tx, kind, &around, longer, shorter).await?;
            }
            remove_notes(&mut tx, kind, &counted.notes).await?;
            version_before::tell(&mut tx, kind, counted.notes.iter().map(|(at, _)| *at)).await?;
            tx.commit().await
        })
        .await
    }

    /// Forgets the counts of visits before `before`, which are about to be deleted.
    pub(in super::super) async fn forget_counted_visits(&self, before: i64) -> Result<(), StoreError> {
        let kind = CountedKind::Visits.as_str();
        let from = span_begin(before + MINUTE_MS - 1, MINUTE_MS);
        retried(|| async {
            let mut tx = self.write().await?;
            query(
                "UPDATE report_progress SET counted_from = CASE WHEN counted_until < $1 THEN counted_until ELSE $1 END, \
                 version = version + 1 WHERE kind = $2 AND counted_from < $1 AND counted_until > 0",
            )
            .bind(from)
            .bind(kind)
            .execute(&mut tx)
            .await?;
            for span in SPANS_MS {
                delete_visits(&mut tx, "report_sums", span, before).await?;
            }
            delete_visits(&mut tx, "report_cases", MINUTE_MS, before).await?;
            query("DELETE FROM report_notes WHERE kind = $1 AND at < $2")
                .bind(kind)
                .bind(before - MINUTE_MS)
                .execute(&mut tx)
                .await?;
            version_before::forget_visits(&mut tx, before).await?;
            tx.commit().await
        })
        .await
    }
}

/// The begins of minutes from `from` until `until`.
fn minutes_of(from: i64, until: i64) -> impl Iterator<Item = i64> {
    (0..(until - from) / MINUTE_MS).map(move |minute| from + minute * MINUTE_MS)
}

/// Deletes what is counted of visits in spans of this length that begin before `before`.
async fn delete_visits(tx: &mut Tx, table: &str, span: i64, before: i64) -> Result<(), StoreError> {
    let place = |begin| place_of(CountedKind::Visits, span, begin);
    query(format!("DELETE FROM {table} WHERE place >= $1 AND place < $2"))
        .bind(place(0))
        .bind(place(before + MINUTE_MS - 1))
        .execute(tx)
        .await?;
    Ok(())
}

/// Writes these texts anew, by their places. One that is empty has no row.
async fn replace(
    tx: &mut Tx,
    (table, column): (&str, &str),
    texts: &BTreeMap<i64, String>,
) -> Result<(), StoreError> {
    let all: Vec<i64> = texts.keys().copied().collect();
    for some in all.chunks(ROWS_AT_ONCE) {
        let sql = format!("DELETE FROM {table} WHERE place IN ({})", numbers(some.len()));
        let statement = some.iter().copied().fold(query(sql), Query::bind);
        statement.execute(&mut *tx).await?;
    }
    let rows: Vec<_> = texts.iter().filter(|(_, text)| !text.is_empty()).collect();
    for some in rows.chunks(ROWS_AT_ONCE) {
        let values: Vec<String> = (0..some.len())
            .map(|row| format!("(${}, ${})", 1 + 2 * row, 2 + 2 * row))
            .collect();
        let sql = format!(
            "INSERT INTO {table} (place, {column}) VALUES {}",
            values.join(", ")
        );
        let statement = some.iter().fold(query(sql), |statement, (place, text)| {
            statement.bind(**place).bind(text.as_str())
        });
        statement.execute(&mut *tx).await?;
    }
    Ok(())
}

/// Sums up these spans from the shorter ones that they consist of.
async fn sum_up(
    tx: &mut Tx,
    kind: CountedKind,
    begins: &BTreeSet<i64>,
    longer: i64,
    shorter: i64,
) -> Result<(), StoreError> {
    let spans: Vec<CountedSpans> = begins
        .iter()
        .map(|begin| CountedSpans {
            from: *begin,
            until: begin + longer,
            span: shorter,
            is_taken: false,
        })
        .collect();
    let mut sums: BTreeMap<i64, Tallies> = begins.iter().map(|begin| (*begin, Tallies::default())).collect();
    for some in spans.chunks(ROWS_AT_ONCE) {
        let statement = bind_spans(kind, query(counted_sql(WordsRead::All, some.len())), some);
        let parts: Vec<(i64, String, Option<String>)> = statement.fetch_all(&mut *tx).await?;
        for (place, tallies, _) in parts {
            sums.entry(span_begin(begin_at(place), longer))
                .or_default()
                .add_text(&tallies)?;
        }
    }
    let texts = sums
        .iter()
        .map(|(begin, sum)| (place_of(kind, longer, *begin), sum.text()));
    replace(tx, SUMS, &texts.collect()).await
}

async fn remove_notes(tx: &mut Tx, kind: CountedKind, notes: &[(i64, String)]) -> Result<(), StoreError> {
    for some in notes.chunks(REMOVED_AT_ONCE) {
        let same: Vec<String> = (0..some.len())
            .map(|row| format!("(at = ${} AND id = ${})", 2 + 2 * row, 3 + 2 * row))
            .collect();
        let sql = format!(
            "DELETE FROM report_notes WHERE kind = $1 AND ({})",
            same.join(" OR ")
        );
        let statement = query(sql).bind(kind.as_str());
        some.iter()
            .fold(statement, |statement, (at, id)| statement.bind(*at).bind(id))
            .execute(&mut *tx)
            .await?;
    }
    Ok(())
}

/// `$1, $2`: the numbers of so many values.
fn numbers(count: usize) -> String {
    let numbers: Vec<String> = (1..=count).map(|number| format!("${number}")).collect();
    numbers.join(", ")
}
