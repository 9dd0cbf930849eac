//! The measurements of `cargo xtask bench` that need a running service. Each sub-command prints rows of the table, one
//! line of JSON each.

mod charges;
mod lists;
mod nginx;
mod page_load;
mod pages;
mod presses;
mod processor;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Measures the service beside its yardsticks.
#[derive(Parser)]
struct Arguments {
    /// The program `cardform`.
    #[arg(long)]
    binary: PathBuf,
    /// How many charges are paid, or are in the large database of the lists.
    #[arg(long, global = true)]
    charges: Option<usize>,
    #[command(subcommand)]
    measurement: Measurement,
}

#[derive(Subcommand)]
enum Measurement {
    /// Charges per second and their processor time, on both databases.
    Charges,
    /// Pages per second, the start, and memory.
    Pages,
    /// Lists of saved cards and the operator's report, beside millions of rows.
    Lists,
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let (binary, charges) = (&arguments.binary, arguments.charges);
    let rows = match arguments.measurement {
        Measurement::Charges => charges::rows(binary, charges.unwrap_or(8_000)).await?,
        Measurement::Pages => pages::rows(binary).await?,
        Measurement::Lists => lists::rows(binary, charges.unwrap_or(10_000_000)).await?,
    };
    for row in rows {
        println!("{row}");
    }
    Ok(())
}
