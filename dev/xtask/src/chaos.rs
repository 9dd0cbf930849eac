//! `cargo xtask chaos`: the drills of `dev/chaos`. Without a name, nodes are killed while shoppers pay, with the simulator and
//! then with Stripe's connector; then a charge is refunded many times at once; then shoppers are billed; then databases and nodes
//! fail.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::failure::Failure;
use crate::process;
use crate::test::python::LOCALSTRIPE;
use crate::test::{machine, postgres};

/// The drills that run without a name.
const USUAL: [&str; 5] = ["nodes", "stripe", "refunds", "billing", "faults"];

/// Runs the drill that the first argument names, or the usual ones. The other arguments go to each drill.
pub(crate) fn run(root: &Path, arguments: &[OsString]) -> Result<(), Failure> {
    let (drills, arguments) = drills(arguments);
    drills
        .into_iter()
        .try_for_each(|name| drill(root, name, arguments))
}

/// The drills, and the arguments for each. `--cluster` is another name of `cluster`.
fn drills(arguments: &[OsString]) -> (Vec<&OsStr>, &[OsString]) {
    match arguments {
        [name, rest @ ..] if name == "--cluster" => (vec!["cluster".as_ref()], rest),
        [name, rest @ ..] if !name.to_string_lossy().starts_with('-') => (vec![name.as_ref()], rest),
        _ => (USUAL.iter().map(OsStr::new).collect(), arguments),
    }
}

/// Checks the programs that the drill needs, builds the server, and runs the drill on it.
fn drill(root: &Path, name: &OsStr, arguments: &[OsString]) -> Result<(), Failure> {
    postgres::installed()?;
    if name == "cluster" {
        machine::cluster_installed()?;
    }
    if name == "faults" {
        machine::faults_installed()?;
    }
    process::run(process::cargo(root).args(["build", "--locked", "--package", "server"]))?;
    let mut drill = process::cargo(root);
    drill.args([
        "run",
        "--locked",
        "--quiet",
        "--package",
        "chaos",
        "--",
        "--binary",
    ]);
    drill.arg(process::target_folder(root).join("debug/cardform"));
    drill.arg(name).args(arguments);
    if name == "stripe" || name == "refunds" {
        drill.arg("--localstripe").arg(LOCALSTRIPE.installed()?);
    }
    process::run(&mut drill)
}

#[cfg(test)]
mod tests;
