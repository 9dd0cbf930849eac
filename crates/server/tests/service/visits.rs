//! Compares the operator's report with known visits, on both databases.

use std::net::SocketAddr;

use demo::shop::traffic::Traffic;
use protocol::Report;
use protocol::clock::Clock;
use serde_json::{Value, json};
use server::config::{Config, Settings};
use server::service::Service;
use store::{Database, ReportRange, Store, VisitTopic};
use tokio::sync::watch;
use tracking::operator::make_report;
use tracking::operator::range::ReportRequest;

use crate::operator_world::{KEY, OperatorWorld, SentVisit};

const REDESIGN: &str = "pop-646-card-form-ui-redesign";

/// Ten visits: two only view the page, two stop in a field, one leaves a complete form, two are declined, three pay.
fn ten_visits() -> Vec<SentVisit> {
    let field = |visit: SentVisit, field: &str| visit.did("field_focus", json!({ "field": field }));
    let declined = |visit: SentVisit| {
        visit.did("submit_invoked", json!({"method": "saved_card"})).did(
            "submit_fail",
            json!({"status": "failed", "decline_code": "insufficient_funds"}),
        )
    };
    vec![
        SentVisit::new(1, "en-US").saw(REDESIGN, 0),
        SentVisit::new(2, "th-TH").saw(REDESIGN, 1),
        field(SentVisit::new(3, "en-US"), "card-number")
            .did(
                "field_error",
                json!({"field": "card-number", "error_id": "CardNumber_Invalid"}),
            )
            .saw(REDESIGN, 0),
        field(field(SentVisit::new(4, "th-TH"), "card-number"), "card-expiry").saw(REDESIGN, 1),
        field(SentVisit::new(5, "en-US"), "card-expiry")
            .did("page_left", json!({"field": "card-security-code", "ready": true})),
        declined(SentVisit::new(6, "en-US").saw(REDESIGN, 0)),
        declined(SentVisit::new(7, "ja-JP")),
        SentVisit::new(8, "en-US").saw(REDESIGN, 1).pays(),
        SentVisit::new(9, "en-US").saw(REDESIGN, 1).pays(),
        declined(SentVisit::new(10, "th-TH").saw(REDESIGN, 1)).did("submit_success", json!({})),
    ]
}

#[tokio::test]
async fn ten_known_visits_are_counted_step_by_step() {
    let world = OperatorWorld::new().await;
    world.send_visits(&ten_visits()).await;
    let report = world.report("").await;
    insta::assert_json_snapshot!(json!({ "visits": report.visits, "experiments": report.experiments }));
}

#[tokio::test]
async fn the_order_and_repetition_of_events_do_not_matter() {
    let (one, two) = (OperatorWorld::new().await, OperatorWorld::new().await);
    let visits = ten_visits();
    one.send_visits(&visits).await;
    let mut events: Vec<&Value> = visits.iter().flat_map(|visit| &visit.events).collect();
    events.reverse();
    for event in &events {
        two.post(&[*event]).await;
        two.write().await;
    }
    two.post(&events).await;
    two.write().await;
    let (one, two) = (one.report("").await, two.report("").await);
    assert_eq!((one.visits, one.experiments), (two.visits, two.experiments));
}

#[tokio::test]
async fn the_report_is_limited_by_range_and_locale() {
    let world = OperatorWorld::new().await;
    let mut visits = ten_visits();
    let later = visits.split_off(5);
    world.send_visits(&visits).await;
    world.clock.advance_ms(60_000);
    world.send_visits(&later).await;
    // A visit counts at the time of its first event.
    world.send_visits(&[SentVisit::new(1, "en-US").pays()]).await;
    let now = world.clock.now_ms();
    let (earlier, later) = (
        world
            .report(&format!("?from={}&to={now}", now - 60_000))
            .await
            .visits,
        world.report(&format!("?from={now}&to={}", now + 1)).await.visits,
    );
    assert_eq!((earlier.funnel.viewed, earlier.funnel.paid), (5, 1));
    assert_eq!((later.funnel.viewed, later.funnel.paid), (5, 3));
    let range = format!("from={}&to={}", now - 60_000, now + 1);
    let thai = world.report(&format!("?{range}&locale=th-TH")).await;
    assert_eq!((thai.visits.funnel.viewed, thai.visits.funnel.paid), (3, 1));
    assert_eq!(thai.visits.locales.len(), 1);
    let of_redesign: i64 = thai.experiments[0]
        .variations
        .iter()
        .map(|variation| variation.funnel.viewed)
        .sum();
    assert_eq!(of_redesign, 3);
    let other = world.report(&format!("?{range}&experiment=enable-ddc")).await;
    assert!(other.experiments.is_empty());
    let redesign = world
        .report(&format!("?{range}&experiment={REDESIGN}&locale=en-US"))
        .await;
    assert_eq!(redesign.experiments[0].variations.len(), 2);
}

