//! The counts of an operator's report: what is over was counted before, the rest is counted from its rows now.

mod cases;
mod counted_rows;
mod counted_time;
mod counting;
mod tallies;
mod variations;
mod version_before;
mod visit_counts;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use wire::ChargeStatus;

use self::cases::AddCase;
use self::counted_time::Cover;
use self::tallies::{Counts, Tallies, paid_counts, paid_of};
use super::charge::StatusColumn;
use super::report_change::CountedKind;
use super::sql::{Query, RowInPlace, query};
use super::{Store, StoreError};

pub use counted_time::CountedTimes;
pub use variations::VariationVisits;
pub use visit_counts::{VisitCounts, VisitTopic};

/// The topics of charges: by status, those that were declined by reason, and what was paid by currency.
const STATUS: char = 's';
const DECLINE: char = 'r';
const PAID: char = 'p';
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
            .map(|(name, [charges, ..])| Ok((StatusColumn::of(name)?.0, *charges)))
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

/// Pieces of time with the charges that were made in them.
struct MadeInPieces {
    begins: Vec<i64>,
    made: Vec<ChargeCounts>,
}

impl MadeInPieces {
    /// The charges of the piece with this time in it. A span and a range are in one piece.
    fn at(&mut self, at: i64) -> Option<&mut Tallies> {
        let later = self.begins.partition_point(|begin| *begin <= at);
        let piece = self.made.get_mut(later.checked_sub(1)?)?;
        Some(&mut piece.0)
    }
}

impl Store {
    /// The charges that were made in each of these pieces of time, given as begin and end in unix milliseconds, one after
    /// the other.
    pub async fn charges_over_time(
        &self,
        times: &CountedTimes,
        pieces: &[(i64, i64)],
    ) -> Result<Vec<ChargeCounts>, StoreError> {
        let mut cover = Cover::default();
        for (from, until) in pieces {
            times.of(CountedKind::Charges).cover(*from, *until, &mut cover);
        }
        let pieces = MadeInPieces {
            begins: pieces.iter().map(|(from, _)| *from).collect(),
            made: vec![ChargeCounts::default(); pieces.len()],
        };
        let counted = self.add_counted(CountedKind::Charges, &mut cover, pieces, |pieces, part| {
            let sum = pieces.at(part.from);
            sum.map_or(Ok(()), |sum| part.add_to(sum))
        });
        let mut pieces = counted.await?;
        for (at, tallies) in self.uncounted_charges::<Tallies>(&cover.uncounted).await? {
            if let Some(sum) = pieces.at(at) {
                sum.merge(&tallies);
            }
        }
        Ok(pieces.made)
    }

    /// The charges of these ranges, from the charges themselves, by the begin of the range.
    async fn uncounted_charges<T: AddCase>(
        &self,
        ranges: &[(i64, i64)],
    ) -> Result<BTreeMap<i64, T>, StoreError> {
        if ranges.is_empty() {
            return Ok(BTreeMap::new());
        }
        let (mut counted, long) = self.read_ranges(CHARGES, ranges, None, add_charges::<T>).await?;
        for range in long {
            let grouped = bind_ranges(query(GROUPED_CHARGES), &[range]);
            counted = grouped.fold(&self.readers, counted, add_charges).await?;
        }
        let sql = format!(
            "WITH {} SELECT r.begins, MIN(c.at), c.topic, c.name, CAST(SUM(c.counted) AS BIGINT), \
             CAST(SUM(CAST(c.amount AS NUMERIC)) AS TEXT) \
             FROM ranges r CROSS JOIN removed_charges c WHERE c.at >= r.begins AND c.at < r.ends \
             AND c.topic IN ('status', 'paid') GROUP BY r.begins, c.topic, c.name",
            ranges_table(ranges, 1)
        );
        bind_ranges(query(sql), ranges)
            .fold(&self.readers, counted, |counted, row| {
                let sum = counted.entry(row.int(0)?).or_default();
                // In a minute all have the same time.
                let (at, name, charges) = (Some(row.int(1)?), row.text(3)?, row.int(4)?);
                if row.text(2)? == "paid" {
                    sum.add_case(at, &[(PAID, name)], &paid_counts(charges, row.text(5)?));
                } else {
                    sum.add_case(at, &[(STATUS, name)], &[charges, 0, 0, 0, 0]);
                }
                Ok(())
            })
            .await
    }

