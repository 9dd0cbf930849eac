//! How many charges per second the service stores, compared with the same disk and database without the service
//! (docs/budgets.md#speed).

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use harness::companion::output_of;
use harness::load::AT_ONCE;
use harness::postgres::{Durability, Postgres};
use harness::process::{CardformProcess, Program, service};
use harness::shop::TrialMerchant;
use harness::test_cards::GOOD_CARD;
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::page_load::microseconds;
use crate::pages::nginx_page_us;
use crate::presses::pay_all;
use crate::processor::{ProcessorLoad, processor_seconds};

/// How many charges are paid before the measurement, so that connections are open and statements are prepared.
const WARM_UP: usize = 200;
/// How long a yardstick is measured.
const YARDSTICK: Duration = Duration::from_secs(5);

/// The budgets: charges per second as a ratio to the yardstick.
const SQLITE_RATIO_MIN: f64 = 0.85;
const POSTGRES_RATIO_MIN: f64 = 0.3;
/// The most processor time of a charge, as a ratio to that of nginx for a page.
const SQLITE_PROCESSOR_RATIO_MAX: f64 = 14.0;
const POSTGRES_PROCESSOR_RATIO_MAX: f64 = 20.0;

/// Both databases, as rows of the bench's table, for this many charges each.
pub(crate) async fn rows(binary: &Path, charges: usize) -> Result<Vec<Value>> {
    // Next to the program, because a folder for temporary files may be in memory.
    let dir = tempfile::tempdir_in(binary.parent().unwrap_or(binary))?;
    let shop = BenchShop::open(binary, dir.path(), "sqlite:cardform.db", charges).await?;
    let commits = || sqlite_commits_per_second(&dir.path().join("yardstick.db"));
    let (on_sqlite, commits) = shop.measure(commits).await?;
    let postgres = Postgres::start(Durability::Full)?;
    let shop = BenchShop::open(binary, dir.path(), &postgres.new_database()?, charges).await?;
    let (on_postgres, transactions) = shop.measure(|| pgbench_per_second(&postgres)).await?;
    let page = nginx_page_us(binary).await?;
    let (mut rows, mut processor_rows) = (Vec::new(), Vec::new());
    for (database, paid, yardstick, ratio_min, ratio_max) in [
        (
            "SQLite",
            on_sqlite,
            json!({"name": "commits of one row", "measured": commits}),
            SQLITE_RATIO_MIN,
            SQLITE_PROCESSOR_RATIO_MAX,
        ),
        (
            "PostgreSQL",
            on_postgres,
            json!({"name": "pgbench -N", "measured": transactions}),
            POSTGRES_RATIO_MIN,
            POSTGRES_PROCESSOR_RATIO_MAX,
        ),
    ] {
        rows.push(json!({
            "name": format!("durable charges on {database}, {AT_ONCE} at once"), "measured": paid.per_second(),
            "unit": "/s", "yardstick": yardstick, "ratio_min": ratio_min,
        }));
        processor_rows.push(json!({
            "name": format!("processor time of a charge on {database}"), "measured": paid.processor_us(), "unit": "µs",
            "yardstick": {"name": "nginx, a page", "measured": page}, "ratio_max": ratio_max,
        }));
    }
    Ok([rows, processor_rows].concat())
}

/// A service with an instant provider, and a charge for each press of the pay button to come.
struct BenchShop {
    simulator: CardformProcess,
    node: CardformProcess,
    merchant: TrialMerchant,
    requests: Vec<Vec<u8>>,
}

/// Charges that were paid.
struct Paid {
    charges: usize,
    elapsed: Duration,
    /// The processor time of the service.
    seconds: f64,
    /// How many processors the clients and the provider took.
    others_cores: f64,
}

impl Paid {
    fn with(&self, other: &Self) -> Self {
        Self {
            charges: self.charges + other.charges,
            elapsed: self.elapsed + other.elapsed,
            seconds: self.seconds + other.seconds,
            others_cores: f64::midpoint(self.others_cores, other.others_cores),
        }
    }

    fn per_second(&self) -> f64 {
        rate(self.charges, self.elapsed)
    }