#[tokio::test]
async fn the_report_contains_nothing_of_hostile_events() {
    let world = OperatorWorld::new().await;
    let visit = SentVisit::new(1, "en-US");
    let mut events = Vec::new();
    for value in [
        json!(null),
        json!(7),
        json!([]),
        json!({}),
        json!("x".repeat(2_000)),
        json!(-1),
        json!("' OR 1=1 --"),
        json!("<img src=x onerror=alert(1)>"),
        json!("sam@example.com"),
        json!("4242424242424242"),
    ] {
        for place in ["type", "name", "visit", "at", "locale", "data"] {
            let mut event = visit.events[0].clone();
            event[place] = value.clone();
            events.push(event);
        }
        for (name, word) in [
            ("field_focus", "field"),
            ("field_error", "error_id"),
            ("brand_detected", "brand"),
            ("submit_invoked", "method"),
            ("submit_fail", "decline_code"),
            ("page_left", "ready"),
        ] {
            let mut event = visit.events[0].clone();
            event["type"] = json!("custom");
            event["name"] = json!(name);
            event["data"] = json!({ word: value.clone() });
            events.push(event);
        }
        let mut event = visit.events[0].clone();
        event["type"] = json!("experiment-viewed");
        event["experimentId"] = value.clone();
        event["variationId"] = value;
        events.push(event);
    }
    world.post(&events.iter().collect::<Vec<_>>()).await;
    world.write().await;
    let answer = world.ask("", Some(KEY)).await;
    assert_eq!(answer.status, 200);
    let text = answer.body.to_string();
    for hostile in ["xxx", "OR 1=1", "<img", "sam@", "4242", "-1"] {
        assert!(!text.contains(hostile), "{hostile}: {text}");
    }
    let report: Report = serde_json::from_value(answer.body).unwrap();
    assert_eq!(report.visits.funnel.viewed, 1);
}

#[tokio::test]
async fn old_visits_and_their_experiments_are_deleted() {
    let world = OperatorWorld::with(|settings| {
        settings.visit_retention_days = Some(2);
    })
    .await;
    let app = &world.service.app;
    world
        .send_visits(&[SentVisit::new(1, "en-US").saw(REDESIGN, 0)])
        .await;
    world.clock.advance_ms(2 * 86_400_000);
    world
        .send_visits(&[SentVisit::new(2, "en-US").saw("enable-ddc", 0)])
        .await;
    server::service::housekeeping::delete_old_data(app).await.unwrap();
    let week = format!("?from={}", world.clock.now_ms() - 7 * 86_400_000);
    let ended = |report: &Report| report.visits.funnel.viewed;
    world.clock.advance_ms(1);
    assert_eq!(ended(&world.report(&week).await), 2);
    server::service::housekeeping::delete_old_data(app).await.unwrap();
    let kept = world.report(&week).await;
    assert_eq!(ended(&kept), 1);
    let experiments: Vec<_> = kept
        .experiments
        .iter()
        .map(|kept| kept.experiment_id.as_str())
        .collect();
    assert_eq!(experiments, ["enable-ddc"]);
}

#[tokio::test]
async fn simulated_shoppers_are_all_counted_by_step() {
    let dir = tempfile::tempdir().unwrap();
    let settings = Settings {
        listen: Some(SocketAddr::from(([127, 0, 0, 1], 0))),
        ..Settings::default()
    };
    let config = Config::demo(settings, dir.path()).unwrap();
    let service = Service::start(config, Clock::system()).await.unwrap();
    let app = &service.app;
    let traffic = Traffic {
        origin: service.url(),
        secret_key: app.demo.as_ref().unwrap().mode.secret_key.clone(),
        topic: "cardform-events".into(),
        shoppers_per_minute: 60_000,
        shoppers_max: Some(150),
        seed: 7,
        pace_factor: 0.0,
    };
    let (_stop, stopped) = watch::channel(false);
    let result = traffic.run(stopped).await.unwrap();
    assert_eq!((result.failed_visits, result.funnel.viewed), (0, 150));
    assert!(
        result.funnel.paid >= 20 && result.funnel.paid < result.funnel.submitted,
        "{result:?}"
    );
    let asked = ReportRequest {
        from: app.clock.now_ms() - 600_000,
        to: app.clock.now_ms() + 600_000,
        ..ReportRequest::default()
    };
    // A stopped service has written every event.
    let store = Database::Sqlite(dir.path().join("cardform.db"));
    let charges = make_report(&app.reports, &asked).await.unwrap().charges;
    service.stop().await;
    let store = Store::connect(&store).await.unwrap();
    let range = ReportRange {
        from: asked.from,
        to: asked.to,
        locale: None,
    };
    let time = store.tallied_time().await.unwrap();
    let seen = store.visit_tallies(&time, range, true).await.unwrap();
    let mut counts = [0; 5];
    for tally in seen.iter().filter(|tally| tally.is_of(VisitTopic::All)) {
        for (sum, more) in counts.iter_mut().zip(tally.counts) {
            *sum += more;
        }
    }
    let expected = result.funnel;
    assert_eq!(
        counts,
        [
            expected.viewed,
            expected.started,
            expected.ready,
            expected.submitted,
            expected.paid
        ]
    );
    assert_eq!(charges.total.succeeded, result.funnel.paid);
    store.close().await;
}
