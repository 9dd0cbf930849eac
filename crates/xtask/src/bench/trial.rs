//! Charges and pages per second, measured by the trial in a process of its own.

use std::path::Path;

use super::row::Row;
use crate::failure::Failure;
use crate::process;
use crate::test::postgres;

/// On SQLite and on PostgreSQL, beside what the same disk gives each without us.
pub(super) fn rows(root: &Path) -> Result<Vec<Row>, Failure> {
    postgres::installed()?;
    trial(root, "bench")
}

/// Pages per second and the memory they take, beside nginx with the same bytes.
pub(super) fn pages(root: &Path) -> Result<Vec<Row>, Failure> {
    trial(root, "pages")
}

fn trial(root: &Path, name: &str) -> Result<Vec<Row>, Failure> {
    // Together, so that what both are made of is built once.
    let packages = ["--package", "server", "--package", "trial"];
    process::run(
        process::cargo(root)
            .args(["build", "--release", "--locked"])
            .args(packages),
    )?;
    let built = process::target_folder(root).join("release");
    let mut trial = std::process::Command::new(built.join("trial"));
    trial.args([name, "--binary"]).arg(built.join("cardform"));
    let (status, lines) = process::tee(&mut trial)?;
    process::expect_success(&trial, status)?;
    lines.lines().map(Row::parse).collect()
}
