use super::*;

fn tests(passed: usize, failed: usize) -> Tests {
    Tests::counts(passed, failed)
}

#[test]
fn the_last_line_sums_all_steps() {
    let report = TestReport::default();
    report.step("rust", &[], || Ok(tests(3, 0)));
    report.step("page", &[], || Ok(tests(4, 0)));
    assert!(report.passed());
    assert_eq!(report.to_string().lines().last(), Some("7 passed, 0 failed"));
}

/// A long log is read from its end.
#[test]
fn failures_are_repeated_at_the_end() {
    let report = TestReport::default();
    report.step("rust", &[], || {
        let failures = vec!["books::agree\n  1 is not 2".to_owned()];
        Ok(Tests {
            failures,
            ..tests(3, 1)
        })
    });
    let text = report.to_string();
    assert!(
        text.starts_with("FAILED in rust: books::agree\n  1 is not 2\n\nrust "),
        "{text}"
    );
}

#[test]
fn a_step_runs_after_another_failed_unless_it_needs_it() {
    let report = TestReport::default();
    report.step("build", &[], || Err(Failure::Usage("no".to_owned())));
    report.step("rust", &[], || Ok(tests(3, 1)));
    report.step("e2e", &["build"], || unreachable!("its need failed"));
    report.step("lost", &["never mentioned"], || {
        unreachable!("its need never ran")
    });
    assert!(!report.passed());
    let text = report.to_string();
    assert!(text.contains("not run, because it needs: build"), "{text}");
    assert_eq!(text.lines().last(), Some("3 passed, 4 failed"));
}
