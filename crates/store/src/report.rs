//! The counts of an operator's report: what is over was counted before, the rest is counted from its rows now.

mod counted_time;
mod counting;
mod tallies;
mod variations;
mod version_before;
mod visit_counts;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use wire::ChargeStatus;

use self::counted_time::{CountedSpans, Cover};
use self::tallies::{Counts, Tallies, paid_counts, paid_of};
use super::charge::StatusColumn;
use super::report_change::CountedKind;
use super::sql::{Query, query, read_from_row};
use super::{Store, StoreError};

pub use counted_time::CountedTimes;
pub use variations::VariationVisits;
pub use visit_counts::{VisitCounts, VisitTopic};

/// The topics of charges: by status, those that were declined by reason, and what was paid by currency.
const STATUS: char = 's';
const DECLINE: char = 'r';
const PAID: char = 'p';
/// How many stretches of counted time one statement reads; SQLite takes 500 at most.
const STRETCHES_AT_ONCE: usize = 50;
/// So many charges or visits are read and counted here; the database would sort them, which takes SQLite three times as
/// long.
const READ_MAX: i64 = 5_000;

/// The time range of a report, and its locale if it is limited to one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportRange<'a> {
    /// Where it begins, in unix milliseconds.
    pub from: i64,
    /// Where it ends; not a part of it.
    pub to: i64,
    /// Only visits in this locale.
    pub locale: Option<&'a str>,
}

/// What charges of one currency come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaidAmount {
    /// ISO 4217.
    pub currency: String,
    /// The sum in the currency's major unit, as a decimal number.
    pub amount: String,
    /// How many charges.
    pub charges: i64,
}

/// The charges that were made in a piece of time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChargeCounts(Tallies);

impl ChargeCounts {
    /// How many stand where.
    pub fn statuses(&self) -> Result<Vec<(ChargeStatus, i64)>, StoreError> {
        let statuses = self.0.of_topic(STATUS);
        statuses
            .map(|(name, [charges, ..])| Ok((StatusColumn::try_from(name.to_owned())?.0, *charges)))
            .collect()
    }

    /// Those that are declined, by reason; it is empty if nobody said why.
    pub fn declines(&self) -> impl Iterator<Item = (&str, i64)> {
        self.0
            .of_topic(DECLINE)
            .map(|(reason, [charges, ..])| (reason, *charges))
    }

    /// The sum of those that are paid in each currency, the one with the most charges first.
    pub fn paid(&self) -> Vec<PaidAmount> {
        let amount = |(currency, counts): (&str, &Counts)| {
            let (charges, amount) = paid_of(counts);
            PaidAmount {
                currency: currency.to_owned(),
                amount,
                charges,
            }
        };
        let mut paid: Vec<PaidAmount> = self.0.of_topic(PAID).map(amount).collect();
        paid.sort_by(|one, other| {
            other
                .charges
                .cmp(&one.charges)
                .then_with(|| one.currency.cmp(&other.currency))
        });
        paid
    }

    /// Adds the charges of another piece of time.
    pub fn add(&mut self, other: &Self) {
        self.0.merge(&other.0);
    }
}

/// Charges as they are.
struct ChargeRow {
    begins: i64,
    status: String,
    reason: Option<String>,
    currency: String,
    charges: i64,
    amount: String,
}

read_from_row!(ChargeRow {
    begins,
    status,
    reason,
    currency,
    charges,
    amount,
});

/// Removed charges by a status, or what was paid by a currency.
struct RemovedRow {
    begins: i64,
    topic: String,
    name: String,
    charges: i64,
    amount: String,
}

read_from_row!(RemovedRow {
    begins,
    topic,
    name,
    charges,
    amount,
});

/// Counted time: the begin of a span, and its tallies as text.
type CountedRow = (i64, String);

