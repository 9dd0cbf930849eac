//! Charges, pages and lists, measured by `dev/bench` in a process of its own.

use std::path::Path;

use super::row::Row;
use crate::failure::Failure;
use crate::test::{machine, postgres};
use crate::{build, process};

/// The rows of one sub-command of `dev/bench`, for a release as `cargo xtask build` builds it.
pub(super) fn rows(root: &Path, name: &str) -> Result<Vec<Row>, Failure> {
    postgres::installed()?;
    machine::yardsticks_installed()?;
    let target = process::target_folder(root);
    process::run(&mut build::release_command(root, &target))?;
    process::run(&mut build::counted_command(root, &target, "bench"))?;
    let built = target.join("release");
    let mut bench = std::process::Command::new(built.join("bench"));
    bench.arg("--binary").arg(built.join("cardform")).arg(name);
    let (status, lines) = process::tee(&mut bench)?;
    process::expect_success(&bench, status)?;
    lines.lines().map(Row::parse).collect()
}
