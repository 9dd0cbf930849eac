//! The drills as sub-commands. `cargo xtask chaos` and `cargo xtask drill` run them.

use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use chaos::failover::{Fault, PAYING_AGAIN_WITHIN};
use chaos::killed_nodes::{Chaos, TrialReport};
use chaos::provider::ChosenProvider;
use chaos::{drill, failover, faults, image, kept_seeds, provider_outage};
use clap::{Parser, Subcommand};
use harness::TrialError;
use harness::postgres::{Durability, Postgres};
use tempfile::TempDir;

/// As many shoppers as attempts may wait for a dead node's lease.
const SHOPPERS: usize = 48;
/// Localstripe does one thing at a time.
const SHOPPERS_WITH_STRIPE: usize = 8;

/// Fails something while shoppers pay, and compares all books afterwards.
#[derive(Parser)]
struct Arguments {
    /// The program `cardform`; for the image, the one in its unpacked file system.
    #[arg(long)]
    binary: PathBuf,
    /// How many charges are made in each database.
    #[arg(long, global = true)]
    charges: Option<usize>,
    /// Repeats a run. Without it, seeds that failed before come first, and then a new one.
    #[arg(long, global = true)]
    seed: Option<u64>,
    #[command(subcommand)]
    drill: Drill,
}

#[derive(Subcommand)]
enum Drill {
    /// Nodes are killed.
    Nodes,
    /// Nodes with Stripe's connector are killed.
    Stripe {
        /// The program `localstripe`.
        #[arg(long)]
        localstripe: PathBuf,
    },
    /// Databases and nodes fail.
    Faults,
    /// The provider is gone, and comes back.
    Outage,
    /// The primary of a PostgreSQL cluster fails.
    Cluster,
    /// An earlier moment of the database is restored.
    Restore,
    /// The image starts as a container does.
    Image {
        /// The settings of production.
        #[arg(long)]
        settings: PathBuf,
    },
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let ended = match &arguments.drill {
        Drill::Nodes => killed_nodes(&arguments, &ChosenProvider::Simulator).await,
        Drill::Stripe { localstripe } => {
            killed_nodes(&arguments, &ChosenProvider::Localstripe(localstripe.clone())).await
        }
        Drill::Faults => databases_and_nodes(&arguments).await,
        Drill::Outage => outage(&arguments).await,
        Drill::Cluster => cluster(&arguments).await,
        Drill::Restore => restore(&arguments).await,
        Drill::Image { settings } => image::run(&arguments.binary, settings).await,
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

impl Arguments {
    /// The seed of a drill that keeps none. It is printed, so that the drill can be repeated.
    fn seed(&self) -> u64 {
        let seed = self.seed.unwrap_or_else(any_seed);
        eprintln!("seed {seed}");
        seed
    }
}

fn any_seed() -> u64 {
    RandomState::new().hash_one(0)
}

fn folder() -> Result<TempDir, TrialError> {
    tempfile::tempdir().map_err(|cause| TrialError::Start("a temporary folder".to_owned(), cause))
}

async fn killed_nodes(arguments: &Arguments, provider: &ChosenProvider) -> Result<(), TrialError> {
    let seeds = match arguments.seed {
        Some(seed) => vec![seed],
        None => [kept_seeds::kept()?, vec![any_seed()]].concat(),
    };
    for seed in seeds {
        eprintln!("seed {seed}");
        let ended = on_both_databases(arguments, provider, seed).await;
        if let Err(TrialError::Books(_)) = ended {
            kept_seeds::keep(seed)?;
        }
        ended?;
    }
    Ok(())
}

async fn on_both_databases(
    arguments: &Arguments,
    provider: &ChosenProvider,
    seed: u64,
) -> Result<(), TrialError> {
    let (charges, shoppers) = match provider {
        ChosenProvider::Simulator => (1_000, SHOPPERS),
        // It writes all that it keeps to a file at each change, so its time for a charge grows.
        ChosenProvider::Localstripe(_) => (100, SHOPPERS_WITH_STRIPE),
    };
    let postgres = Postgres::start(Durability::Full)?;
    for (name, database, nodes) in [
        ("SQLite", "sqlite:cardform.db".to_owned(), 1),
        ("PostgreSQL", postgres.new_database()?, 2),
    ] {
        let chaos = Chaos {
            database,
            provider: provider.clone(),
            nodes,
            charges: arguments.charges.unwrap_or(charges),
            shoppers,
            seed,
            stands_still: true,
        };
        let start = Instant::now();
        let report = chaos.run(&arguments.binary, folder()?.path()).await?;
        let seconds = start.elapsed().as_secs();
        println!("- {name}, nodes: {nodes}, {seconds} s. {report}");
    }
    Ok(())
}

async fn outage(arguments: &Arguments) -> Result<(), TrialError> {
    let charges = arguments.charges.unwrap_or(30_000);
    let report = provider_outage::run(&arguments.binary, folder()?.path(), charges).await?;
    println!(
        "{} outcomes were unknown when the provider came back, and all were settled {:.1} s later: {} paid once, {} not at \
         all. Of the half that was settled first, {} % belong to the older half. The books agree.",
        report.unknown,
        report.settled_in.as_secs_f64(),
        report.taken,
        charges - report.taken,
        report.oldest_first_percent,
    );
    Ok(())
}

async fn restore(arguments: &Arguments) -> Result<(), TrialError> {
    for report in [
        drill::on_sqlite(&arguments.binary, folder()?.path()).await?,
        drill::on_postgres(&arguments.binary, folder()?.path()).await?,
    ] {
        println!("{}: {} charges paid, each once.", report.database, report.paid);
        println!("  reconciled: {}", report.reconciled);
    }
    Ok(())
}

/// Prints a table of Markdown, as docs/reliability.md has it.
async fn databases_and_nodes(arguments: &Arguments) -> Result<(), TrialError> {
    let seed = arguments.seed();
    let binary = &arguments.binary;
    let suffered = [
        faults::on_postgres(binary, folder()?.path(), seed).await?,
        faults::on_sqlite(binary, folder()?.path(), seed).await?,
        faults::on_nodes(binary, folder()?.path(), seed).await?,
        faults::on_killed_nodes(binary, folder()?.path(), seed).await?,
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
    let all: TrialReport = suffered.iter().map(|suffered| &suffered.books).sum();
    println!("\n{all}");
    for left_out in suffered.iter().flat_map(|suffered| &suffered.left_out) {
        println!("\nNot tried: {left_out}.");
    }
    Ok(())
}

/// Prints a table of Markdown, as docs/reliability.md has it.
async fn cluster(arguments: &Arguments) -> Result<(), TrialError> {
    let (outages, report) = failover::run(&arguments.binary, folder()?.path(), arguments.seed()).await?;
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
    println!("\n{report}");
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
