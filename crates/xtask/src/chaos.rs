//! `cargo xtask chaos`: the long form of the trial in which nodes are killed while shoppers pay.

use std::ffi::OsString;
use std::path::Path;

use crate::failure::Failure;
use crate::process;
use crate::test::postgres;

/// Builds the server, and holds the trial on it; the arguments go to the trial.
pub(crate) fn run(root: &Path, arguments: &[OsString]) -> Result<(), Failure> {
    postgres::installed()?;
    process::run(process::cargo(root).args(["build", "--locked", "--package", "server"]))?;
    let mut trial = process::cargo(root);
    trial.args([
        "run",
        "--locked",
        "--quiet",
        "--package",
        "trial",
        "--",
        "chaos",
        "--binary",
    ]);
    trial.arg(process::target_folder(root).join("debug/cardform"));
    process::run(trial.args(arguments))
}
