//! Charges, pages and events per second, and lists of long tables, measured by the trial in a process of its own.

use std::ffi::OsStr;
use std::path::Path;

use super::row::Row;
use crate::failure::Failure;
use crate::test::python::KAFKA_BROKER;
use crate::test::{machine, postgres};
use crate::{build, process};

/// On SQLite and on PostgreSQL, beside what the same disk gives each without us.
pub(super) fn rows(root: &Path) -> Result<Vec<Row>, Failure> {
    postgres::installed()?;
    machine::yardsticks_installed()?;
    trial(root, "bench", &[])
}

/// What a charge costs in statements, commits, bytes, calls and processor time.
pub(super) fn costs(root: &Path) -> Result<Vec<Row>, Failure> {
    postgres::installed()?;
    trial(root, "costs", &[])
}

/// Pages per second and the memory they take, beside nginx with the same bytes.
pub(super) fn pages(root: &Path) -> Result<Vec<Row>, Failure> {
    machine::yardsticks_installed()?;
    trial(root, "pages", &[])
}

/// Pages and handshakes over TLS, beside nginx with the same certificate.
pub(super) fn tls(root: &Path) -> Result<Vec<Row>, Failure> {
    machine::yardsticks_installed()?;
    trial(root, "tls", &[])
}

/// Events per second into each sink, and what pages and memory make of it.
pub(super) fn events(root: &Path) -> Result<Vec<Row>, Failure> {
    postgres::installed()?;
    let broker = KAFKA_BROKER.installed(root)?;
    trial(root, "events", &["--broker".as_ref(), broker.as_os_str()])
}

/// Saved cards and the operator's report beside millions of rows. It takes about half an hour and 20 GB of disk.
pub(super) fn lists(root: &Path) -> Result<Vec<Row>, Failure> {
    postgres::installed()?;
    trial(root, "lists", &[])
}

fn trial(root: &Path, name: &str, arguments: &[&OsStr]) -> Result<Vec<Row>, Failure> {
    // As `cargo xtask build` builds it: what is measured is the release, and what that has built is not built again.
    let target = process::target_folder(root);
    process::run(&mut build::release_command(root, &target))?;
    process::run(&mut build::counted_command(root, &target, "trial"))?;
    let built = target.join("release");
    let mut trial = std::process::Command::new(built.join("trial"));
    trial
        .args([name, "--binary"])
        .arg(built.join("cardform"))
        .args(arguments);
    let (status, lines) = process::tee(&mut trial)?;
    process::expect_success(&trial, status)?;
    lines.lines().map(Row::parse).collect()
}
