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
