//! The operator's report is read from a replica, with its lag, and from the primary database while the replica is away.

use harness::postgres::{Durability, Postgres};
use protocol::{Report, ReportDatabase};

use crate::operator_world::OperatorWorld;
use crate::process::{complaint, run};
use crate::waiting::found;

/// Requests reports until one meets the condition.
async fn until(world: &OperatorWorld, what: &str, is_wished: impl Fn(&Report) -> bool) -> Report {
    found(what, async || {
        let report = world.report("").await;
        is_wished(&report).then_some(report)
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_are_read_from_a_replica_while_it_answers() {
    let postgres = Postgres::start(Durability::None).unwrap();
    let name = postgres.new_database_name().unwrap();
    let standby = postgres.standby().unwrap();
    let replica = standby.url(&name);
    let world = OperatorWorld::with(|settings| {
        settings.database = Some(postgres.url(&name));
        settings.database_replica = Some(replica);
    })
    .await;
    world.charge().await;
    world.clock.advance_ms(1);
    // Until the replica has the new database, the primary answers.
    let report = until(&world, "the replica's charge", |report| {
        report.source.database == ReportDatabase::Replica && report.charges.total.unpaid == 1
    })
    .await;
    // Nodes write every second.
    assert!(
        report.source.lag_ms.is_some_and(|lag| (0..10_000).contains(&lag)),
        "{:?}",
        report.source
    );

    // While replication is paused, the report shows the replica's data and says that they are old.
    standby.ask("postgres", "SELECT pg_wal_replay_pause()").unwrap();
    world.charge().await;
    world.clock.advance_ms(1);
    let behind = until(&world, "a lag", |report| {
        report.source.lag_ms.is_some_and(|lag| lag > 1_500)
    })
    .await;
    assert_eq!(behind.charges.total.unpaid, 1);
    standby.ask("postgres", "SELECT pg_wal_replay_resume()").unwrap();
    until(&world, "the second charge", |report| {
        report.charges.total.unpaid == 2
    })
    .await;

    // Without the replica the primary database answers, and the report says so.
    drop(standby);
    let report = until(&world, "the fallback", |report| {
        report.source.database == ReportDatabase::Fallback
    })
    .await;
    assert_eq!((report.charges.total.unpaid, report.source.lag_ms), (2, None));
}

#[tokio::test]
async fn a_service_starts_while_its_replica_is_away() {
    let world = OperatorWorld::with(|settings| {
        settings.database_replica = Some("postgres://postgres@127.0.0.1:9/none".into());
    })
    .await;
    let report = world.report("").await;
    assert_eq!(report.source.database, ReportDatabase::Fallback);
}

#[test]
fn a_replica_that_is_not_postgresql_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let said = complaint(&run(
        dir.path(),
        &["migrate", "--database-replica", "sqlite:copy.db"],
    ));
    assert!(said.contains("database_replica"), "{said}");
}
