//! `cargo xtask check`: formatting, lints, types, licences and the rules of the house. Every check runs, so that one
//! run shows everything that must be corrected.

mod biome;

use std::ffi::OsString;
use std::path::Path;

use crate::failure::Failure;
use crate::process::{self, Stream};
use crate::{advisories, files, generate, licences, npm, prerequisites, tidy};

/// One kind of check: its name, and how it finds what is wrong, one line each.
type Check = (&'static str, fn(&Path) -> Result<Vec<String>, Failure>);

const CHECKS: [Check; 8] = [
    ("house rules", tidy::findings),
    ("generated TypeScript", generated),
    ("licences", licences::findings),
    ("known weaknesses", advisories::findings),
    ("cargo fmt", rust_format),
    ("biome", biome::findings),
    ("tsc", types),
    ("clippy", clippy),
];

/// Prints every finding on its own line, and fails when there is one.
pub(crate) fn run(root: &Path, arguments: &[OsString]) -> Result<(), Failure> {
    if let Some(argument) = arguments.first() {
        return Err(Failure::Usage(format!(
            "`check` takes no arguments, and got `{}`",
            argument.display()
        )));
    }
    prerequisites::for_building()?;
    npm::install(root)?;
    none_found(root)?;
    println!("nothing to put right");
    Ok(())
}

/// Runs every check, prints what they find, one line each, and fails when that is anything. A check that cannot run is
/// a finding.
pub(crate) fn none_found(root: &Path) -> Result<(), Failure> {
    let mut findings = Vec::new();
    for (name, check) in CHECKS {
        eprintln!("checking: {name}");
        match check(root) {
            Ok(found) => findings.extend(found),
            Err(failure) => findings.push(format!("{name}: {failure}")),
        }
    }
    for finding in &findings {
        println!("{finding}");
    }
    match findings.len() {
        0 => Ok(()),
        1 => Err(Failure::Findings("1 finding".to_owned())),
        count => Err(Failure::Findings(format!("{count} findings"))),
    }
}

fn generated(root: &Path) -> Result<Vec<String>, Failure> {
    let stale = generate::stale(root)?.into_iter();
    Ok(stale
        .map(|path| {
            format!(
                "{path}: differs from the Rust crates; run `{}`",
                generate::COMMAND
            )
        })
        .collect())
}

fn rust_format(root: &Path) -> Result<Vec<String>, Failure> {
    let mut command = process::cargo(root);
    command.args(["fmt", "--all", "--", "--check", "-l"]);
    let output = process::capture(&mut command)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let unformatted = text.lines().map(|path| {
        let path = Path::new(path.trim());
        let path = path.strip_prefix(root).unwrap_or(path).display();
        format!("{path}: not formatted; run `cargo fmt`")
    });
    let found = unformatted.collect();
    explained(&command, output.status.success(), found, &output.stderr)
}

fn types(root: &Path) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    for workspace in workspaces(root)? {
        if !root.join(&workspace).join("tsconfig.json").is_file() {
            let sources = files::list(root, &[&workspace])?;
            if sources.iter().any(|path| is_typescript(path)) {
                found.push(format!(
                    "{workspace}: holds TypeScript and no tsconfig.json, so nothing checks its types"
                ));
            }
            continue;
        }
        let mut command = process::installed(root, "tsc");
        command.args(["--noEmit", "--pretty", "false", "-p", &workspace]);
        let output = process::capture(&mut command)?;
        let text = String::from_utf8_lossy(&output.stdout);
        // An indented line explains the line above it.
        let lines = text
            .lines()
            .filter(|line| line.contains("error TS") && !line.starts_with(' '));
        let errors = lines.map(str::to_owned).collect();
        found.extend(explained(
            &command,
            output.status.success(),
            errors,
            &output.stderr,
        )?);
    }
    // A file that several workspaces import is checked with each of them.
    found.sort();
    found.dedup();
    Ok(found)
}

fn is_typescript(path: &str) -> bool {
    let kind = Path::new(path).extension();
    kind.is_some_and(|kind| kind == "ts" || kind == "tsx")
}

/// The folders of the npm workspaces.
fn workspaces(root: &Path) -> Result<Vec<String>, Failure> {
    let path = root.join("package.json");
    let text = std::fs::read(&path).map_err(Failure::file(&path))?;
    let package: serde_json::Value = serde_json::from_slice(&text).map_err(|cause| Failure::Unusable {
        what: "package.json".to_owned(),
        problem: cause.to_string(),
    })?;
    let folders = package["workspaces"].as_array().into_iter().flatten();
    Ok(folders
        .filter_map(|folder| folder.as_str().map(str::to_owned))
        .collect())
}

fn clippy(root: &Path) -> Result<Vec<String>, Failure> {
    let mut command = process::cargo(root);
    command.args([
        "clippy",
        "--workspace",
        "--all-targets",
        "--locked",
        "--message-format=short",
    ]);
    command.args(["--", "-D", "warnings"]);
    let mut found = Vec::new();
    let status = process::each_line(&mut command, Stream::Err, |line| {
        if is_diagnostic(line) {
            if !found.iter().any(|earlier| earlier == line) {
                found.push(line.to_owned());
            }
        } else {
            eprintln!("{line}");
        }
    })?;
    explained(&command, status.success(), found, b"")
}

/// Whether a line of `--message-format=short` points at a place: `path:line:column: error…`.
fn is_diagnostic(line: &str) -> bool {
    let Some((place, _)) = line
        .split_once(": error")
        .or_else(|| line.split_once(": warning"))
    else {
        return false;
    };
    let mut parts = place.rsplit(':');
    let mut is_number = || parts.next().is_some_and(|part| part.parse::<u32>().is_ok());
    is_number() && is_number()
}

/// The findings of a tool, or, when it failed and named none, its last line as the reason.
fn explained(
    command: &std::process::Command,
    success: bool,
    found: Vec<String>,
    errors: &[u8],
) -> Result<Vec<String>, Failure> {
    if success || !found.is_empty() {
        return Ok(found);
    }
    let errors = String::from_utf8_lossy(errors);
    let last = errors.lines().map(str::trim).rfind(|line| !line.is_empty());
    Err(Failure::Unusable {
        what: format!("`{}` failed", process::name(command)),
        problem: last.unwrap_or("what it said stands above").to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clippy_findings_are_separated_from_its_progress() {
        assert!(is_diagnostic(
            "crates/wire/src/lib.rs:3:5: error: unused import: `x`"
        ));
        assert!(is_diagnostic("crates/wire/src/lib.rs:3:5: warning: this"));
        assert!(!is_diagnostic(
            "error: could not compile `wire` (lib) due to 1 previous error"
        ));
        assert!(!is_diagnostic("    Checking wire v2.3.0 (/house/crates/wire)"));
    }

    #[test]
    fn a_tool_that_fails_without_a_finding_is_an_error() {
        let command = std::process::Command::new("biome");
        assert_eq!(
            explained(&command, true, Vec::new(), b"").unwrap(),
            Vec::<String>::new()
        );
        let failure = explained(&command, false, Vec::new(), b"first\nno such file\n\n").unwrap_err();
        assert_eq!(failure.to_string(), "`biome` failed: no such file");
    }
}
