//! How many charges per second the service stores, compared with what the same disk and database reach without it
//! (docs/budgets.md#speed).

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::TrialError;
use crate::load::{AT_ONCE, at_once};
use crate::pages::{microseconds, nginx_page_us};
use crate::postgres::{Durability, Postgres};
use crate::process::Program;
use crate::processor::processor_seconds;
use crate::shop::{CreatedTrialCharge, TrialMerchant};
use crate::test_cards::GOOD_CARD;

/// How many charges are paid before the measurement, so that connections are open and statements are prepared.
const WARM_UP: usize = 200;
/// How long a yardstick is measured, before the service and again after it, because the speed of a shared disk varies.
const YARDSTICK: Duration = Duration::from_secs(5);

/// The budgets: charges per second as a ratio to the yardstick.
const SQLITE_RATIO_MIN: f64 = 1.0;
const POSTGRES_RATIO_MIN: f64 = 0.5;
/// The most processor time of a charge, as a ratio to that of nginx for a page.
const PROCESSOR_RATIO_MAX: f64 = 14.0;

/// Both databases, as rows of the bench's table, for this many charges each.
pub async fn rows(binary: &Path, charges: usize) -> Result<Vec<Value>, TrialError> {
    // Next to the program, because a folder for temporary files may be in memory.
    let beside = binary.parent().unwrap_or(binary);
    let dir =
        tempfile::tempdir_in(beside).map_err(|cause| TrialError::Start("a folder".to_owned(), cause))?;
    let before = sqlite_commits_per_second(&dir.path().join("before.db"))?;
    let paid = charges_per_second(binary, dir.path(), "sqlite:cardform.db", charges).await?;
    let after = sqlite_commits_per_second(&dir.path().join("after.db"))?;
    let commits = f64::midpoint(before, after);
    let sqlite = row(
        "SQLite",
        paid.per_second,
        "commits of one row",
        commits,
        SQLITE_RATIO_MIN,
    );
    let on_sqlite = paid.processor_us;

    let postgres = Postgres::start(Durability::Full)?;
    let before = pgbench_per_second(&postgres)?;
    let paid = charges_per_second(binary, dir.path(), &postgres.new_database()?, charges).await?;
    let after = pgbench_per_second(&postgres)?;
    let transactions = f64::midpoint(before, after);
    let postgres = row(
        "PostgreSQL",
        paid.per_second,
        "pgbench -N",
        transactions,
        POSTGRES_RATIO_MIN,
    );
    let page = nginx_page_us(binary, dir.path()).await?;
    Ok(vec![
        sqlite,
        postgres,
        processor_row("SQLite", on_sqlite, page),
        processor_row("PostgreSQL", paid.processor_us, page),
    ])
}

fn row(database: &str, measured: f64, yardstick: &str, of_yardstick: f64, ratio_min: f64) -> Value {
    json!({
        "name": format!("durable charges on {database}, {AT_ONCE} at once"), "measured": measured, "unit": "/s",
        "yardstick": {"name": yardstick, "measured": of_yardstick}, "ratio_min": ratio_min,
    })
}

fn processor_row(database: &str, of_charge: f64, of_page: f64) -> Value {
    json!({
        "name": format!("processor time of a charge on {database}"), "measured": of_charge, "unit": "µs",
        "yardstick": {"name": "nginx, a page", "measured": of_page}, "ratio_max": PROCESSOR_RATIO_MAX,
    })
}

/// What the service reached.
struct Paid {
    /// Charges.
    per_second: f64,
    /// The processor time of a charge in the service, in microseconds.
    processor_us: f64,
}

/// Presses per second; an instant provider approves each, and the approval is stored before the answer.
async fn charges_per_second(
    binary: &Path,
    dir: &Path,
    database: &str,
    charges: usize,
) -> Result<Paid, TrialError> {
    let program = Program::new(binary, dir);
    let simulator = program.serve(&["simulator", "--listen", "127.0.0.1:0"])?;
    let node = program.serve(&[
        "serve",
        "--create",
        "--listen",
        "127.0.0.1:0",
        "--render-time-ms",
        "0",
        "--database",
        database,
        "--provider-url",
        &simulator.url,
    ])?;
    let added = program.run(&["merchant", "add", "--name", "Shop", "--database", database])?;
    let merchant = TrialMerchant::new(&added)?;
    let made = at_once(charges + WARM_UP, |number| {
        let (merchant, url) = (merchant.clone(), node.url.clone());
        async move { merchant.create(&url, &format!("order-{number}")).await }
    })
    .await?;
    let made: Arc<[CreatedTrialCharge]> = made.into();
    let pay = |number: usize| {
        let (merchant, url, made) = (merchant.clone(), node.url.clone(), Arc::clone(&made));
        async move {
            let answer = merchant.press(&url, &made[number], "press", GOOD_CARD).await;
            answer.filter(|answer| answer.body["status_code"] == "succeeded")
        }
    };
    at_once(WARM_UP, pay).await?;
    let (start, before) = (Instant::now(), processor_seconds(node.id())?);
    at_once(charges, |number| pay(WARM_UP + number)).await?;
    let paid = Paid {
        per_second: rate(charges, start.elapsed()),
        processor_us: microseconds(processor_seconds(node.id())? - before, charges as u64),
    };
    // Checks that all counted charges were paid.
    let approved = merchant.ledger(&simulator.url).await?.len();
    if approved == charges + WARM_UP {
        Ok(paid)
    } else {
        Err(TrialError::Books(vec![format!(
            "{approved} payments in the ledger"
        )]))
    }
}

/// Repeats one insert and one commit, synced to the disk, on one connection.
fn sqlite_commits_per_second(file: &Path) -> Result<f64, TrialError> {
    let unusable = |cause: rusqlite::Error| TrialError::Answer(cause.to_string());
    let connection = Connection::open(file).map_err(unusable)?;
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; \
             CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT NOT NULL)",
        )
        .map_err(unusable)?;
    let mut insert = connection
        .prepare("INSERT INTO rows (text) VALUES (?1)")
        .map_err(unusable)?;
    let start = Instant::now();
    let mut commits = 0;
    while start.elapsed() < YARDSTICK {
        insert
            .execute(["a row of about the length of an attempt"])
            .map_err(unusable)?;
        commits += 1;
    }
    Ok(rate(commits, start.elapsed()))
}

/// PostgreSQL's own benchmark, on the same server: one update, one select, one insert.
fn pgbench_per_second(postgres: &Postgres) -> Result<f64, TrialError> {
    let database = postgres.new_database_name()?;
    let run = |arguments: &[&str]| {
        let output = postgres
            .program("pgbench")
            .args(arguments)
            .arg(&database)
            .output()
            .map_err(|cause| TrialError::Start("pgbench".to_owned(), cause))?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    run(&["-i", "-s", "10", "-q"])?;
    let (clients, seconds) = (AT_ONCE.to_string(), YARDSTICK.as_secs().to_string());
    let said = run(&["-N", "-c", &clients, "-j", "2", "-T", &seconds, "-M", "prepared"])?;
    let tps = said.lines().find_map(|line| line.strip_prefix("tps = "));
    tps.and_then(|line| line.split(' ').next()?.parse().ok())
        .ok_or_else(|| TrialError::NotReady("pgbench".to_owned(), said))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "some hundred thousands are far below 2^52"
)]
pub(crate) fn rate(count: usize, elapsed: Duration) -> f64 {
    count as f64 / elapsed.as_secs_f64()
}