impl Store {
    /// The charges that were made in each of these pieces of time, given as begin and end in unix milliseconds, one after
    /// the other.
    pub async fn charges_over_time(
        &self,
        times: &CountedTimes,
        pieces: &[(i64, i64)],
    ) -> Result<Vec<ChargeCounts>, StoreError> {
        let mut made = vec![ChargeCounts::default(); pieces.len()];
        let mut cover = Cover::default();
        for (from, until) in pieces {
            times.of(CountedKind::Charges).cover(*from, *until, &mut cover);
        }
        // A span and a range are in one piece.
        let piece_of = |at: i64| pieces.partition_point(|(from, _)| *from <= at).saturating_sub(1);
        for (at, text) in self.counted_rows(CountedKind::Charges, &cover.counted).await? {
            if let Some(piece) = made.get_mut(piece_of(at)) {
                piece.0.add_text(&text)?;
            }
        }
        for (at, tallies) in self.uncounted_charges(&cover.uncounted).await? {
            if let Some(piece) = made.get_mut(piece_of(at)) {
                piece.0.merge(&tallies);
            }
        }
        Ok(made)
    }

    /// The rows of these spans that have anything.
    async fn counted_rows(
        &self,
        kind: CountedKind,
        spans: &[CountedSpans],
    ) -> Result<Vec<CountedRow>, StoreError> {
        let mut rows: Vec<CountedRow> = Vec::new();
        for some in joined(spans).chunks(STRETCHES_AT_ONCE) {
            let statement = bind_spans(query(counted_sql(kind, some.len())), some);
            rows.extend(statement.fetch_all::<CountedRow>(&self.readers).await?);
        }
        Ok(rows)
    }

    /// The charges of these ranges, from the charges themselves, by the begin of the range.
    async fn uncounted_charges(&self, ranges: &[(i64, i64)]) -> Result<BTreeMap<i64, Tallies>, StoreError> {
        let mut counted = BTreeMap::<i64, Tallies>::new();
        if ranges.is_empty() {
            return Ok(counted);
        }
        for row in self.charge_rows(ranges).await? {
            let tallies = counted.entry(row.begins).or_default();
            tallies.add(STATUS, &row.status, &[row.charges, 0, 0, 0, 0]);
            if row.status == ChargeStatus::Failed.as_str() {
                let reason = row.reason.unwrap_or_default();
                tallies.add(DECLINE, &reason, &[row.charges, 0, 0, 0, 0]);
            }
            if row.status == ChargeStatus::Succeeded.as_str() {
                tallies.add(PAID, &row.currency, &paid_counts(row.charges, &row.amount));
            }
        }
        let sql = format!(
            "WITH {} SELECT r.begins AS begins, c.topic AS topic, c.name AS name, \
             CAST(SUM(c.counted) AS BIGINT) AS charges, CAST(SUM(CAST(c.amount AS NUMERIC)) AS TEXT) AS amount \
             FROM ranges r CROSS JOIN removed_charges c WHERE c.at >= r.begins AND c.at < r.ends \
             AND c.topic IN ('status', 'paid') GROUP BY r.begins, c.topic, c.name",
            ranges_table(ranges, 1)
        );
        let removed: Vec<RemovedRow> = bind_ranges(query(sql), ranges).fetch_all(&self.readers).await?;
        for row in removed {
            let tallies = counted.entry(row.begins).or_default();
            if row.topic == "paid" {
                tallies.add(PAID, &row.name, &paid_counts(row.charges, &row.amount));
            } else {
                tallies.add(STATUS, &row.name, &[row.charges, 0, 0, 0, 0]);
            }
        }
        Ok(counted)
    }

