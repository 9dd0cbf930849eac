//! `cargo xtask demo`: from a fresh clone to a running demo shop; with nothing changed, at once.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use crate::failure::Failure;
use crate::{build, process};

/// Builds what changed, then becomes `cardform demo` with the given arguments.
pub(crate) fn run(root: &Path, arguments: &[OsString]) -> Result<(), Failure> {
    let binary = build::release(root)?;
    let mut server = Command::new(binary);
    server.arg("demo").args(arguments);
    Err(process::become_program(&mut server))
}
