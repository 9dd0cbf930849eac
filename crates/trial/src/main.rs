//! `cargo xtask chaos`, the start of the image, and the charges, pages, events and lists of `cargo xtask bench`, in a process of their own.

use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use serde_json::Value;
use trial::TrialError;
use trial::chaos::{Chaos, TrialReport};
use trial::failover::{Fault, PAYING_AGAIN_WITHIN};
use trial::faults;
use trial::kept_seeds;
use trial::postgres::{Durability, Postgres};
use trial::provider::ChosenProvider;

const USAGE: &str = "trial chaos|stripe|faults|outage|cluster|drill|bench|costs|capacity|pages|tls|events|lists|image|training --binary FILE [--localstripe FILE] [--broker FILE] [--settings FILE] [--charges N] [--seed N]";
/// How many charges each database gets.
const CHARGES: usize = 1_000;
/// Localstripe writes all that it keeps to a file whenever something changes, so its time per charge grows.
const CHARGES_WITH_STRIPE: usize = 100;
const CHARGES_OF_BENCH: usize = 8_000;
const CHARGES_OF_OUTAGE: usize = 30_000;
const CHARGES_OF_COSTS: usize = 400;
/// There are half as many saved cards.
const CHARGES_IN_LISTS: usize = 10_000_000;
/// As many as attempts may wait for a dead node's lease.
const SHOPPERS: usize = 48;
/// Localstripe does one thing at a time.
const SHOPPERS_WITH_STRIPE: usize = 8;

/// The kind of trial.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trial {
    Chaos,
    Stripe,
    Faults,
    Outage,
    Drill,
    Cluster,
    Charges,
    Costs,
    Capacity,
    Pages,
    Tls,
    Events,
    Lists,
    Image,
    Training,
}

struct TrialArguments {
    trial: Trial,
    /// `cardform`; for the image, the one in its unpacked file system.
    binary: PathBuf,
    /// `localstripe`, which only the trial with Stripe's connector needs.
    localstripe: PathBuf,
    /// The Kafka broker's program, which only events need.
    broker: PathBuf,
    /// The settings of production, which only the image needs.
    settings: PathBuf,
    charges: usize,
    /// Without one, the seeds that failed before, and then a new one.
    seed: Option<u64>,
}

