//! `cargo xtask check`: formatting, lints, types, packages, and rules of this repository. One run shows all findings.

mod packages;

use std::path::Path;

use crate::failure::Failure;
use crate::{generate, npm, prerequisites, process, tidy};

/// A check prints its findings, and fails if there are any.
type Check = (&'static str, fn(&Path) -> Result<(), Failure>);

/// The checks that need no build of the crates.
const QUICK: [Check; 6] = [
    ("map, citations, sleeping tests", tidy::check),
    ("cargo fmt", rust_format),
    ("biome", biome),
    ("tsc", types),
    ("licences, sources and bans", packages::are_allowed),
    ("known vulnerabilities", packages::have_no_known_vulnerability),
];

/// Runs every check.
pub(crate) fn run(root: &Path) -> Result<(), Failure> {
    prerequisites::for_building()?;
    npm::install(root)?;
    let slow: [Check; 2] = [("generated TypeScript", generate::is_current), ("clippy", clippy)];
    all_pass(root, QUICK.into_iter().chain(slow))?;
    println!("all checks passed");
    Ok(())
}

/// Runs the checks that need no build.
pub(crate) fn quick(root: &Path) -> Result<(), Failure> {
    all_pass(root, QUICK)
}

fn all_pass(root: &Path, checks: impl IntoIterator<Item = Check>) -> Result<(), Failure> {
    let mut failed = Vec::new();
    for (name, check) in checks {
        eprintln!("checking: {name}");
        if let Err(failure) = check(root) {
            failed.push(format!("{name}: {failure}"));
        }
    }
    Failure::unless(failed.is_empty(), || failed.join("; "))
}

fn rust_format(root: &Path) -> Result<(), Failure> {
    process::run(process::cargo(root).args(["fmt", "--all", "--check", "--", "-l"]))
}

fn biome(root: &Path) -> Result<(), Failure> {
    process::run(process::installed(root, "biome").args(["check", "--error-on-warnings", "."]))
}

fn types(root: &Path) -> Result<(), Failure> {
    let mut failed = Vec::new();
    for workspace in npm::workspaces(root)? {
        let mut tsc = process::installed(root, "tsc");
        if process::run(tsc.args(["--noEmit", "-p", &workspace])).is_err() {
            failed.push(workspace);
        }
    }
    Failure::unless(failed.is_empty(), || failed.join(", "))
}

/// Clippy, without a warning.
pub(crate) fn clippy(root: &Path) -> Result<(), Failure> {
    let mut clippy = process::cargo(root);
    clippy.args(["clippy", "--workspace", "--all-targets", "--locked"]);
    process::run(clippy.args(["--", "-D", "warnings"]))
}
