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
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    fn tests(passed: usize, failed: usize) -> Tests {
        Tests::counts(passed, failed)
    }

    #[test]
    fn cargo_prints_one_line_for_each_binary_and_ignored_tests_count_as_failed() {
        let output = "running 2 tests\ntest a ... ok\n\n\
            test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\
            test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
        assert_eq!(cargo(output), Some(tests(15, 3)));
        assert_eq!(cargo("error: could not compile"), None);
    }

    #[test]
    fn each_failure_in_cargos_output_is_read() {
        let output = "test a ... FAILED\n\nfailures:\n\n---- a stdout ----\n\nthread 'a' panicked at a.rs:1:2:\n1 is not 2\n\
            stack backtrace:\n   0: begin_unwind\n\n---- b::c stdout ----\nError: no\n\nfailures:\n    a\n    b::c\n\n\
            test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
        let found = cargo(output).unwrap().failures;
        assert_eq!(
            found,
            [
                "a\n\n  thread 'a' panicked at a.rs:1:2:\n  1 is not 2",
                "b::c\n  Error: no"
            ]
        );
    }

    #[test]
    fn each_failure_in_vitests_output_is_read() {
        let output = "     × a title 9ms\n⎯⎯⎯ Failed Tests 2 ⎯⎯⎯\n\n FAIL  tests/a.test.ts > group > a title\n\
            Error: 1 is not 2\n\n⎯⎯⎯⎯[1/2]⎯\n\n FAIL  tests/b.test.ts > another\n\u{1b}[31mError: no\u{1b}[39m\n\n\
            ⎯⎯⎯⎯[2/2]⎯\n\n Test Files  2 failed (2)\n      Tests  2 failed | 30 passed (32)\n";
        let found = vitest(output).unwrap().failures;
        assert_eq!(
            found,
            [
                "tests/a.test.ts > group > a title\n  Error: 1 is not 2",
                "tests/b.test.ts > another\n  Error: no"
            ]
        );
    }

    #[test]
    fn a_long_failure_is_cut() {
        let long = format!(
            "---- a stdout ----\n{}test result: FAILED. 0 passed; 1 failed\n",
            "x\n".repeat(99)
        );
        assert_eq!(cargo(&long).unwrap().failures[0].lines().count(), FAILURE_LINES);
    }

    #[test]
    fn vitest_prints_one_line_for_each_package() {
        let output = " Test Files  1 failed | 3 passed (4)\n      Tests  2 failed | 30 passed | 1 skipped (33)\n\
            \u{1b}[2m      Tests \u{1b}[22m \u{1b}[1m\u{1b}[32m5 passed\u{1b}[39m\u{1b}[22m\u{1b}[90m (5)\u{1b}[39m\n";
        assert_eq!(vitest(output), Some(tests(35, 2)));
        assert_eq!(vitest("No test files found, exiting with code 1"), None);
    }

    #[test]
    fn a_junit_report_counts_at_its_top() {
        let report = r#"<?xml version="1.0"?>
            <testsuites errors="1" failures="2" skipped="3" tests="14" time="9.1">
              <testsuite name="schemathesis" errors="0" failures="0" skipped="0" tests="0">"#;
        assert_eq!(junit(report), Some(tests(8, 3)));
        assert_eq!(junit("Traceback (most recent call last):"), None);
    }

    #[test]
    fn a_failed_exit_code_is_a_failure_despite_its_summary() {
        let command = Command::new("vitest");
        let failed = ExitStatus::from_raw(1 << 8);
        let success = ExitStatus::from_raw(0);
        assert_eq!(read(Some(tests(3, 0)), &command, failed).unwrap(), tests(3, 1));
        assert_eq!(read(Some(tests(3, 0)), &command, success).unwrap(), tests(3, 0));
        assert!(read(None, &command, success).is_err());
        assert!(read(None, &command, failed).is_err());
    }
}
