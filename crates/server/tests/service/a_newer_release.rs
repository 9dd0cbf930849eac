//! A newer release has migrated the database, and this release still serves it. Every release must do so while its
//! successor is rolled out (docs/upgrades.md).

use std::collections::BTreeSet;
use std::path::Path;

use chaos::rolling;
use harness::postgres::{Durability, Postgres};

use crate::both_databases::scenario;
use crate::other_program::OtherProgram;
use crate::process::{Process, add_merchant, complaint, run};
use crate::world::World;

/// Every table of ours.
fn tables() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../store/migrations");
    let files = std::fs::read_dir(folder).unwrap();
    let all: Vec<String> = files
        .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap())
        .collect();
    let named = |begin: &str| -> BTreeSet<String> {
        let lines = all.iter().flat_map(|text| text.lines());
        let named = lines.filter_map(|line| line.strip_prefix(begin));
        named
            .map(|rest| rest.split([' ', ';']).next().unwrap().to_owned())
            .collect()
    };
    let found = &named("CREATE TABLE ") - &named("DROP TABLE ");
    assert!(
        found.contains("charges") && found.contains("attempts"),
        "{found:?}"
    );
    found
}

/// Changes the tables as a future release may: a column in each table, an index, a table. Programs before
/// `oldest_program` refuse the result.
async fn migrate_further(database: &str, oldest_program: i64) {
    let columns: Vec<String> = tables()
        .iter()
        .map(|table| {
            format!(
                "ALTER TABLE {table} ADD COLUMN new_word TEXT; \
                 ALTER TABLE {table} ADD COLUMN new_number BIGINT NOT NULL DEFAULT 7;"
            )
        })
        .collect();
    // As migrations do on PostgreSQL.
    let (checksum, patience) = if database.starts_with("sqlite:") {
        ("X'00'", "")
    } else {
        ("decode('00', 'hex')", "SET LOCAL lock_timeout = '500ms';")
    };
    let statements = format!(
        "BEGIN; {patience} CREATE TABLE of_the_future (id TEXT PRIMARY KEY); {} \
         CREATE INDEX charges_by_new_word ON charges (new_word); UPDATE oldest_program SET migration = {oldest_program}; \
         INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
         VALUES (9999, 'of the future', TRUE, {checksum}, 0); COMMIT",
        columns.concat()
    );
    let other = OtherProgram::connect(database).await;
    while let Err(refused) = other.run(&statements).await {
        assert!(refused.contains("lock timeout"), "{refused}");
        other.run("ROLLBACK").await.unwrap();
    }
}

/// One node runs while the tables change, and the other one starts on the new tables.
#[tokio::test]
async fn the_scenario_passes_on_newer_tables_on_sqlite() {
    let world = World::new().await;
    world.pay(&world.charge().await, "a", "4242424242424242").await;
    migrate_further(world.database(), 36).await;
    Box::pin(scenario(world)).await;
}

#[tokio::test]
async fn the_scenario_passes_on_newer_tables_on_postgresql() {
    let postgres = Postgres::start(Durability::None).unwrap();
    let world = World::on(postgres.new_database().unwrap()).await;
    world.pay(&world.charge().await, "a", "4242424242424242").await;
    migrate_further(world.database(), 36).await;
    Box::pin(scenario(world)).await;
}

#[tokio::test]
async fn a_node_on_newer_tables_logs_it() {
    let dir = tempfile::tempdir().unwrap();
    assert!(add_merchant(dir.path()).status.success());
    let database = format!("sqlite:{}", dir.path().join("cardform.db").display());
    migrate_further(&database, 36).await;
    let arguments = [
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--provider-url",
        "http://127.0.0.1:1",
    ];
    let node = Process::start(dir.path(), &arguments, "warn");
    assert!(node.terminate().0);
    let log = std::fs::read_to_string(dir.path().join("cardform.log")).unwrap();
    let line = log
        .lines()
        .find(|line| line.contains("a newer version of cardform"));
    assert!(line.is_some_and(|line| line.contains("9999")), "{log}");
}

#[tokio::test]
async fn a_program_too_old_for_the_tables_refuses_them() {
    let dir = tempfile::tempdir().unwrap();
    assert!(add_merchant(dir.path()).status.success());
    let database = format!("sqlite:{}", dir.path().join("cardform.db").display());
    migrate_further(&database, 9_999).await;
    let refused = complaint(&run(dir.path(), &["merchant", "list"]));
    assert!(
        refused.contains("too old") && refused.contains("9999"),
        "{refused}"
    );
}

/// Each node is changed twice, as for a new version and back, and the tables change meanwhile.
#[tokio::test]
async fn a_rolling_change_under_load_loses_no_request() {
    let postgres = Postgres::start(Durability::None).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let database = postgres.new_database().unwrap();
    let midway = async || {
        migrate_further(&database, 36).await;
        Ok(())
    };
    let binary = Path::new(env!("CARGO_BIN_EXE_cardform"));
    let report = rolling::run(binary, None, &database, dir.path(), midway).await;
    println!("{}", report.unwrap());
}
