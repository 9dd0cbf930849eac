//! The limits of the database's work for a charge. More work makes every charge slower.

use store::DatabaseWork;
use tracking::operator::make_report;
use tracking::operator::range::ReportRequest;

use crate::world::{World, new_charge};

/// How many charges are paid before, so that caches are filled.
const BEFORE: usize = 2;
/// How many charges are measured. The charge with the least work counts, because background tasks use the database,
/// too.
const MEASURED: usize = 24;

#[tokio::test]
async fn a_charge_sends_no_more_statements_than_allowed() {
    let world = World::new().await;
    let store = &world.service.app.store;
    let mut least: Option<DatabaseWork> = None;
    for number in 0..BEFORE + MEASURED {
        let charge = world.charge().await;
        let before = store.work();
        let answer = world.pay(&charge, "press-1", "4242424242424242").await;
        assert_eq!(answer.status_code(), "succeeded");
        let after = store.work();
        let work = DatabaseWork {
            statements: after.statements - before.statements,
            round_trips: after.round_trips - before.round_trips,
            commits: after.commits - before.commits,
        };
        if number >= BEFORE && least.is_none_or(|least| work.statements < least.statements) {
            least = Some(work);
        }
    }
    let work = least.unwrap();
    if world.database().starts_with("sqlite:") {
        assert!(work.commits <= 2, "{work:?}");
    } else {
        // One reads the charge. An attempt begins with three, which read, write and commit, and ends with two.
        assert!(work.round_trips <= 6, "{work:?}");
    }
    // Each subject whose attempts are limited is counted by a statement.
    assert!(work.statements <= 13, "{work:?}");
}

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;
/// Of a range that begins with an hour and whose hours are tallied, with the time before it.
const STATEMENTS_OF_A_REPORT_MAX: u64 = 14;

#[tokio::test]
async fn a_report_sends_no_more_statements_than_allowed() {
    let world = World::new().await;
    let app = &world.service.app;
    world.charge().await;
    world.clock.advance_ms(3 * DAY_MS);
    world.charge().await;
    while app.store.tally_hours(world.clock.now_ms()).await.unwrap() {}
    let to = world.clock.now_ms() + 1;
    let asked = ReportRequest {
        from: (to - DAY_MS) / HOUR_MS * HOUR_MS,
        to,
        ..ReportRequest::default()
    };
    let mut least = u64::MAX;
    for _ in 0..MEASURED {
        let before = app.store.work();
        let report = make_report(&app.reports, &asked).await.unwrap();
        assert_eq!(report.charges.total.unpaid, 1);
        least = least.min(app.store.work().statements - before.statements);
    }
    assert!(least <= STATEMENTS_OF_A_REPORT_MAX, "{least}");
}

/// How many charges the measured file has. A page of the file has more than one row.
const KEPT: usize = 100;
/// A paid charge with its attempt and the key of its creation, without webhooks (docs/budgets.md#costs-of-a-charge).
const BYTES_AT_REST_MAX: u64 = 2_000;

#[tokio::test]
async fn a_charge_takes_no_more_bytes_at_rest_than_allowed() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("live.db");
    let world = World::on(format!("sqlite:{}", file.display())).await;
    let before = store::back_up(&file, &dir.path().join("before.db"))
        .await
        .unwrap();
    for number in 0..KEPT {
        let answer = world
            .create(&new_charge(), Some(&format!("order-{number}")))
            .await;
        let charge = serde_json::from_value(answer.body).unwrap();
        let answer = world.pay(&charge, "press-1", "4242424242424242").await;
        assert_eq!(answer.status_code(), "succeeded");
    }
    let after = store::back_up(&file, &dir.path().join("after.db")).await.unwrap();
    let each = (after.bytes - before.bytes) / KEPT as u64;
    assert!(each <= BYTES_AT_REST_MAX, "{each} bytes");
}
