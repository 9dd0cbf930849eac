//! Known weaknesses of the packages in both lock files, where somebody tells of them: `npm audit` asks the registry, and
//! `cargo audit` has `RustSec`'s database. Ours and not cargo-deny, which fails where that database cannot be reached: here
//! the check says so and finds nothing, so that a machine without a network builds and tests all the same.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::failure::Failure;
use crate::{npm, process};

/// The known vulnerabilities, one line each. A lock file that could not be checked is reported on standard error.
pub(crate) fn findings(root: &Path) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    for (lock, scanned) in [
        ("package-lock.json", of_npm(root)?),
        ("Cargo.lock", of_cargo(root)?),
    ] {
        match scanned {
            Ok(known) => found.extend(known.into_iter().map(|line| format!("{lock}: {line}"))),
            Err(reason) => eprintln!("not scanned for known weaknesses: {lock} ({reason})"),
        }
    }
    Ok(found)
}

/// The known vulnerabilities, or why they could not be checked.
type Scanned = Result<Vec<String>, String>;

fn of_npm(root: &Path) -> Result<Scanned, Failure> {
    let mut command = npm::npm(root);
    command.args(["audit", "--json", "--audit-level=low"]);
    command.args(["--fetch-retries=0", "--fetch-timeout=20000"]);
    let output = process::capture(&mut command)?;
    Ok(read_npm(&output.stdout))
}

fn of_cargo(root: &Path) -> Result<Scanned, Failure> {
    if process::on_path("cargo-audit").is_none() {
        return Ok(Err(
            "there is no cargo-audit: `cargo install cargo-audit` brings it".to_owned(),
        ));
    }
    let mut command = Command::new("cargo-audit");
    command.current_dir(root).args(["audit", "--json"]);
    let output = process::capture(&mut command)?;
    Ok(read_cargo(&output.stdout))
}

/// `npm audit --json`: a list by package, or an error of the registry's.
fn read_npm(output: &[u8]) -> Scanned {
    let report: Value = serde_json::from_slice(output).map_err(|_| "npm gave no report".to_owned())?;
    let Some(packages) = report["vulnerabilities"].as_object() else {
        let message = report["message"].as_str().or(report["error"]["summary"].as_str());
        let message = message
            .unwrap_or_default()
            .split(" - ")
            .next()
            .unwrap_or_default();
        return Err(format!("the registry tells of none: {message}"));
    };
    Ok(packages
        .iter()
        .map(|(name, package)| {
            let severity = package["severity"].as_str().unwrap_or("unknown");
            let via = package["via"].as_array().into_iter().flatten();
            let titles: Vec<_> = via
                .map(|cause| cause["title"].as_str().or(cause.as_str()).unwrap_or_default())
                .collect();
            format!("{name}: {severity}: {}", titles.join("; "))
        })
        .collect())
}

/// `cargo audit --json`.
fn read_cargo(output: &[u8]) -> Scanned {
    let report: Value =
        serde_json::from_slice(output).map_err(|_| "cargo-audit could not get its database".to_owned())?;
    let list = report["vulnerabilities"]["list"]
        .as_array()
        .ok_or("cargo-audit gave no list")?;
    Ok(list
        .iter()
        .map(|known| {
            let text = |part: &str, name: &str| known[part][name].as_str().unwrap_or_default().to_owned();
            format!(
                "{} {}: {}: {}",
                text("package", "name"),
                text("package", "version"),
                text("advisory", "id"),
                text("advisory", "title")
            )
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weak_npm_packages_are_findings_with_their_reason() {
        let report = br#"{"auditReportVersion": 2, "vulnerabilities": {"left-pad": {"severity": "high",
            "via": [{"title": "Pads too far"}, "right-pad"]}}}"#;
        assert_eq!(
            read_npm(report),
            Ok(vec!["left-pad: high: Pads too far; right-pad".to_owned()])
        );
        assert_eq!(read_npm(br#"{"vulnerabilities": {}}"#), Ok(vec![]));
    }

    #[test]
    fn a_registry_without_advisories_is_no_finding() {
        let report =
            br#"{"message": "405 Method Not Allowed - POST http://registry/audit", "statusCode": 405}"#;
        assert_eq!(
            read_npm(report),
            Err("the registry tells of none: 405 Method Not Allowed".to_owned())
        );
        assert!(read_npm(b"").is_err() && read_cargo(b"error").is_err());
    }

    #[test]
    fn weak_crates_are_findings_with_their_number() {
        let report =
            br#"{"vulnerabilities": {"found": true, "list": [{"advisory": {"id": "RUSTSEC-2099-0001",
            "title": "Too fast"}, "package": {"name": "quick", "version": "1.0.0"}}]}}"#;
        assert_eq!(
            read_cargo(report),
            Ok(vec!["quick 1.0.0: RUSTSEC-2099-0001: Too fast".to_owned()])
        );
    }
}