    /// The processor time of a charge, in microseconds.
    fn processor_us(&self) -> f64 {
        microseconds(self.seconds, self.charges as u64)
    }
}

impl BenchShop {
    /// Starts the service, creates the charges, and pays a few.
    async fn open(binary: &Path, dir: &Path, database: &str, charges: usize) -> Result<Self> {
        let program = Program::new(binary, dir);
        let simulator = program.serve("simulator")?;
        let node = program.serve(&service(database, &simulator.url))?;
        let merchant = TrialMerchant::add(&program, database, "")?;
        let made = merchant.create_many(&node.url, charges + WARM_UP).await?;
        let mut requests: Vec<_> = made
            .iter()
            .map(|charge| merchant.press_bytes(charge, "press", GOOD_CARD))
            .collect();
        let warm_up = requests.split_off(charges);
        let shop = Self {
            simulator,
            node,
            merchant,
            requests,
        };
        shop.pay(&warm_up).await?;
        Ok(shop)
    }

    /// Pays half of the charges before the yardstick is measured, and half after it, because the speed of a shared disk
    /// varies. During the yardstick a load takes as much processor time as the clients and the provider, which are on this
    /// machine, too. Returns the paid charges and the yardstick's figure.
    async fn measure(self, yardstick: impl FnOnce() -> Result<f64>) -> Result<(Paid, f64)> {
        let (first, second) = self.requests.split_at(self.requests.len() / 2);
        let first = self.pay(first).await?;
        let load = ProcessorLoad::start(first.others_cores);
        let of_yardstick = yardstick()?;
        drop(load);
        let second = self.pay(second).await?;
        let approved = self.merchant.ledger(&self.simulator.url).await?.len();
        let paid = self.requests.len() + WARM_UP;
        ensure!(approved == paid, "{approved} payments in the ledger");
        self.node.end().await?;
        Ok((first.with(&second), of_yardstick))
    }

    /// Presses the pay button of each charge; the approval is stored before the answer.
    async fn pay(&self, requests: &[Vec<u8>]) -> Result<Paid> {
        let others = || -> Result<f64> {
            Ok(processor_seconds(self.simulator.id())? + processor_seconds(std::process::id())?)
        };
        let address = self.node.url.trim_start_matches("http://").parse()?;
        let (charges, requests) = (requests.len(), requests.to_vec());
        let (before, others_before) = (processor_seconds(self.node.id())?, others()?);
        let start = Instant::now();
        pay_all(address, requests).await?;
        let elapsed = start.elapsed();
        Ok(Paid {
            charges,
            elapsed,
            seconds: processor_seconds(self.node.id())? - before,
            others_cores: (others()? - others_before) / elapsed.as_secs_f64(),
        })
    }
}

/// Repeats one insert and one commit, synced to the disk, on one connection.
fn sqlite_commits_per_second(file: &Path) -> Result<f64> {
    let connection = Connection::open(file)?;
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; \
             CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT NOT NULL)",
    )?;
    let mut insert = connection.prepare("INSERT INTO rows (text) VALUES (?1)")?;
    let start = Instant::now();
    let mut commits = 0;
    while start.elapsed() < YARDSTICK {
        insert.execute(["a row of about the length of an attempt"])?;
        commits += 1;
    }
    Ok(rate(commits, start.elapsed()))
}

/// PostgreSQL's own benchmark, on the same server: one update, one select, one insert.
fn pgbench_per_second(postgres: &Postgres) -> Result<f64> {
    let database = postgres.new_database_name()?;
    let run = |arguments: &[&str]| output_of(postgres.program("pgbench").args(arguments).arg(&database));
    run(&["-i", "-s", "10", "-q"])?;
    let (clients, seconds) = (AT_ONCE.to_string(), YARDSTICK.as_secs().to_string());
    let said = run(&["-N", "-c", &clients, "-j", "2", "-T", &seconds, "-M", "prepared"])?;
    let tps = said.lines().find_map(|line| line.strip_prefix("tps = "));
    let tps = tps.and_then(|line| line.split(' ').next());
    Ok(tps.context("pgbench told no tps")?.parse()?)
}

fn rate(count: usize, elapsed: Duration) -> f64 {
    1e6 / microseconds(elapsed.as_secs_f64(), count as u64)
}
