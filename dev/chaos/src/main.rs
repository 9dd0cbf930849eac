//! The drills as sub-commands. `cargo xtask chaos` and `cargo xtask drill` run them.

use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use chaos::books::Contradictions;
use chaos::killed_nodes::Chaos;
use chaos::provider::ChosenProvider;
use chaos::{failover, faults, image, kept_seeds, provider_outage, restore};
use clap::{Parser, Subcommand};
use harness::postgres::{Durability, Postgres};
use tempfile::tempdir;

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
    match run(&Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: &Arguments) -> Result<()> {
    let (binary, folder) = (&arguments.binary, tempdir()?);
    match &arguments.drill {
        Drill::Nodes => killed_nodes(arguments, &ChosenProvider::Simulator).await?,
        Drill::Stripe { localstripe } => {
            killed_nodes(arguments, &ChosenProvider::Localstripe(localstripe.clone())).await?;
        }
        Drill::Faults => {
            let suffered = faults::run(binary, folder.path(), arguments.seed()).await?;
            println!(
                "| what happens | seen by | longest time without a paid charge | paid until the next fault |\n|---|---|---|---|"
            );
            println!("{}\n\n{}", suffered.rows.join("\n"), suffered.books);
            for left_out in suffered.left_out {
                println!("\nNot tried: {left_out}.");
            }
        }
        Drill::Outage => {
            let charges = arguments.charges.unwrap_or(30_000);
            println!("{}", provider_outage::run(binary, folder.path(), charges).await?);
        }
        Drill::Cluster => {
            let (rows, books) = failover::run(binary, folder.path(), arguments.seed()).await?;
            println!(
                "| the primary | longest time without a paid charge | paid until the next fault |\n|---|---|---|"
            );
            println!("{}\n\n{books}", rows.join("\n"));
        }
        Drill::Restore => {
            println!("{}", restore::on_sqlite(binary, folder.path()).await?);
            println!("{}", restore::on_postgres(binary, tempdir()?.path()).await?);
        }
        Drill::Image { settings } => image::drill(binary, settings, folder.path()).await?,
    }
    Ok(())
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

async fn killed_nodes(arguments: &Arguments, provider: &ChosenProvider) -> Result<()> {
    let seeds = match arguments.seed {
        Some(seed) => vec![seed],
        None => [kept_seeds::kept()?, vec![any_seed()]].concat(),
    };
    for seed in seeds {
        eprintln!("seed {seed}");
        let ended = on_both_databases(arguments, provider, seed).await;
        if ended.as_ref().is_err_and(anyhow::Error::is::<Contradictions>) {
            kept_seeds::keep(seed)?;
        }
        ended?;
    }
    Ok(())
}

async fn on_both_databases(arguments: &Arguments, provider: &ChosenProvider, seed: u64) -> Result<()> {
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
        let report = chaos.run(&arguments.binary, tempdir()?.path()).await?;
        println!(
            "- {name}, nodes: {nodes}, {} s. {report}",
            start.elapsed().as_secs()
        );
    }
    Ok(())
}
