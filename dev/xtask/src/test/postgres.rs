//! PostgreSQL for the tests, which start servers of their own: its programs, installed where they may be.

use std::path::Path;

use super::machine::{install, may_install, not_there};
use super::report::Tests;
use super::{cargo_test, cargo_tests};
use crate::failure::Failure;

/// Where Debian keeps PostgreSQL's programs, by version.
const PROGRAMS: &str = "/usr/lib/postgresql";
/// Debian makes and starts a database cluster with the package, unless this setting is there before it.
const SETTINGS: &str = "/etc/postgresql-common/createcluster.conf";
const NO_CLUSTER: &str =
    "# No cluster is made with the package: tests start servers of their own.\ncreate_main_cluster = false\n";

/// The server's tests that are about what is in the books, by their files in `crates/server/tests/service`. They run on
/// SQLite like all others, and once more on PostgreSQL.
const TESTS_OF_BOOKS: [&str; 22] = [
    "access::",
    "audit_log::",
    "bad_tokens::",
    "card_testing::",
    "challenges::",
    "charge_story::",
    "create_charge::",
    "database_work::",
    "concurrent_presses::",
    "events::",
    "lost_records::",
    "operator::",
    "pay_saved_card::",
    "payments::",
    "reconciliation::",
    "rotate_keys::",
    "save_card::",
    "signing_keys_at_rest::",
    "stripe::",
    "visits::",
    "webhook_order::",
    "webhooks::",
];
/// The store's own, likewise.
const TESTS_OF_ATTEMPTS: &str = "attempt::tests::";

/// Runs them on PostgreSQL.
pub(super) fn books(root: &Path) -> Result<Tests, Failure> {
    let run = |of: &[&str], filters: &[&str]| {
        let arguments = [of, &["--no-fail-fast", "--"], filters].concat();
        cargo_tests(cargo_test(root, &arguments).env("CARDFORM_TEST_DATABASE", "postgresql"))
    };
    let service = run(&["--test", "service"], &TESTS_OF_BOOKS)?;
    let store = run(&["--lib"], &[TESTS_OF_ATTEMPTS])?;
    Ok(service + store)
}

/// PostgreSQL's programs are there, installed first where they may be.
pub(crate) fn installed() -> Result<(), Failure> {
    if has_programs() {
        return Ok(());
    }
    let settings = Path::new(SETTINGS);
    if may_install() && !settings.exists() {
        let written = settings.parent().map_or(Ok(()), std::fs::create_dir_all);
        // Without the setting a cluster is made that nothing uses, which does no harm to the tests.
        let _ = written.and_then(|()| std::fs::write(settings, NO_CLUSTER));
    }
    install(&["postgresql"])?;
    if has_programs() {
        Ok(())
    } else {
        Err(not_there(&["postgresql"]))
    }
}

fn has_programs() -> bool {
    let versions = std::fs::read_dir(PROGRAMS).into_iter().flatten().flatten();
    versions
        .map(|version| version.path().join("bin/initdb"))
        .any(|program| program.is_file())
}
