//! The alert rules: Prometheus accepts them, and each fires for the figures in its tests and for no others.

use std::process::Command;

use super::Operations;
use crate::failure::Failure;
use crate::process;

const RULES: &str = "ops/prometheus/alerts.yml";
const TESTS: &str = "ops/prometheus/alerts_test.yml";

/// Prometheus accepts the rules.
pub(super) fn are_taken(operations: &Operations<'_>) -> Result<(), Failure> {
    promtool(operations, &["check", "rules", RULES])
}

/// The rules fire as their tests say.
pub(super) fn fire_as_tested(operations: &Operations<'_>) -> Result<(), Failure> {
    promtool(operations, &["test", "rules", TESTS])
}

fn promtool(operations: &Operations<'_>, arguments: &[&str]) -> Result<(), Failure> {
    process::run(
        Command::new("promtool")
            .current_dir(operations.root)
            .args(arguments),
    )
}