    /// The charges of these ranges, each as a row, or those that are alike as one if they are many.
    async fn charge_rows(&self, ranges: &[(i64, i64)]) -> Result<Vec<ChargeRow>, StoreError> {
        let sql = format!(
            "WITH {} SELECT r.begins AS begins, c.status AS status, c.decline_code AS reason, \
             c.amount_currency AS currency, CAST(1 AS BIGINT) AS charges, c.amount_value AS amount \
             FROM ranges r CROSS JOIN charges c WHERE c.created_at >= r.begins AND c.created_at < r.ends LIMIT ${}",
            ranges_table(ranges, 1),
            1 + 2 * ranges.len()
        );
        let statement = bind_ranges(query(sql), ranges).bind(READ_MAX + 1);
        let mut rows: Vec<ChargeRow> = statement.fetch_all(&self.readers).await?;
        if i64::try_from(rows.len()).is_ok_and(|read| read <= READ_MAX) {
            return Ok(rows);
        }
        rows.clear();
        for range in ranges {
            let grouped = "SELECT CAST($1 AS BIGINT) AS begins, status, decline_code AS reason, \
                 amount_currency AS currency, COUNT(*) AS charges, CAST(SUM(CASE WHEN status = 'succeeded' \
                 THEN CAST(amount_value AS NUMERIC) ELSE 0 END) AS TEXT) AS amount FROM charges \
                 WHERE created_at >= $1 AND created_at < $2 GROUP BY status, decline_code, amount_currency";
            let statement = bind_ranges(query(grouped), &[*range]);
            rows.extend(statement.fetch_all::<ChargeRow>(&self.readers).await?);
        }
        Ok(rows)
    }

    /// Since when the oldest webhook waits, in unix milliseconds.
    pub async fn webhooks_waiting_since(&self) -> Result<Option<i64>, StoreError> {
        let sql = "SELECT MIN(created_at) FROM webhook_events WHERE state IN ('due', 'queued')";
        Ok(query(sql).fetch_one(&self.readers).await?)
    }
}

/// The rows of so many stretches of time, each with places for its begin, its end and the length of its spans. A range of
/// the key is read for each: in a join with a table of numbers PostgreSQL would read the whole key.
fn counted_sql(kind: CountedKind, stretches: usize) -> String {
    let parts: Vec<String> = (0..stretches)
        .map(|stretch| {
            let first = 1 + 3 * stretch;
            format!(
                "SELECT at, tallies FROM report_tallies WHERE kind = '{}' AND span = ${} AND at >= ${first} AND at < ${}",
                kind.as_str(),
                first + 2,
                first + 1
            )
        })
        .collect();
    parts.join(" UNION ALL ")
}

/// The spans, where those of one length that follow each other are one.
fn joined(spans: &[CountedSpans]) -> Vec<CountedSpans> {
    let mut joined: Vec<CountedSpans> = Vec::new();
    for next in spans {
        match joined.last_mut() {
            Some(last) if last.span == next.span && last.until == next.from => last.until = next.until,
            _ => joined.push(*next),
        }
    }
    joined
}

fn bind_spans<'a>(statement: Query<'a>, spans: &[CountedSpans]) -> Query<'a> {
    spans.iter().fold(statement, |statement, spans| {
        statement.bind(spans.from).bind(spans.until).bind(spans.span)
    })
}

/// The table `ranges (begins, ends)` of a statement, with the places of its values from this number on.
fn ranges_table(ranges: &[(i64, i64)], first: usize) -> String {
    let mut sql = "ranges (begins, ends) AS (".to_owned();
    if ranges.is_empty() {
        sql.push_str("SELECT CAST(0 AS BIGINT), CAST(0 AS BIGINT) WHERE 1 = 0");
    }
    for row in 0..ranges.len() {
        let begin = if row == 0 { "VALUES " } else { ", " };
        let place = first + 2 * row;
        let _ = write!(sql, "{begin}(${place}, ${})", place + 1);
    }
    sql + ")"
}

fn bind_ranges<'a>(statement: Query<'a>, ranges: &[(i64, i64)]) -> Query<'a> {
    ranges.iter().fold(statement, |statement, (from, until)| {
        statement.bind(*from).bind(*until)
    })
}

#[cfg(test)]
mod tests;
