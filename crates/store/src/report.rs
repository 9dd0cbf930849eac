//! The counts of an operator's report: what is over was counted before, the rest is counted from its rows now.

mod cases;
mod counted_rows;
mod counted_time;
mod counting;
mod fewest_spans;
mod place;
mod tallies;
mod variations;
mod version_before;
mod visit_counts;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use model::charge_state::ALL_STATES;
use wire::ChargeStatus;

use self::cases::AddCase;
use self::counted_rows::WordsRead;
use self::counted_time::Cover;
use self::tallies::{Counts, Tallies, paid_counts, paid_of};
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

/// The charges that were made in some time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChargeCounts(Tallies);

impl ChargeCounts {
    /// How many stand where.
    pub fn statuses(&self) -> Result<StatusCounts, StoreError> {
        let mut statuses = StatusCounts::default();
        for (name, [charges, ..]) in self.0.of_topic(STATUS) {
            statuses.add(name, *charges)?;
        }
        Ok(statuses)
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
}

/// How many charges stand where.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StatusCounts([i64; ALL_STATES.len()]);

impl StatusCounts {
    /// Each status with its charges.
    pub fn each(&self) -> impl Iterator<Item = (ChargeStatus, i64)> {
        ALL_STATES.into_iter().zip(self.0)
    }

    fn add(&mut self, name: &str, charges: i64) -> Result<(), StoreError> {
        let place = ALL_STATES.iter().position(|status| status.as_str() == name);
        let count = place.and_then(|place| self.0.get_mut(place));
        let count = count.ok_or(StoreError::Unusable("charge status"))?;
        *count = count.saturating_add(charges);
        Ok(())
    }
}

/// The charges of a report.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChargesOverTime {
    /// Those that were made in all pieces of time.
    pub all: ChargeCounts,
    /// Those of each piece.
    pub pieces: Vec<StatusCounts>,
    /// Those of the time before.
    pub before: ChargeCounts,
}

/// The sums of a report, while they are added up.
struct ChargeSums {
    /// The time before ends there.
    from: i64,
    begins: Vec<i64>,
    sums: ChargesOverTime,
}

impl ChargeSums {
    /// Adds a word with its charges, which were made in the time from `at` on. A span and a range are in one piece. Words
    /// have nearly the same keys each time, so it is likely to be where it is `expected`; says where the next one is.
    fn add_key(&mut self, at: i64, key: &str, counts: &Counts, expected: usize) -> Result<usize, StoreError> {
        if at < self.from {
            return Ok(self.sums.before.0.add_key(key, counts, expected));
        }
        if let Some(status) = key.strip_prefix(STATUS) {
            let later = self.begins.partition_point(|begin| *begin <= at);
            let [charges, ..] = *counts;
            if let Some(piece) = later.checked_sub(1).and_then(|at| self.sums.pieces.get_mut(at)) {
                piece.add(status, charges)?;
            }
        }
        Ok(self.sums.all.0.add_key(key, counts, expected))
    }
}

impl Store {
    /// The charges that were made in these pieces of time, given as begin and end in unix milliseconds, one after the
    /// other, and in the time before the first of them.
    pub async fn charges_over_time(
        &self,
        times: &CountedTimes,
        before: (i64, i64),
        pieces: &[(i64, i64)],
    ) -> Result<ChargesOverTime, StoreError> {
        let mut cover = Cover::default();
        for (from, until) in std::iter::once(&before).chain(pieces) {
            times.of(CountedKind::Charges).cover(*from, *until, &mut cover);
        }
        let sums = ChargeSums {
            from: before.1,
            begins: pieces.iter().map(|(from, _)| *from).collect(),
            sums: ChargesOverTime {
                pieces: vec![StatusCounts::default(); pieces.len()],
                ..ChargesOverTime::default()
            },
        };
        let counted = self.add_counted(
            CountedKind::Charges,
            WordsRead::All,
            &mut cover,
            sums,
            |sums, part| {
                let mut next = 0;
                part.each_word(|key, counts| {
                    next = sums.add_key(part.from, key, counts, next)?;
                    Ok(())
                })
            },
        );
        let mut sums = counted.await?;
        for (at, tallies) in self.uncounted_charges::<Tallies>(&cover.uncounted).await? {
            let mut next = 0;
            for (key, counts) in tallies.counted() {
                next = sums.add_key(at, key, counts, next)?;
            }
        }
        Ok(sums.sums)
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
