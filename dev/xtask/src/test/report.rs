//! The result of each step of the tests: what failed, and a table whose last line counts the tests.

use std::fmt;
use std::ops::Add;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::failure::Failure;

/// How many tests passed and failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tests {
    pub(super) passed: usize,
    pub(super) failed: usize,
    /// The name and the first lines of each failed test, if they could be read.
    pub(super) failures: Vec<String>,
}

impl Tests {
    /// The tests of a step that only builds something.
    pub(super) const NONE: Self = Self::counts(0, 0);

    /// Numbers without the failures' texts.
    pub(super) const fn counts(passed: usize, failed: usize) -> Self {
        Self {
            passed,
            failed,
            failures: Vec::new(),
        }
    }
}

impl Add for Tests {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self.passed += other.passed;
        self.failed += other.failed;
        self.failures.extend(other.failures);
        self
    }
}

/// One step, which ran or was skipped.
struct TestStep {
    name: &'static str,
    took: Duration,
    tests: Tests,
    /// Why the step failed as a whole or did not run.
    reason: Option<String>,
}

/// The result of each step, in the order in which they ended. Steps may run side by side.
#[derive(Default)]
pub(super) struct TestReport {
    steps: Mutex<Vec<TestStep>>,
}

impl TestReport {
    /// Runs a step, unless a step that it needs has failed. A step that fails as a whole, or that cannot run, counts as one
    /// failed test.
    pub(super) fn step(
        &self,
        name: &'static str,
        needs: &[&str],
        work: impl FnOnce() -> Result<Tests, Failure>,
    ) {
        let failed = needs.iter().find(|need| !self.has(need));
        let start = Instant::now();
        let outcome = if let Some(need) = failed {
            Err(format!("not run, because it needs: {need}"))
        } else {
            eprintln!("== {name}");
            work().map_err(|failure| failure.to_string())
        };
        let (tests, reason) = match outcome {
            Ok(tests) => (tests, None),
            Err(reason) => (Tests::counts(0, 1), Some(reason)),
        };
        let took = start.elapsed();
        self.steps().push(TestStep {
            name,
            took,
            tests,
            reason,
        });
    }

    /// Whether this step ran and did not fail.
    fn has(&self, name: &str) -> bool {
        let steps = self.steps();
        let step = steps.iter().find(|step| step.name == name);
        step.is_some_and(|step| step.tests.failed == 0)
    }

    /// Whether no step failed.
    pub(super) fn passed(&self) -> bool {
        self.steps().iter().all(|step| step.tests.failed == 0)
    }

    fn steps(&self) -> MutexGuard<'_, Vec<TestStep>> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Display for TestReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = self.steps();
        for step in steps.iter() {
            for failure in &step.tests.failures {
                writeln!(f, "FAILED in {}: {failure}\n", step.name)?;
            }
        }
        for TestStep {
            name,
            took,
            tests,
            reason,
        } in steps.iter()
        {
            let verdict = if tests.failed == 0 { "ok" } else { "FAILED" };
            write!(f, "{name:<26} {verdict:<6} {:>7.1} s", took.as_secs_f64())?;
            match reason {
                Some(reason) => writeln!(f, "  {reason}")?,
                None if *tests == Tests::NONE => writeln!(f)?,
                None => writeln!(f, "  {} passed, {} failed", tests.passed, tests.failed)?,
            }
        }
        let sum = |count: fn(&Tests) -> usize| steps.iter().map(|step| count(&step.tests)).sum::<usize>();
        let (passed, failed) = (sum(|tests| tests.passed), sum(|tests| tests.failed));
        write!(f, "\n{passed} passed, {failed} failed")
    }
}

#[cfg(test)]
mod tests;
