//! `cargo xtask generate`: the TypeScript that mirrors the Rust crates, written by the crate `generate`.

use std::ffi::OsString;
use std::path::Path;

use crate::failure::Failure;
use crate::process;

/// The command that refreshes the files, named wherever they are found stale.
pub(crate) const COMMAND: &str = "cargo xtask generate";

/// Writes what is stale and names it.
pub(crate) fn run(root: &Path, arguments: &[OsString]) -> Result<(), Failure> {
    if let Some(argument) = arguments.first() {
        return Err(Failure::Usage(format!(
            "`generate` takes no arguments, and got `{}`",
            argument.display()
        )));
    }
    let written = named(root, &[])?;
    for path in &written {
        println!("wrote {path}");
    }
    if written.is_empty() {
        println!("the generated TypeScript is up to date");
    }
    Ok(())
}

/// The generated files that are missing or differ from what the Rust crates say.
pub(crate) fn stale(root: &Path) -> Result<Vec<String>, Failure> {
    named(root, &["--check"])
}

/// Runs the crate, which names one file on each line.
fn named(root: &Path, arguments: &[&str]) -> Result<Vec<String>, Failure> {
    let mut command = process::cargo(root);
    command.args(["run", "--quiet", "--locked", "--package", "generate", "--"]);
    command.args(arguments);
    let mut named = Vec::new();
    let status = process::each_line(&mut command, process::Stream::Out, |line| {
        named.push(line.to_owned());
    })?;
    process::expect_success(&command, status)?;
    Ok(named)
}
