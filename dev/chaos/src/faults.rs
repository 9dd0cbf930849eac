//! A database that is restarted, cut off, silent, read-only, locked or full, and nodes whose clocks jump, while shoppers pay.
//! Nodes are also killed while a database fails. Each fault must be seen to happen; in the end all books agree.

mod clock;
mod postgres;
mod sqlite;

use std::path::Path;

use anyhow::Result;
use harness::companion::open_to_all;
use harness::process::Program;
use tempfile::tempdir;

/// Runs the drills one after another, each in a folder of its own.
pub async fn run(binary: &Path, seed: u64) -> Result<()> {
    let dirs = [tempdir()?, tempdir()?, tempdir()?, tempdir()?];
    for dir in &dirs {
        open_to_all(dir.path())?;
    }
    let [first, second, third, fourth] = dirs.each_ref().map(|dir| Program::new(binary, dir.path()));
    postgres::drill(first, seed).await?;
    postgres::drill_with_killed_nodes(second, seed).await?;
    sqlite::drill(third, seed).await?;
    clock::drill(fourth, seed).await
}
