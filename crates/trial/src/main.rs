//! `cargo xtask chaos`, and the charges, pages, events and lists of `cargo xtask bench`, in a process of their own.

use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use serde_json::Value;
use trial::TrialError;
use trial::chaos::Chaos;
use trial::postgres::{Durability, Postgres};

const USAGE: &str =
    "trial chaos|bench|pages|events|lists --binary FILE [--broker FILE] [--charges N] [--seed N]";
/// How many charges each database gets.
const CHARGES: usize = 1_000;
const CHARGES_OF_BENCH: usize = 8_000;
/// There are half as many saved cards.
const CHARGES_IN_LISTS: usize = 10_000_000;
/// As many as attempts may wait for a dead node's lease.
const SHOPPERS: usize = 48;

/// The kind of trial.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trial {
    Chaos,
    Charges,
    Pages,
    Events,
    Lists,
}

struct TrialArguments {
    trial: Trial,
    binary: PathBuf,
    /// The Kafka broker's program, which only events need.
    broker: PathBuf,
    charges: usize,
    seed: u64,
}

fn asked(mut arguments: impl Iterator<Item = String>) -> Option<TrialArguments> {
    let trial = match arguments.next()?.as_str() {
        "chaos" => Trial::Chaos,
        "bench" => Trial::Charges,
        "pages" => Trial::Pages,
        "events" => Trial::Events,
        "lists" => Trial::Lists,
        _ => return None,
    };
    let mut binary = None;
    let mut broker = PathBuf::new();
    let mut charges = match trial {
        Trial::Charges => CHARGES_OF_BENCH,
        Trial::Lists => CHARGES_IN_LISTS,
        Trial::Chaos | Trial::Pages | Trial::Events => CHARGES,
    };
    let mut seed = RandomState::new().hash_one(0);
    while let Some(name) = arguments.next() {
        let value = arguments.next()?;
        match name.as_str() {
            "--binary" => binary = Some(PathBuf::from(value)),
            "--broker" => broker = PathBuf::from(value),
            "--charges" => charges = value.parse().ok()?,
            "--seed" => seed = value.parse().ok()?,
            _ => return None,
        }
    }
    Some(TrialArguments {
        trial,
        binary: binary?,
        broker,
        charges,
        seed,
    })
}

#[tokio::main]
async fn main() -> ExitCode {
    let Some(asked) = asked(std::env::args().skip(1)) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let ended = match asked.trial {
        Trial::Chaos => both(&asked).await,
        Trial::Charges => trial::bench::rows(&asked.binary, asked.charges).await.map(print),
        Trial::Pages => trial::pages::rows(&asked.binary).await.map(print),
        Trial::Events => trial::events::rows(&asked.binary, &asked.broker).await.map(print),
        Trial::Lists => trial::lists::rows(&asked.binary, asked.charges).await.map(print),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// One row of JSON a line.
fn print(rows: Vec<Value>) {
    for row in rows {
        println!("{row}");
    }
}

async fn both(asked: &TrialArguments) -> Result<(), TrialError> {
    println!("seed {}", asked.seed);
    one(asked, "SQLite", "sqlite:cardform.db".to_owned(), 1).await?;
    // The trial tests killed processes, not power failures, so syncing to the disk is not needed; a long trial uses it
    // anyway.
    let postgres = Postgres::start(Durability::Full)?;
    one(asked, "PostgreSQL", postgres.new_database()?, 2).await
}

async fn one(asked: &TrialArguments, name: &str, database: String, nodes: usize) -> Result<(), TrialError> {
    let dir =
        tempfile::tempdir().map_err(|cause| TrialError::Start("a temporary folder".to_owned(), cause))?;
    let chaos = Chaos {
        database,
        nodes,
        charges: asked.charges,
        shoppers: SHOPPERS,
        seed: asked.seed,
    };
    let start = Instant::now();
    let report = chaos.run(&asked.binary, dir.path()).await?;
    println!(
        "{name}, nodes: {nodes}. {} charges in {} s: {} paid once, {} not at all; {} kills, {} lost answers, {} events. The books agree.",
        asked.charges,
        start.elapsed().as_secs(),
        report.paid,
        report.unpaid,
        report.kills,
        report.lost_answers,
        report.events,
    );
    Ok(())
}
