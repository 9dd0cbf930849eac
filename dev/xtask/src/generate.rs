//! `cargo xtask generate`: the TypeScript that mirrors the Rust crates, written by the crate `generate`.

use std::path::Path;
use std::process::Command;

use crate::failure::Failure;
use crate::process;

/// Writes the files that are not current, and names them.
pub(crate) fn run(root: &Path) -> Result<(), Failure> {
    process::run(&mut generate(root))
}

/// Fails when a generated file differs from the Rust crates.
pub(crate) fn is_current(root: &Path) -> Result<(), Failure> {
    process::run(generate(root).arg("--check"))
}

fn generate(root: &Path) -> Command {
    let mut command = process::cargo(root);
    command.args(["run", "--quiet", "--locked", "--package", "generate", "--"]);
    command
}
