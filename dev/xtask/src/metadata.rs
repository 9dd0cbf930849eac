//! What cargo says of the workspace.

use std::path::Path;

use serde_json::Value;

use crate::failure::Failure;
use crate::process;

/// The answer of `cargo metadata`, with these further arguments.
pub(crate) fn metadata(root: &Path, arguments: &[&str]) -> Result<Value, Failure> {
    let mut command = process::cargo(root);
    command
        .args(["metadata", "--format-version=1", "--locked"])
        .args(arguments);
    let output = process::capture(&mut command)?;
    if !output.status.success() {
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
    }
    process::expect_success(&command, output.status)?;
    serde_json::from_slice(&output.stdout).map_err(|error| Failure::Unusable {
        what: "cargo metadata".to_owned(),
        problem: error.to_string(),
    })
}
