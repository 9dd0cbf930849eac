//! The counts of an operator's report: what is over was counted before, the rest is counted by the database now.

mod counted_time;
mod counting;
mod variations;
mod visit_counts;

use std::fmt::Write as _;

use wire::ChargeStatus;

use self::counted_time::{CountedSpans, Cover};
use super::charge::StatusColumn;
use super::report_change::CountedKind;
use super::sql::{Query, query, read_from_row};
use super::{Store, StoreError};

pub use counted_time::CountedTimes;
pub use variations::VariationVisits;
pub use visit_counts::{VisitCounts, VisitTopic, VisitWords};

/// The topic of declined charges by reason.
const DECLINE: &str = "decline";
/// How many stretches of counted time one statement reads; SQLite takes 500 at most.
const STRETCHES_AT_ONCE: usize = 50;

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

/// So many charges that were made in a piece of time and stand where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChargeGroup {
    /// When the piece begins, in unix milliseconds.
    pub begins: i64,
    /// The charges' status.
    pub status: StatusColumn,
    /// How many.
    pub charges: i64,
}

/// What charges of one currency come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaidAmount {
    /// ISO 4217.
    pub currency: String,
    /// The sum in the currency's major unit, as the database writes numbers.
    pub amount: String,
    /// How many charges.
    pub charges: i64,
}

read_from_row!(PaidAmount {
    currency,
    amount,
    charges,
});

/// The declined charges that were made in a piece of time, by reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclineGroup {
    /// When the piece begins, in unix milliseconds.
    pub begins: i64,
    /// Why they were declined; empty if nobody said.
    pub reason: String,
    /// How many.
    pub charges: i64,
}

/// The charges that were made in pieces of time. A piece can have several groups of one status or reason; each begins in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MadeCharges {
    /// By status.
    pub groups: Vec<ChargeGroup>,
    /// Those that were declined, by reason.
    pub declines: Vec<DeclineGroup>,
}

/// Charges of a time that are counted already, by a status or a reason.
struct CountedName {
    at: i64,
    topic: String,
    name: String,
    charges: i64,
}

read_from_row!(CountedName {
    at,
    topic,
    name,
    charges,
});

/// Charges as they are.
struct ChargesByReason {
    begins: i64,
    status: StatusColumn,
    reason: String,
    charges: i64,
}

read_from_row!(ChargesByReason {
    begins,
    status,
    reason,
    charges,
});

impl MadeCharges {
    fn add_counted(&mut self, begins: i64, counted: CountedName) -> Result<(), StoreError> {
        if counted.topic == DECLINE {
            self.add_decline(begins, counted.name, counted.charges);
        } else {
            self.add(begins, counted.name.try_into()?, counted.charges);
        }
        Ok(())
    }

    fn add(&mut self, begins: i64, status: StatusColumn, charges: i64) {
        self.groups.push(ChargeGroup {
            begins,
            status,
            charges,
        });
    }

    fn add_decline(&mut self, begins: i64, reason: String, charges: i64) {
        self.declines.push(DeclineGroup {
            begins,
            reason,
            charges,
        });
    }
}

impl Store {
    /// How many charges of each status, and of each reason to decline them, were made in each of these pieces of time,
    /// given as begin and end in unix milliseconds.
    pub async fn charges_over_time(
        &self,
        times: &CountedTimes,
        pieces: &[(i64, i64)],
    ) -> Result<MadeCharges, StoreError> {
        let cover = cover_of_charges(times, pieces);
        let mut made = self.uncounted_charges(&cover.uncounted).await?;
        for some in joined(&cover.counted).chunks(STRETCHES_AT_ONCE) {
            let rows: Vec<CountedName> = bind_spans(query(counted_names(some.len())), some)
                .fetch_all(&self.readers)
                .await?;
            for row in rows {
                // They are in the order of time.
                let after = cover.counted.partition_point(|spans| spans.from <= row.at);
                let spans = after.checked_sub(1).and_then(|at| cover.counted.get(at));
                made.add_counted(spans.map_or(row.at, |spans| spans.from), row)?;
            }
        }
        Ok(made)
    }

