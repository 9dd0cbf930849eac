//! `cargo xtask build`: the release binary with the page embedded, and the sizes against their budgets.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::{npm, page, prerequisites, process, sizes};

/// Builds, then prints the table of sizes; fails when one is over its budget.
pub(crate) fn run(root: &Path, arguments: &[OsString]) -> Result<(), Failure> {
    if let Some(argument) = arguments.first() {
        return Err(Failure::Usage(format!(
            "`build` takes no arguments, and got `{}`",
            argument.display()
        )));
    }
    let binary = release(root)?;
    let sizes = sizes::measure(&root.join(page::DIST))?;
    println!("{}", sizes::table(&sizes));
    println!("{}", binary.strip_prefix(root).unwrap_or(&binary).display());
    sizes::within_budgets(&sizes)
}

/// Builds what changed of page and server, and returns the path of the release binary.
pub(crate) fn release(root: &Path) -> Result<PathBuf, Failure> {
    prerequisites::for_building()?;
    npm::install(root)?;
    page::build_if_changed(root)?;
    let mut cargo = process::cargo(root);
    // The target folder is given, so that the binary is where this says whatever the machine's configuration is.
    let target = process::target_folder(root);
    cargo.args([
        "build",
        "--release",
        "--locked",
        "--package",
        "server",
        "--target-dir",
    ]);
    cargo.arg(&target);
    process::run(&mut cargo)?;
    Ok(target.join("release/cardform"))
}
