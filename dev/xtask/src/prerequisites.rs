//! The programs that a build needs. If one is missing, the error names it.

use std::process::Command;

use crate::failure::Failure;
use crate::process;

const NODE_REMEDY: &str = "install Node 20.19 or newer, or 22.12 or newer (https://nodejs.org)";

/// Checks that Node, npm and a C compiler are installed. Cargo has started this program.
pub(crate) fn for_building() -> Result<(), Failure> {
    node_and_npm()?;
    // SQLite and the cryptography are C, compiled with the server.
    if process::environment("CC").is_none() && process::on_path("cc").is_none() {
        return Err(Failure::missing(
            "a C compiler (`cc`)",
            "install one, on Debian with `apt-get install gcc libc6-dev`",
        ));
    }
    Ok(())
}

/// Checks that npm is installed, and Node in a version that the page's tools need.
pub(crate) fn node_and_npm() -> Result<(), Failure> {
    if process::on_path("node").is_none() {
        return Err(Failure::missing("Node", NODE_REMEDY));
    }
    let answer = process::capture(Command::new("node").arg("--version"))?;
    let found = String::from_utf8_lossy(&answer.stdout)
        .trim()
        .trim_start_matches('v')
        .to_owned();
    if !is_new_enough(&found) {
        return Err(Failure::unusable(format!("Node {found} is too old"), NODE_REMEDY));
    }
    if process::on_path("npm").is_none() {
        return Err(Failure::missing(
            "npm",
            "it comes with Node; on Debian it is the package `npm`",
        ));
    }
    Ok(())
}

/// Vite's own range: Vite needs `require` of modules, which is new in 20.19 and 22.12.
fn is_new_enough(version: &str) -> bool {
    let mut numbers = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let (major, minor) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    match major {
        20 => minor >= 19,
        22 => minor >= 12,
        _ => major > 22,
    }
}

#[cfg(test)]
mod tests;