    /// What the rows of these ranges come to, by the begin of the range, and those ranges that have too many rows. The
    /// statement lacks only the table `ranges` and its limit; `word` is its first value.
    async fn read_ranges<T: AddCase>(
        &self,
        sql: &str,
        ranges: &[(i64, i64)],
        word: Option<&str>,
        add: AddRow<T>,
    ) -> Result<(BTreeMap<i64, T>, Vec<(i64, i64)>), StoreError> {
        if let Some(sums) = self.read_rows(sql, ranges, word, add).await? {
            return Ok((sums, Vec::new()));
        }
        let (mut sums, mut long) = (BTreeMap::new(), Vec::new());
        for range in ranges {
            match self.read_rows(sql, &[*range], word, add).await? {
                Some(mut read) => sums.append(&mut read),
                None => long.push(*range),
            }
        }
        Ok((sums, long))
    }

    /// The sums, or none if these ranges together have too many rows.
    async fn read_rows<T: AddCase>(
        &self,
        sql: &str,
        ranges: &[(i64, i64)],
        word: Option<&str>,
        add: AddRow<T>,
    ) -> Result<Option<BTreeMap<i64, T>>, StoreError> {
        let first = 1 + usize::from(word.is_some());
        let last = first + 2 * ranges.len();
        let sql = format!("WITH {} {sql} LIMIT ${last}", ranges_table(ranges, first));
        let statement = word.into_iter().fold(query(sql), Query::bind);
        let sums = (BTreeMap::new(), 0);
        let read = bind_ranges(statement, ranges).bind(READ_MAX + 1).fold(
            &self.readers,
            sums,
            move |(sums, rows), row| {
                *rows += 1;
                add(sums, row)
            },
        );
        let (sums, rows) = read.await?;
        Ok((rows <= READ_MAX).then_some(sums))
    }

    /// Since when the oldest webhook waits, in unix milliseconds.
    pub async fn webhooks_waiting_since(&self) -> Result<Option<i64>, StoreError> {
        let sql = "SELECT MIN(created_at) FROM webhook_events WHERE state IN ('due', 'queued')";
        Ok(query(sql).fetch_one(&self.readers).await?)
    }
}

/// Adds a row to what begins where its range does.
type AddRow<T> = fn(&mut BTreeMap<i64, T>, &RowInPlace<'_>) -> Result<(), StoreError>;

/// The charges of `ranges`.
const CHARGES: &str = "SELECT r.begins, c.created_at, c.status, c.decline_code, c.amount_currency, \
     CAST(1 AS BIGINT), c.amount_value FROM ranges r CROSS JOIN charges c \
     WHERE c.created_at >= r.begins AND c.created_at < r.ends";
/// The same of one long range; charges that are alike are one row.
const GROUPED_CHARGES: &str = "SELECT CAST($1 AS BIGINT), CAST(NULL AS BIGINT), status, decline_code, amount_currency, \
     COUNT(*), CAST(SUM(CASE WHEN status = 'succeeded' THEN CAST(amount_value AS NUMERIC) ELSE 0 END) AS TEXT) \
     FROM charges WHERE created_at >= $1 AND created_at < $2 GROUP BY status, decline_code, amount_currency";

/// Adds a charge, or several that are alike, to what begins where its range does.
fn add_charges<T: AddCase>(sums: &mut BTreeMap<i64, T>, row: &RowInPlace<'_>) -> Result<(), StoreError> {
    let sum = sums.entry(row.int(0)?).or_default();
    let (at, status, charges) = (row.int_or_null(1)?, row.text(2)?, row.int(5)?);
    let counts = [charges, 0, 0, 0, 0];
    sum.add_case(at, &[(STATUS, status)], &counts);
    if status == ChargeStatus::Failed.as_str() {
        let reason = row.text_or_null(3)?.unwrap_or_default();
        sum.add_case(at, &[(DECLINE, reason)], &counts);
    }
    if status == ChargeStatus::Succeeded.as_str() {
        let paid = paid_counts(charges, row.text(6)?);
        sum.add_case(at, &[(PAID, row.text(4)?)], &paid);
    }
    Ok(())
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
