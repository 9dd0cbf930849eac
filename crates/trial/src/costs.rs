//! What a charge costs: statements, commits, bytes of the write-ahead log, bytes at rest, calls to the provider, and
//! processor time (docs/capacity.md). A charge is created with an idempotency key and paid once with a new card.
//!
//! Charges come one after the other, so that none shares a commit with another: this is the most that a charge costs. What
//! the service does every second anyway is measured beforehand and taken off.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::TrialError;
use crate::postgres::{Durability, Postgres};
use crate::process::{CardformProcess, Program, service_arguments};
use crate::processor::processor_seconds;
use crate::shop::TrialMerchant;
use crate::test_cards::GOOD_CARD;

/// Charges that are paid before, so that connections are open and statements prepared.
const WARM_UP: usize = 50;
/// How long the service is watched without charges.
const IDLE: Duration = Duration::from_secs(5);
const MICROSECONDS: f64 = 1_000_000.0;

/// What is counted, and the most of it that a charge may take, on SQLite and on PostgreSQL. Processor time has no budget
/// here: it is another one on each machine.
const BUDGETS: [(&str, &str, [Option<f64>; 2]); 7] = [
    ("statements", "", [Some(13.2), Some(10.0)]),
    ("round trips to the database", "", [None, Some(11.0)]),
    ("transactions", "", [Some(3.2), Some(6.5)]),
    (
        "bytes of the write-ahead log",
        "B",
        [Some(140_000.0), Some(8_000.0)],
    ),
    ("bytes at rest", "B", [Some(2_000.0), Some(2_200.0)]),
    ("calls to the provider", "", [Some(1.0), Some(1.0)]),
    ("processor time of the service", "µs", [None, None]),
];

/// A row of the bench's table for each cost, for this many charges on each database.
pub async fn rows(binary: &Path, charges: usize) -> Result<Vec<Value>, TrialError> {
    let folder = || tempfile::tempdir().map_err(|cause| TrialError::Start("a folder".to_owned(), cause));
    let (first, second) = (folder()?, folder()?);
    let file = first.path().join("cardform.db");
    let on_sqlite = measure(binary, first.path(), &Place::Sqlite(file), charges).await?;
    let postgres = Postgres::start(Durability::Full)?;
    let name = postgres.new_database_name()?;
    let place = Place::Postgres(&postgres, name);
    let on_postgres = measure(binary, second.path(), &place, charges).await?;
    let mut rows = Vec::new();
    for (at, (name, unit, budgets)) in BUDGETS.into_iter().enumerate() {
        for (database, costs, budget) in [
            ("SQLite", &on_sqlite, budgets[0]),
            ("PostgreSQL", &on_postgres, budgets[1]),
        ] {
            let mut row = json!({
                "name": format!("a charge on {database}: {name}"), "measured": costs.0[at], "unit": unit,
            });
            if let Some(budget) = budget {
                row["measured_max"] = budget.into();
            }
            rows.push(row);
        }
    }
    if let Some(database_us) = on_postgres.1 {
        rows.push(json!({
            "name": "a charge on PostgreSQL: processor time of PostgreSQL", "measured": database_us, "unit": "µs",
        }));
    }
    Ok(rows)
}

/// The costs of a charge in the order of [`BUDGETS`], and the processor time of the database's server.
struct Costs([f64; BUDGETS.len()], Option<f64>);

/// A database.
enum Place<'a> {
    Sqlite(PathBuf),
    Postgres(&'a Postgres, String),
}

/// The counters at a moment; each only grows.
#[derive(Debug, Clone, Copy)]
struct Counters {
    statements: f64,
    round_trips: f64,
    commits: f64,
    log_bytes: f64,
    provider_calls: f64,
    service_seconds: f64,
    database_seconds: f64,
}

async fn measure(binary: &Path, dir: &Path, place: &Place<'_>, charges: usize) -> Result<Costs, TrialError> {
    let program = Program::new(binary, dir);
    let simulator = program.serve(&["simulator", "--listen", "127.0.0.1:0"])?;
    let database = place.url();
    program.run(&["migrate", "--database", &database])?;
    let added = program.run(&["merchant", "add", "--name", "Shop", "--database", &database])?;
    let merchant = TrialMerchant::new(&added)?;
    let node = program.serve(&service_arguments(&database, &simulator.url))?;
    pay(&merchant, &node, "warm-up", WARM_UP).await?;
    let reader = place.keep_log()?;
    let size = place.bytes_at_rest(&program, "before.db")?;
    let first = place.counters(&merchant, &node).await?;
    tokio::time::sleep(IDLE).await;
    let idle = place.counters(&merchant, &node).await?;
    let begin = Instant::now();
    pay(&merchant, &node, "order", charges).await?;
    let seconds = begin.elapsed().as_secs_f64();
    let end = place.counters(&merchant, &node).await?;
    drop(reader);
    let more = place.bytes_at_rest(&program, "after.db")? - size;
    let count = crate::bench::rate(charges, Duration::from_secs(1));
    let per_charge = |counter: fn(&Counters) -> f64| {
        let anyway = (counter(&idle) - counter(&first)) / IDLE.as_secs_f64() * seconds;
        (counter(&end) - counter(&idle) - anyway).max(0.0) / count
    };
    let database_us = per_charge(|now| now.database_seconds) * MICROSECONDS;
    Ok(Costs(
        [
            per_charge(|now| now.statements),
            per_charge(|now| now.round_trips),
            per_charge(|now| now.commits),
            per_charge(|now| now.log_bytes),
            more / count,
            per_charge(|now| now.provider_calls),
            per_charge(|now| now.service_seconds) * MICROSECONDS,
        ],
        matches!(place, Place::Postgres(..)).then_some(database_us),
    ))
}