fn asked(mut arguments: impl Iterator<Item = String>) -> Option<TrialArguments> {
    let trial = match arguments.next()?.as_str() {
        "chaos" => Trial::Chaos,
        "stripe" => Trial::Stripe,
        "faults" => Trial::Faults,
        "outage" => Trial::Outage,
        "drill" => Trial::Drill,
        "cluster" => Trial::Cluster,
        "bench" => Trial::Charges,
        "costs" => Trial::Costs,
        "capacity" => Trial::Capacity,
        "pages" => Trial::Pages,
        "tls" => Trial::Tls,
        "events" => Trial::Events,
        "lists" => Trial::Lists,
        "image" => Trial::Image,
        "training" => Trial::Training,
        _ => return None,
    };
    let mut binary = None;
    let mut localstripe = PathBuf::new();
    let mut broker = PathBuf::new();
    let mut settings = PathBuf::new();
    let mut charges = match trial {
        Trial::Stripe => CHARGES_WITH_STRIPE,
        Trial::Charges => CHARGES_OF_BENCH,
        Trial::Lists => CHARGES_IN_LISTS,
        Trial::Costs => CHARGES_OF_COSTS,
        Trial::Outage => CHARGES_OF_OUTAGE,
        Trial::Chaos
        | Trial::Faults
        | Trial::Cluster
        | Trial::Drill
        | Trial::Capacity
        | Trial::Pages
        | Trial::Tls
        | Trial::Events
        | Trial::Image
        | Trial::Training => CHARGES,
    };
    let mut seed = None;
    while let Some(name) = arguments.next() {
        let value = arguments.next()?;
        match name.as_str() {
            "--binary" => binary = Some(PathBuf::from(value)),
            "--localstripe" => localstripe = PathBuf::from(value),
            "--broker" => broker = PathBuf::from(value),
            "--settings" => settings = PathBuf::from(value),
            "--charges" => charges = value.parse().ok()?,
            "--seed" => seed = Some(value.parse().ok()?),
            _ => return None,
        }
    }
    Some(TrialArguments {
        trial,
        binary: binary?,
        localstripe,
        broker,
        settings,
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
        Trial::Chaos | Trial::Stripe => chaos(&asked).await,
        Trial::Faults => faults(&asked).await,
        Trial::Outage => outage(&asked).await,
        Trial::Drill => drill(&asked).await,
        Trial::Cluster => cluster(&asked).await,
        Trial::Costs => trial::costs::rows(&asked.binary, asked.charges).await.map(print),
        Trial::Capacity => {
            print!("{}", trial::capacity::table(trial::capacity::MEASURED));
            Ok(())
        }
        Trial::Charges => trial::bench::rows(&asked.binary, asked.charges).await.map(print),
        Trial::Pages => trial::pages::rows(&asked.binary).await.map(print),
        Trial::Tls => trial::tls::rows(&asked.binary).await.map(print),
        Trial::Events => trial::events::rows(&asked.binary, &asked.broker).await.map(print),
        Trial::Lists => trial::lists::rows(&asked.binary, asked.charges).await.map(print),
        Trial::Image => trial::image::run(&asked.binary, &asked.settings).await,
        Trial::Training => trial::training::run(&asked.binary).await,
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

async fn chaos(asked: &TrialArguments) -> Result<(), TrialError> {
    let seeds = if let Some(seed) = asked.seed {
        vec![seed]
    } else {
        let mut seeds = kept_seeds::kept()?;
        seeds.push(RandomState::new().hash_one(0));
        seeds
    };
    for seed in seeds {
        if let Err(error) = both(asked, seed).await {
            if let TrialError::Books(_) = error {
                kept_seeds::keep(seed)?;
            }
            return Err(error);
        }
    }
    Ok(())
}

async fn both(asked: &TrialArguments, seed: u64) -> Result<(), TrialError> {
    eprintln!("seed {seed}");
    one(asked, seed, "SQLite", "sqlite:cardform.db".to_owned(), 1).await?;
    // The trial tests killed processes, not power failures, so syncing to the disk is not needed; a long trial uses it
    // anyway.
    let postgres = Postgres::start(Durability::Full)?;
    one(asked, seed, "PostgreSQL", postgres.new_database()?, 2).await
}

async fn outage(asked: &TrialArguments) -> Result<(), TrialError> {
    let dir =
        tempfile::tempdir().map_err(|cause| TrialError::Start("a temporary folder".to_owned(), cause))?;
    let report = trial::provider_outage::run(&asked.binary, dir.path(), asked.charges).await?;
    let seconds = report.settled_in.as_secs_f64();
    println!(
        "{} outcomes were unknown when the provider came back, and all were settled {seconds:.1} s later: {} paid once, {} not at \
         all. Of the half that was settled first, {} % belong to the older half. The books agree.",
        report.unknown,
        report.taken,
        asked.charges - report.taken,
        report.oldest_first_percent,
    );
    Ok(())
}

async fn drill(asked: &TrialArguments) -> Result<(), TrialError> {
    let folder =
        || tempfile::tempdir().map_err(|cause| TrialError::Start("a temporary folder".to_owned(), cause));
    let (first, second) = (folder()?, folder()?);
    let reports = [
        trial::drill::on_sqlite(&asked.binary, first.path()).await?,
        trial::drill::on_postgres(&asked.binary, second.path()).await?,
    ];
    for report in reports {
        println!("{}: {} charges paid, each once.", report.database, report.paid);
        println!("  reconciled: {}", report.reconciled);
    }
    Ok(())
}

/// Prints a table of Markdown, as docs/reliability.md has it.
async fn faults(asked: &TrialArguments) -> Result<(), TrialError> {
    let seed = asked.seed.unwrap_or_else(|| RandomState::new().hash_one(0));
    eprintln!("seed {seed}");
    let folder =
        || tempfile::tempdir().map_err(|cause| TrialError::Start("a temporary folder".to_owned(), cause));
    let (first, second, third, fourth) = (folder()?, folder()?, folder()?, folder()?);
    let suffered = [
        faults::on_postgres(&asked.binary, first.path(), seed).await?,
        faults::on_sqlite(&asked.binary, second.path(), seed).await?,
        faults::on_nodes(&asked.binary, third.path(), seed).await?,
        faults::on_killed_nodes(&asked.binary, fourth.path(), seed).await?,
    ];
    println!(
        "| what happens | seen by | longest time without a paid charge | paid until the next fault |\n|---|---|---|---|"
    );
    for fault in suffered.iter().flat_map(|suffered| &suffered.faults) {
        let seconds = fault.lasted.as_secs_f64();
        println!(
            "| {} | {} | {seconds:.1} s | {} |",
            fault.what, fault.seen, fault.paid
        );
    }
    let books = suffered.iter().map(|suffered| &suffered.books);
    let sum = |count: fn(&TrialReport) -> usize| books.clone().map(count).sum::<usize>();
    println!(
        "\n{} charges: {} paid once, {} not at all; {} challenges, {} paid with saved cards; {} answers lost, {} events. The books agree.",
        sum(|books| books.paid + books.unpaid),
        sum(|books| books.paid),
        sum(|books| books.unpaid),
        sum(|books| books.challenges),
        sum(|books| books.paid_with_saved),
        sum(|books| books.lost_answers),
        sum(|books| books.events),
    );
    for left_out in suffered.iter().flat_map(|suffered| &suffered.left_out) {
        println!("\nNot tried: {left_out}.");
    }
    Ok(())
}

/// Prints a table of Markdown, as docs/reliability.md has it.
async fn cluster(asked: &TrialArguments) -> Result<(), TrialError> {
    let seed = asked.seed.unwrap_or_else(|| RandomState::new().hash_one(0));
    eprintln!("seed {seed}");
    let dir =
        tempfile::tempdir().map_err(|cause| TrialError::Start("a temporary folder".to_owned(), cause))?;
    let (outages, report) = trial::failover::run(&asked.binary, dir.path(), seed).await?;
    println!(
        "| the primary | longest time without a paid charge | paid until the next fault |\n|---|---|---|"
    );
    for outage in &outages {
        let what = match outage.fault {
            Fault::Killed => "is killed with its Patroni (SIGKILL)",
            Fault::Frozen => {
                "stands still with its Patroni (SIGSTOP), and goes on when another one has taken over"
            }
            Fault::CutOff => "no longer reaches etcd, while clients still reach it",
            Fault::SwitchedOver => "is changed by hand (`patronictl switchover`)",
        };
        let seconds = outage.lasted.as_secs_f64();
        println!("| {what} | {seconds:.1} s | {} |", outage.paid);
    }
    println!(
        "\n{} charges: {} paid once, {} not at all; {} answers lost, {} events. The books agree.",
        report.paid + report.unpaid,
        report.paid,
        report.unpaid,
        report.lost_answers,
        report.events
    );
    match outages.iter().find(|outage| outage.lasted > PAYING_AGAIN_WITHIN) {
        Some(outage) => Err(TrialError::Books(vec![format!(
            "{:?}: nobody could pay for {} s, and {} s are allowed",
            outage.fault,
            outage.lasted.as_secs(),
            PAYING_AGAIN_WITHIN.as_secs()
        )])),
        None => Ok(()),
    }
}

async fn one(
    asked: &TrialArguments,
    seed: u64,
    name: &str,
    database: String,
    nodes: usize,
) -> Result<(), TrialError> {
    let dir =
        tempfile::tempdir().map_err(|cause| TrialError::Start("a temporary folder".to_owned(), cause))?;
    let (provider, shoppers) = match asked.trial {
        Trial::Stripe => (
            ChosenProvider::Localstripe(asked.localstripe.clone()),
            SHOPPERS_WITH_STRIPE,
        ),
        _ => (ChosenProvider::Simulator, SHOPPERS),
    };
    let chaos = Chaos {
        database,
        provider,
        nodes,
        charges: asked.charges,
        shoppers,
        seed,
        stands_still: true,
    };
    let start = Instant::now();
    let report = chaos.run(&asked.binary, dir.path()).await?;
    println!(
        "- {name}, nodes: {nodes}. {} charges in {} s: {} paid once, {} not at all; {} challenges, {} paid with saved cards; {} kills, {} lost answers, {} events. The books agree.",
        report.paid + report.unpaid,
        start.elapsed().as_secs(),
        report.paid,
        report.unpaid,
        report.challenges,
        report.paid_with_saved,
        report.kills,
        report.lost_answers,
        report.events,
    );
    Ok(())
}
