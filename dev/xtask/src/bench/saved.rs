//! `docs/benchmarks.md`: the figures of a run, with the machine and the versions of its programs.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use super::row::Row;
use crate::failure::Failure;
use crate::process;

const FILE: &str = "docs/benchmarks.md";
/// The line before the figures.
const FIGURES: &str = "<!-- `cargo xtask bench --save` writes what follows. -->\n";

/// Programs whose versions change the figures, each with the argument that prints its version.
const PROGRAMS: [(&str, &str); 5] = [
    ("rustc", "-V"),
    ("node", "-v"),
    ("nginx", "-v"),
    ("psql", "-V"),
    ("chromium", "--version"),
];

/// Replaces the figures in the file.
pub(super) fn save(root: &Path, rows: &[Row], failed: &[(&str, String)]) -> Result<(), Failure> {
    let path = root.join(FILE);
    let text = std::fs::read_to_string(&path).map_err(Failure::file(&path))?;
    let written = text.split(FIGURES).next().unwrap_or_default();
    let text = format!("{written}{FIGURES}\n{}\n{}", machine(), figures(rows, failed));
    std::fs::write(&path, text).map_err(Failure::file(&path))
}

/// The processor, the memory, the day, and the versions.
fn machine() -> String {
    let processor = fact("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown".to_owned());
    let memory = fact("/proc/meminfo", "MemTotal").unwrap_or_else(|| "unknown".to_owned());
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let day = said("date", "+%Y-%m-%d").unwrap_or_default();
    let mut text = format!("Measured on {day}, {cores} cores of `{processor}`, memory {memory}.\n\n");
    for (program, argument) in PROGRAMS {
        let version = said(program, argument).unwrap_or_else(|| "not installed".to_owned());
        let _ = writeln!(text, "- {program}: {version}");
    }
    text
}

/// The value of the first line that begins with this name.
fn fact(file: &str, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The first line that a program prints.
fn said(program: &str, argument: &str) -> Option<String> {
    let output = process::capture(Command::new(program).arg(argument)).ok()?;
    // nginx writes its version to standard error.
    let text = [output.stdout, output.stderr].concat();
    let line = String::from_utf8_lossy(&text).lines().next()?.trim().to_owned();
    (!line.is_empty()).then_some(line)
}

/// The rows as a table in Markdown.
fn figures(rows: &[Row], failed: &[(&str, String)]) -> String {
    let mut text = "| what | measured | yardstick in the same run | ratio | budget | |\n\
                    | ---- | -------- | ------------------------- | ----- | ------ | - |\n"
        .to_owned();
    for row in rows {
        let _ = writeln!(text, "| {} |", row.cells().join(" | "));
    }
    for (name, problem) in failed {
        let _ = writeln!(text, "| {name} | failed | {problem} | - | - | FAILED |");
    }
    text
}

#[cfg(test)]
mod tests;