    /// The same of these ranges, from the charges themselves.
    async fn uncounted_charges(&self, ranges: &[(i64, i64)]) -> Result<MadeCharges, StoreError> {
        let mut made = MadeCharges::default();
        if ranges.is_empty() {
            return Ok(made);
        }
        let sql = format!(
            "WITH {} SELECT r.begins AS begins, c.status AS status, COALESCE(c.decline_code, '') AS reason, \
             COUNT(*) AS charges FROM ranges r CROSS JOIN charges c \
             WHERE c.created_at >= r.begins AND c.created_at < r.ends GROUP BY r.begins, c.status, c.decline_code",
            ranges_table(ranges, 1),
        );
        let rows: Vec<ChargesByReason> = bind_ranges(query(sql), ranges).fetch_all(&self.readers).await?;
        for row in rows {
            if row.status.0 == ChargeStatus::Failed {
                made.add_decline(row.begins, row.reason, row.charges);
            }
            made.add(row.begins, row.status, row.charges);
        }
        let sql = format!(
            "WITH {} SELECT r.begins AS at, c.topic AS topic, c.name AS name, CAST(SUM(c.counted) AS BIGINT) AS charges \
             FROM {REMOVED_CHARGES} AND c.topic IN ('status', '{DECLINE}') GROUP BY r.begins, c.topic, c.name",
            ranges_table(ranges, 1)
        );
        let removed: Vec<CountedName> = bind_ranges(query(sql), ranges).fetch_all(&self.readers).await?;
        for row in removed {
            made.add_counted(row.at, row)?;
        }
        Ok(made)
    }

    /// The sum of the range's paid charges in each currency, the one with the most charges first. On SQLite an amount
    /// is exact to 15 digits.
    pub async fn money_paid(
        &self,
        times: &CountedTimes,
        from: i64,
        to: i64,
    ) -> Result<Vec<PaidAmount>, StoreError> {
        let cover = cover_of_charges(times, &[(from, to)]);
        self.money_paid_of(&cover.counted, &cover.uncounted).await
    }

    async fn money_paid_of(
        &self,
        counted: &[CountedSpans],
        uncounted: &[(i64, i64)],
    ) -> Result<Vec<PaidAmount>, StoreError> {
        let sql = format!(
            "WITH {}, {} \
             SELECT currency, CAST(SUM(amount) AS TEXT) AS amount, CAST(SUM(charges) AS BIGINT) AS charges FROM ( \
             SELECT c.amount_currency AS currency, SUM(CAST(c.amount_value AS NUMERIC)) AS amount, \
             COUNT(*) AS charges FROM ranges r CROSS JOIN charges c WHERE c.status = 'succeeded' \
             AND c.created_at >= r.begins AND c.created_at < r.ends GROUP BY c.amount_currency \
             UNION ALL SELECT c.name, SUM(CAST(c.amount AS NUMERIC)), SUM(c.counted) FROM {COUNTED_CHARGES} \
             AND c.topic = 'paid' GROUP BY c.name \
             UNION ALL SELECT c.name, SUM(CAST(c.amount AS NUMERIC)), SUM(c.counted) FROM {REMOVED_CHARGES} \
             AND c.topic = 'paid' GROUP BY c.name) AS sums GROUP BY currency ORDER BY 3 DESC, 1",
            spans_table(counted, 1),
            ranges_table(uncounted, 1 + 3 * counted.len())
        );
        let statement = bind_ranges(bind_spans(query(sql), counted), uncounted);
        Ok(statement.fetch_all(&self.readers).await?)
    }

    /// Since when the oldest webhook waits, in unix milliseconds.
    pub async fn webhooks_waiting_since(&self) -> Result<Option<i64>, StoreError> {
        let sql = "SELECT MIN(created_at) FROM webhook_events WHERE state IN ('due', 'queued')";
        Ok(query(sql).fetch_one(&self.readers).await?)
    }
}

/// The counts of each row of the table `spans`, which is read first.
const COUNTED_CHARGES: &str = "spans s CROSS JOIN report_counts c WHERE c.kind = 'charges' AND c.span = s.span \
     AND c.at >= s.begins AND c.at < s.ends";

fn cover_of_charges(times: &CountedTimes, pieces: &[(i64, i64)]) -> Cover {
    let mut cover = Cover::default();
    for (from, until) in pieces {
        times.of(CountedKind::Charges).cover(*from, *until, &mut cover);
    }
    cover
}

