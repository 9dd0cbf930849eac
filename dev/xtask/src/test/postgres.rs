//! PostgreSQL's programs. The tests start servers of their own.

use std::path::Path;

use super::machine::{install, may_install, not_there};
use super::report::Tests;
use super::{cargo_test, cargo_tests};
use crate::failure::Failure;

/// Debian's folder of PostgreSQL's programs, by version.
const PROGRAMS: &str = "/usr/lib/postgresql";
/// The file with this setting must exist before the package is installed. Otherwise Debian makes and starts a database cluster.
const SETTINGS: &str = "/etc/postgresql-common/createcluster.conf";
const NO_CLUSTER: &str =
    "# No cluster is made with the package: tests start servers of their own.\ncreate_main_cluster = false\n";

/// The server's tests of records in the database, by their files in `crates/server/tests/service`. They run on SQLite like all
/// others, and once more on PostgreSQL.
const TESTS_OF_BOOKS: [&str; 38] = [
    "access::",
    "after_payment::",
    "audit_log::",
    "bad_tokens::",
    "card_agreements::",
    "card_networks::",
    "card_sessions::",
    "card_testing::",
    "challenges::",
    "charge_story::",
    "create_charge::",
    "database_work::",
    "concurrent_presses::",
    "disputes::",
    "erased_shoppers::",
    "event_list::",
    "events::",
    "find_charges::",
    "lost_records::",
    "merchant_cards::",
    "merchant_payments::",
    "moved_cards::",
    "operator::",
    "operator_desk::",
    "pay_saved_card::",
    "payments::",
    "reconciliation::",
    "refused_imports::",
    "rotate_keys::",
    "save_card::",
    "setups::",
    "signing_keys_at_rest::",
    "stripe::",
    "strong_authentication::",
    "visits::",
    "webhook_endpoints::",
    "webhook_order::",
    "webhooks::",
];
/// The store's tests that run on both databases.
const TESTS_OF_STORE: [&str; 3] = ["attempt::tests::", "charge_list::tests::", "operation::tests::"];

/// Their tests that start processes, which choose their databases themselves.
const TESTS_OF_PROCESSES: [&str; 2] = ["stripe::killed_", "stripe::leaks::"];

/// Runs these tests on PostgreSQL.
pub(super) fn books(root: &Path) -> Result<Tests, Failure> {
    let run = |of: &[&str], filters: &[&str]| {
        let skipped = TESTS_OF_PROCESSES.map(|test| ["--skip", test]).concat();
        let arguments = [of, &["--no-fail-fast", "--"], &skipped, filters].concat();
        cargo_tests(cargo_test(root, &arguments).env("CARDFORM_TEST_DATABASE", "postgresql"))
    };
    let service = run(&["--test", "service"], &TESTS_OF_BOOKS)?;
    let store = run(&["--lib"], &TESTS_OF_STORE)?;
    Ok(service + store)
}

/// Installs PostgreSQL's programs if they are missing.
pub(crate) fn installed() -> Result<(), Failure> {
    if has_programs() {
        return Ok(());
    }
    let settings = Path::new(SETTINGS);
    if may_install() && !settings.exists() {
        let written = settings.parent().map_or(Ok(()), std::fs::create_dir_all);
        // Without the setting Debian makes a cluster that no test uses.
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
