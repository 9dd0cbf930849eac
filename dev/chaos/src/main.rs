//! The drills as sub-commands. `cargo xtask chaos` runs them.

use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Result;
use chaos::books::Contradictions;
use chaos::killed_nodes::{Chaos, FAILED_SEEDS};
use chaos::provider::ChosenProvider;
use chaos::{billing, failover, faults, image, provider_outage, refunds, restore, rolling};
use clap::{Parser, Subcommand};
use harness::postgres::{Durability, Postgres};
use tempfile::tempdir;

/// More shoppers than nodes, so that many attempts wait for a dead node's lease.
const SHOPPERS: usize = 48;
/// Localstripe handles one request at a time.
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
    /// A charge is refunded two hundred times at once while nodes are killed.
    Refunds {
        /// The program `localstripe`.
        #[arg(long)]
        localstripe: PathBuf,
    },
    /// Shoppers save cards, and a script bills each of them while nodes are killed.
    Billing,
    /// Databases and nodes fail.
    Faults,
    /// The provider is unavailable, and comes back.
    Outage,
    /// The primary of a PostgreSQL cluster fails.
    Cluster,
    /// Two nodes of an older version are replaced behind HAProxy while charges are held.
    Upgrade {
        /// The older program `cardform`.
        #[arg(long)]
        older: PathBuf,
    },
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
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let (binary, charges, seed) = (&arguments.binary, arguments.charges, arguments.seed);
    let folder = tempdir()?;
    match arguments.drill {
        Drill::Nodes => killed_nodes(binary, &ChosenProvider::Simulator, charges, seed).await,
        Drill::Stripe { localstripe } => {
            let provider = ChosenProvider::Localstripe(localstripe);
            killed_nodes(binary, &provider, charges, seed).await
        }
        Drill::Refunds { localstripe } => {
            let seed = shown(seed);
            for provider in [
                ChosenProvider::Simulator,
                ChosenProvider::Localstripe(localstripe),
            ] {
                println!(
                    "{}",
                    refunds::run(binary, tempdir()?.path(), &provider, seed).await?
                );
            }
            Ok(())
        }
        Drill::Billing => {
            let shoppers = charges.unwrap_or(1_000);
            println!(
                "{}",
                billing::run(binary, folder.path(), shoppers, shown(seed)).await?
            );
            Ok(())
        }
        Drill::Faults => faults::run(binary, shown(seed)).await,
        Drill::Outage => {
            let charges = charges.unwrap_or(30_000);
            println!("{}", provider_outage::run(binary, folder.path(), charges).await?);
            Ok(())
        }
        Drill::Cluster => failover::run(binary, folder.path(), shown(seed)).await,
        Drill::Upgrade { older } => {
            let postgres = Postgres::start(Durability::None)?;
            let database = postgres.new_database()?;
            let ended = rolling::run(binary, Some(&older), &database, folder.path(), async || Ok(()));
            println!("{}", ended.await?);
            Ok(())
        }
        Drill::Restore => {
            println!("{}", restore::on_sqlite(binary, folder.path()).await?);
            println!("{}", restore::on_postgres(binary, tempdir()?.path()).await?);
            Ok(())
        }
        Drill::Image { settings } => image::drill(binary, &settings, folder.path()).await,
    }
}

/// The seed, or a new one. It is printed, so that the drill can be repeated.
fn shown(seed: Option<u64>) -> u64 {
    let seed = seed.unwrap_or_else(|| RandomState::new().hash_one(0));
    eprintln!("seed {seed}");
    seed
}

async fn killed_nodes(
    binary: &Path,
    provider: &ChosenProvider,
    charges: Option<usize>,
    seed: Option<u64>,
) -> Result<()> {
    let seeds = match seed {
        Some(_) => vec![seed],
        None => FAILED_SEEDS.map(Some).into_iter().chain([None]).collect(),
    };
    for seed in seeds.into_iter().map(shown) {
        let ended = on_both_databases(binary, provider, charges, seed).await;
        if ended.as_ref().is_err_and(anyhow::Error::is::<Contradictions>) {
            eprintln!("add the seed {seed} to FAILED_SEEDS with the change that mends the fault");
        }
        ended?;
    }
    Ok(())
}

async fn on_both_databases(
    binary: &Path,
    provider: &ChosenProvider,
    charges: Option<usize>,
    seed: u64,
) -> Result<()> {
    let (usual, shoppers) = match provider {
        ChosenProvider::Simulator => (1_000, SHOPPERS),
        // It writes all its data to a file at each change, so its time for a charge grows.
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
            charges: charges.unwrap_or(usual),
            shoppers,
            seed,
            stands_still: true,
        };
        let start = Instant::now();
        let report = chaos.run(binary, tempdir()?.path()).await?;
        let seconds = start.elapsed().as_secs();
        println!("- {name}, nodes: {nodes}, {seconds} s. {report}");
    }
    Ok(())
}