/// The counted statuses and declines of so many stretches of time, each with places for its begin, its end and the length
/// of its spans. A range of the index is read for each: in a join with a table of numbers PostgreSQL would read the whole
/// index.
fn counted_names(stretches: usize) -> String {
    let parts: Vec<String> = (0..stretches)
        .map(|stretch| {
            let first = 1 + 3 * stretch;
            format!(
                "SELECT c.at AS at, c.topic AS topic, c.name AS name, c.counted AS charges FROM report_counts c \
                 WHERE c.kind = 'charges' AND c.span = ${} AND c.at >= ${first} AND c.at < ${} \
                 AND c.topic IN ('status', '{DECLINE}')",
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

/// The removed charges of each row of the table `ranges`. They are known by the quarter of an hour that begins in the range.
const REMOVED_CHARGES: &str =
    "ranges r CROSS JOIN removed_charges c WHERE c.at >= r.begins AND c.at < r.ends";

/// The table `spans (begins, ends, span)` of a statement, with the places of its values from this number on.
fn spans_table(spans: &[CountedSpans], first: usize) -> String {
    table("spans (begins, ends, span)", 3, spans.len(), first)
}

fn bind_spans<'a>(statement: Query<'a>, spans: &[CountedSpans]) -> Query<'a> {
    spans.iter().fold(statement, |statement, spans| {
        statement.bind(spans.from).bind(spans.until).bind(spans.span)
    })
}

/// The table `ranges (begins, ends)` of a statement.
fn ranges_table(ranges: &[(i64, i64)], first: usize) -> String {
    table("ranges (begins, ends)", 2, ranges.len(), first)
}

fn bind_ranges<'a>(statement: Query<'a>, ranges: &[(i64, i64)]) -> Query<'a> {
    ranges.iter().fold(statement, |statement, (from, until)| {
        statement.bind(*from).bind(*until)
    })
}

/// A table of numbers in a statement; it can be empty.
fn table(name: &str, columns: usize, rows: usize, first: usize) -> String {
    let mut sql = format!("{name} AS (");
    if rows == 0 {
        let nothing = vec!["CAST(0 AS BIGINT)"; columns].join(", ");
        let _ = write!(sql, "SELECT {nothing} WHERE 1 = 0");
    }
    for row in 0..rows {
        let places: Vec<String> = (0..columns)
            .map(|column| format!("${}", first + row * columns + column))
            .collect();
        let _ = write!(
            sql,
            "{}({})",
            if row == 0 { "VALUES " } else { ", " },
            places.join(", ")
        );
    }
    sql + ")"
}

#[cfg(test)]
mod tests {
    use trial::postgres::{Durability, Postgres};

    use super::super::Database;
    use super::counted_time::SPANS_MS;
    use super::*;

    /// One row for each node of the statement's plan.
    async fn plan(store: &Store, statement: String, spans: &[CountedSpans]) -> String {
        let explained = bind_spans(query(format!("EXPLAIN {statement}")), spans);
        let lines: Vec<String> = explained.fetch_all(&store.readers).await.unwrap();
        lines.join("\n")
    }

    #[tokio::test]
    async fn postgres_reads_only_the_counts_of_the_range() {
        let server = Postgres::start(Durability::None).unwrap();
        let url = server.new_database().unwrap().parse().unwrap();
        let store = Store::connect(&Database::Postgres(url)).await.unwrap();
        let [day, hours, slot] = SPANS_MS;
        for span in SPANS_MS {
            query(
                "INSERT INTO report_counts (kind, span, at, topic, name, step, variation, counted, amount) \
                 SELECT 'charges', $1, CAST(n AS BIGINT) * $1, 'status', 'succeeded', 0, 0, 1, '0' \
                 FROM generate_series(0, CAST(7776000000 / $1 AS INT)) n",
            )
            .bind(span)
            .execute(&store.readers)
            .await
            .unwrap();
        }
        query("ANALYZE report_counts")
            .execute(&store.readers)
            .await
            .unwrap();
        let spans = [(0, slot), (slot, hours), (hours, day)].map(|(from, span)| CountedSpans {
            from: from + day,
            until: 2 * day,
            span,
        });
        let plan = plan(&store, counted_names(spans.len()), &spans).await;
        let reads: Vec<&str> = plan.lines().filter(|line| line.contains("Index Cond")).collect();
        assert_eq!(reads.len(), spans.len(), "{plan}");
        assert!(reads.iter().all(|read| read.contains("at >=")), "{plan}");
        assert!(!plan.contains("Join") && !plan.contains("Seq Scan"), "{plan}");
    }
}
