//! The programs that a build needs; each missing one is named in one clear line.

use std::process::Command;

use crate::failure::Failure;
use crate::process;

/// Where to get Node.
const NODE_REMEDY: &str = "install Node 20.19 or newer, or 22.12 or newer (https://nodejs.org)";

/// Node, npm and a C compiler. Cargo is there, since it started this program.
pub(crate) fn for_building() -> Result<(), Failure> {
    node_and_npm()?;
    // SQLite and the cryptography are C, compiled with the server.
    if process::environment("CC").is_none() && process::on_path("cc").is_none() {
        return Err(missing(
            "a C compiler (`cc`)",
            "install one, on Debian with `apt-get install gcc libc6-dev`",
        ));
    }
    Ok(())
}

/// Node, new enough for the page's tools, and npm.
pub(crate) fn node_and_npm() -> Result<(), Failure> {
    if process::on_path("node").is_none() {
        return Err(missing("Node", NODE_REMEDY));
    }
    let answer = process::capture(Command::new("node").arg("--version"))?;
    let found = String::from_utf8_lossy(&answer.stdout)
        .trim()
        .trim_start_matches('v')
        .to_owned();
    if !is_new_enough(&found) {
        return Err(Failure::Unusable {
            what: format!("Node {found} is too old"),
            problem: NODE_REMEDY.to_owned(),
        });
    }
    if process::on_path("npm").is_none() {
        return Err(missing(
            "npm",
            "it comes with Node; on Debian it is the package `npm`",
        ));
    }
    Ok(())
}

fn missing(what: &'static str, remedy: &str) -> Failure {
    Failure::Missing {
        what,
        remedy: remedy.to_owned(),
    }
}

/// Vite's own range: it needs `require` of modules, which came with 20.19 and 22.12.
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
mod tests {
    use super::*;

    #[test]
    fn node_is_as_new_as_vite_needs() {
        for version in ["20.19.0", "20.20.2", "22.12.0", "23.0.0", "24.1.0"] {
            assert!(is_new_enough(version), "{version}");
        }
        for version in ["18.20.0", "20.18.3", "21.7.0", "22.11.0", "", "garbage"] {
            assert!(!is_new_enough(version), "{version}");
        }
    }
}
