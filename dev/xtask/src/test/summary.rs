//! Reads the numbers of passed and failed tests, and the failures, from the outputs of cargo, Vitest and schemathesis.

use std::process::{Command, ExitStatus};

use super::report::Tests;
use crate::failure::Failure;
use crate::process;

/// How many lines of a failure are repeated at the end.
const FAILURE_LINES: usize = 24;

/// The sum of cargo's lines `test result: ok. 3 passed; 0 failed; …`, one for each binary. `None` without any.
pub(super) fn cargo(output: &str) -> Option<Tests> {
    let results = output
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("test result: "));
    let mut tests = sum(
        results.map(|result| result.split_once(". ").map_or(result, |(_, counts)| counts)),
        ';',
    )?;
    let name = |line: &str| {
        Some(
            line.strip_prefix("---- ")?
                .strip_suffix(" stdout ----")?
                .to_owned(),
        )
    };
    tests.failures = failures(output.lines(), name, |line| {
        line == "failures:" || line == "stack backtrace:"
    });
    Some(tests)
}

/// The sum of Vitest's lines `Tests  1 failed | 30 passed (31)`, one for each package. `None` without any.
pub(super) fn vitest(output: &str) -> Option<Tests> {
    let lines: Vec<_> = output.lines().map(without_color).collect();
    let results = lines
        .iter()
        .filter_map(|line| line.trim_start().strip_prefix("Tests "));
    let mut tests = sum(results, '|')?;
    let name = |line: &str| line.strip_prefix(" FAIL ").map(|name| name.trim().to_owned());
    tests.failures = failures(lines.iter().map(String::as_str), name, |line| {
        line.starts_with('⎯')
    });
    Some(tests)
}

/// The lines of each failure: from the line with its name until the next name, or until `is_end`.
fn failures<'a>(
    lines: impl Iterator<Item = &'a str>,
    name: impl Fn(&str) -> Option<String>,
    is_end: impl Fn(&str) -> bool,
) -> Vec<String> {
    let mut found: Vec<Vec<String>> = Vec::new();
    let mut is_told = false;
    for line in lines {
        if let Some(name) = name(line) {
            found.push(vec![name]);
            is_told = true;
        } else if is_end(line) {
            is_told = false;
        } else if let Some(failure) = found.last_mut().filter(|_| is_told) {
            failure.push(format!("  {line}").trim_end().to_owned());
            is_told = failure.len() < FAILURE_LINES;
        }
    }
    let told = found
        .into_iter()
        .map(|lines| lines.join("\n").trim_end().to_owned());
    told.collect()
}

/// The counts at the top of a `JUnit` report. `None` without any.
pub(super) fn junit(report: &str) -> Option<Tests> {
    let (_, rest) = report.split_once("<testsuites ")?;
    let (counts, _) = rest.split_once('>')?;
    let count = |name: &str| -> Option<usize> {
        let (_, value) = counts.split_once(&format!("{name}=\""))?;
        value.split('"').next()?.parse().ok()
    };
    let failed = count("failures")? + count("errors")?;
    let passed = count("tests")?.saturating_sub(failed + count("skipped")?);
    Some(Tests::counts(passed, failed))
}

/// The result of a run of tests. A run without a summary has failed. A run that ends with an error has a failed test, even if
/// its summary has none.
pub(super) fn read(found: Option<Tests>, command: &Command, status: ExitStatus) -> Result<Tests, Failure> {
    let Some(mut tests) = found else {
        process::expect_success(command, status)?;
        let what = format!("`{}`", process::name(command));
        return Err(Failure::unusable(what, "no summary of its tests could be read"));
    };
    if !status.success() && tests.failed == 0 {
        tests.failed = 1;
    }
    Ok(tests)
}

fn sum<'a>(results: impl Iterator<Item = &'a str>, separator: char) -> Option<Tests> {
    let mut total = None;
    for result in results {
        let total = total.get_or_insert(Tests::NONE);
        for part in result.split(separator) {
            let mut words = part.split_whitespace();
            let count = words
                .next()
                .and_then(|word| word.parse::<usize>().ok())
                .unwrap_or(0);
            match words.next() {
                Some("passed") => total.passed += count,
                // An ignored test proves nothing.
                Some("failed" | "ignored") => total.failed += count,
                _ => {}
            }
        }
    }
    total
}

/// The line without the terminal's codes for color (`ESC [ … m`).
fn without_color(line: &str) -> String {
    let mut parts = line.split('\u{1b}');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str(part.split_once('m').map_or(part, |(_, rest)| rest));
    }
    plain
}

#[cfg(test)]
mod tests;