async fn pay(
    merchant: &TrialMerchant,
    node: &CardformProcess,
    name: &str,
    charges: usize,
) -> Result<(), TrialError> {
    for number in 0..charges {
        let created = merchant.create(&node.url, &format!("{name}-{number}")).await;
        let charge = created.ok_or_else(|| TrialError::Answer("no charge".to_owned()))?;
        let answer = merchant.press(&node.url, &charge, "press", GOOD_CARD).await;
        if answer
            .as_ref()
            .is_none_or(|answer| answer.body["status_code"] != "succeeded")
        {
            return Err(TrialError::Answer(format!("{answer:?}")));
        }
    }
    Ok(())
}

impl Place<'_> {
    fn url(&self) -> String {
        match self {
            Self::Sqlite(file) => format!("sqlite:{}", file.display()),
            Self::Postgres(server, name) => server.url(name),
        }
    }

    /// On SQLite, a reader that keeps the log from beginning anew, so that its size tells what was written.
    fn keep_log(&self) -> Result<Option<Connection>, TrialError> {
        let Self::Sqlite(file) = self else { return Ok(None) };
        let read = || {
            let reader = Connection::open(file)?;
            reader.execute_batch("BEGIN; SELECT COUNT(*) FROM partners")?;
            Ok(reader)
        };
        read()
            .map(Some)
            .map_err(|cause: rusqlite::Error| TrialError::Answer(cause.to_string()))
    }

    async fn counters(
        &self,
        merchant: &TrialMerchant,
        node: &CardformProcess,
    ) -> Result<Counters, TrialError> {
        let metrics = merchant.text(&format!("{}/metrics", node.url)).await?;
        let (commits, log_bytes, database_seconds) = match self {
            Self::Sqlite(file) => {
                let log = PathBuf::from(format!("{}-wal", file.display()));
                let bytes = std::fs::metadata(&log)
                    .map_err(|cause| TrialError::Start("the log".to_owned(), cause))?;
                (
                    sum(&metrics, "cardform_database_commits_total"),
                    to_f64(bytes.len()),
                    0.0,
                )
            }
            Self::Postgres(server, name) => {
                let log = server.ask(name, "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')")?;
                // What has ended is told to the statistics about a second later.
                let sql = "SELECT pg_stat_clear_snapshot(); SELECT xact_commit FROM pg_stat_database \
                           WHERE datname = current_database()";
                let commits = server.ask(name, sql)?;
                (number(&commits), number(&log), server.processor_seconds())
            }
        };
        Ok(Counters {
            statements: sum(&metrics, "cardform_database_statements_total"),
            round_trips: sum(&metrics, "cardform_database_round_trips_total"),
            commits,
            log_bytes,
            provider_calls: sum(&metrics, "cardform_provider_seconds_count"),
            service_seconds: processor_seconds(node.id())?,
            database_seconds,
        })
    }

    /// Without free places: a compact copy on SQLite, rewritten tables on PostgreSQL.
    fn bytes_at_rest(&self, program: &Program, copy: &str) -> Result<f64, TrialError> {
        match self {
            Self::Sqlite(_) => {
                let made = program.run(&["backup", copy, "--database", &self.url()])?;
                Ok(made["bytes"].as_f64().unwrap_or_default())
            }
            Self::Postgres(server, name) => {
                server.ask(name, "VACUUM FULL")?;
                Ok(number(
                    &server.ask(name, "SELECT pg_database_size(current_database())")?,
                ))
            }
        }
    }
}

/// The sum of a metric over its labels.
fn sum(metrics: &str, name: &str) -> f64 {
    metrics
        .lines()
        .filter(|line| {
            line.strip_prefix(name)
                .is_some_and(|rest| rest.starts_with([' ', '{']))
        })
        .filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok())
        .sum()
}

/// The last line of an answer, as a number.
fn number(text: &str) -> f64 {
    text.lines()
        .last()
        .and_then(|line| line.parse().ok())
        .unwrap_or_default()
}

#[expect(clippy::cast_precision_loss, reason = "a file is far smaller than 2^52 bytes")]
fn to_f64(bytes: u64) -> f64 {
    bytes as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_is_summed_over_its_labels_only() {
        let metrics = "a_total 3\na_total{call=\"x\"} 4.5\na_total_other 7\n# a_total 9\n";
        assert!((sum(metrics, "a_total") - 7.5).abs() < f64::EPSILON);
        assert!((number("\n12\n") - 12.0).abs() < f64::EPSILON);
    }
}
