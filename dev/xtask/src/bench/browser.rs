//! Measurements that need the running form: scripts in `e2e/bench`, which print one row of JSON on each line.

use std::path::Path;

use super::row::Row;
use crate::failure::Failure;
use crate::test::machine;
use crate::{build, process};

/// The rows of the script `e2e/bench/{name}.ts`. The demo's server is enough, because the server's build does not change the work
/// of the browser.
pub(super) fn rows(root: &Path, name: &str) -> Result<Vec<Row>, Failure> {
    process::run(&mut build::demo_command(root))?;
    let mut command = std::process::Command::new("node");
    command
        .current_dir(root.join("e2e"))
        .args(["bench/run.mjs", name]);
    command.env("CHROMIUM", machine::installed_chromium()?);
    command.env("CARDFORM_BIN", build::demo_binary(root));
    let (status, rows) = process::tee(&mut command)?;
    process::expect_success(&command, status)?;
    rows.lines().map(Row::parse).collect()
}
