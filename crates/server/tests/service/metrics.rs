//! The metrics, and browsers' reports of policy violations.

use std::time::Duration;

use payments::charges::reconciler::reconcile;
use reqwest::Method;
use serde_json::json;
use server::service::readiness::check;

use crate::challenges::{CHALLENGE, cancel, challenged};
use crate::dead_process::leave_attempt;
use crate::provider::LinkState;
use crate::world::{World, send};

async fn metrics(world: &World) -> String {
    let answer = world.request(Method::GET, "/metrics").send().await.unwrap();
    assert_eq!(answer.status(), 200);
    answer.text().await.unwrap()
}

#[tokio::test]
async fn metrics_have_requests_by_route_and_queue_lengths() {
    let world = World::new().await;
    for _ in 0..3 {
        world.request(Method::GET, "/healthz").send().await.unwrap();
    }
    world.request(Method::HEAD, "/healthz").send().await.unwrap();
    world
        .request(Method::GET, "/4242424242424242")
        .send()
        .await
        .unwrap();
    let text = metrics(&world).await;
    for line in [
        "cardform_requests_total{method=\"GET\",route=\"/healthz\",status=\"200\"} 3",
        "cardform_requests_total{method=\"GET\",route=\"/{locale}\",status=\"404\"} 1",
        "cardform_requests_total{method=\"HEAD\",route=\"/healthz\",status=\"200\"} 1",
        "cardform_request_seconds_count{route=\"/healthz\"} 4",
        "cardform_request_seconds_bucket{le=\"30.0\",route=\"/healthz\"} 4",
        "cardform_webhooks_waiting 0",
        "cardform_attempts_open 0",
        "cardform_presses 0",
    ] {
        assert!(text.contains(line), "{line} is missing in\n{text}");
    }
    // A measured time may have any digits.
    let mut names = text.lines().filter_map(|line| line.rsplit_once(' '));
    assert!(names.all(|(name, _)| !name.contains("4242")), "{text}");
    assert!(text.ends_with("# EOF\n"));
}

#[tokio::test]
async fn attempts_are_counted_by_outcome_and_pages_by_renderer() {
    let world = World::new().await;
    for card in ["4000000000009995", "4242424242424242"] {
        let charge = world.charge().await;
        world.pay(&charge, "press", card).await;
        let page = format!("/?payload={}", charge.payload);
        assert_eq!(
            world.request(Method::GET, &page).send().await.unwrap().status(),
            200
        );
    }
    let text = metrics(&world).await;
    for line in [
        "cardform_attempts_total{outcome=\"succeeded\"} 1",
        "cardform_attempts_total{outcome=\"declined\"} 1",
        "cardform_provider_seconds_count{call=\"charge\"} 2",
        "cardform_pages_total 2",
        "cardform_pages_rendered_total 1",
    ] {
        assert!(text.contains(line), "{line} is missing in\n{text}");
    }
}

#[tokio::test]
async fn every_call_to_the_provider_is_timed_by_its_name() {
    let world = World::new().await;
    let (charge, _) = challenged(&world, CHALLENGE).await;
    assert_eq!(cancel(&world, &charge).await.status, 200);
    let device_data = world.request(Method::POST, "/v1/pub/device-data/initiate");
    assert_eq!(
        send(device_data.bearer_auth(&charge.client_secret)).await.status,
        200
    );
    // A payment that the provider never received is looked up and prevented.
    leave_attempt(&world, &world.charge().await).await;
    world.clock.advance_ms(45_000);
    reconcile(&world.service.app.charges).await.unwrap();
    let provider = &world.service.app.charges.provider;
    provider.payments_since(0, Duration::from_secs(5)).await.unwrap();
    let text = metrics(&world).await;
    for call in ["charge", "give_up", "device_data", "lookup", "prevent", "list"] {
        let count = format!("cardform_provider_seconds_count{{call=\"{call}\"}}");
        assert_eq!(value(&text, &count), 1, "{call}");
    }
}

/// The value of the series with this name and these labels.
fn value(text: &str, series: &str) -> i64 {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("{series} is missing in\n{text}"))
        .parse()
        .unwrap()
}

#[tokio::test]
async fn the_age_of_open_attempts_grows_without_the_database() {
    let world = World::new().await;
    let charge = world.charge().await;
    world.provider.set(LinkState::GarblesAnswers);
    world.pay(&charge, "press-1", "4242424242424242").await;
    check(&world.service.app).await;
    world.clock.advance_ms(90_000);
    let unknown = "cardform_attempts_oldest_seconds{state=\"outcome_unknown\"}";
    assert_eq!(value(&metrics(&world).await, unknown), 90);
    let waiting = "cardform_attempts_oldest_seconds{state=\"waiting_for_shopper_action\"}";
    assert_eq!(value(&metrics(&world).await, waiting), 0);

    world.provider.set(LinkState::Works);
    reconcile(&world.service.app.charges).await.unwrap();
    check(&world.service.app).await;
    let text = metrics(&world).await;
    assert_eq!(value(&text, unknown), 0);
    let now = world.clock.now_seconds();
    let reconciled = value(&text, "cardform_reconciliation_last_success_timestamp_seconds");
    assert_eq!(reconciled, now);
}

#[tokio::test]
async fn operations_without_a_result_and_holds_past_their_time_are_counted() {
    let world = World::new().await;
    let good = "4242424242424242";
    let paid = world.paid_with(good, json!({})).await;
    let held = json!({ "capture_method": "manual", "capture_after_hours": 48 });
    world.paid_with(good, held).await;
    let overdue = async || {
        check(&world.service.app).await;
        let text = metrics(&world).await;
        ["operations", "holds"].map(|what| value(&text, &format!("cardform_{what}_overdue")))
    };
    world.provider.set(LinkState::LosesPayments);
    world.act(&paid, "refunds", json!({})).await;
    assert_eq!(overdue().await, [0, 0]);
    world.clock.advance_ms(600_000);
    assert_eq!(overdue().await, [1, 0]);
    world.clock.advance_ms(48 * 3_600_000);
    assert_eq!(overdue().await, [1, 1]);
    world.provider.set(LinkState::Works);
    world.settle().await;
    assert_eq!(overdue().await, [0, 0]);
}

#[tokio::test]
async fn an_unreachable_provider_does_not_count_as_reconciled() {
    let world = World::new().await;
    let last = "cardform_reconciliation_last_success_timestamp_seconds";
    // An alarm also sees a node that has not reached the provider since its start.
    assert_eq!(value(&metrics(&world).await, last), world.clock.now_seconds());
    let charge = world.charge().await;
    world.provider.set(LinkState::GarblesAnswers);
    world.pay(&charge, "press-1", "4242424242424242").await;
    reconcile(&world.service.app.charges).await.unwrap();
    let before = value(&metrics(&world).await, last);
    world.provider.set(LinkState::Down);
    let charge = world.charge().await;
    leave_attempt(&world, &charge).await;
    world.clock.advance_ms(60_000);
    reconcile(&world.service.app.charges).await.unwrap();
    assert_eq!(value(&metrics(&world).await, last), before);
}

#[tokio::test]
async fn metrics_have_declines_limits_database_and_process() {
    let world = World::with(|settings| settings.limit_per_charge = Some("1/600".parse().unwrap())).await;
    let charge = world.charge().await;
    world.pay(&charge, "press-1", "4000000000009995").await;
    let limits_before = value(
        &metrics(&world).await,
        "cardform_limits_hit_total{limit=\"attempts\"}",
    );
    assert_eq!(
        world.pay(&charge, "press-2", "4000000000009995").await.status,
        429
    );
    check(&world.service.app).await;
    let text = metrics(&world).await;
    assert_eq!(
        value(&text, "cardform_declines_total{code=\"insufficient_funds\"}"),
        1
    );
    assert_eq!(value(&text, "cardform_declines_total{code=\"lost_card\"}"), 0);
    assert!(value(&text, "cardform_limits_hit_total{limit=\"attempts\"}") > limits_before);
    assert_eq!(value(&text, "cardform_ready"), 1);
    assert!(value(&text, "cardform_database_write_seconds_count") >= 1);
    assert!(value(&text, "cardform_database_connections_max") >= 1);
    assert_eq!(value(&text, "cardform_database_connections_waiting"), 0);
    for state in ["in_use", "idle"] {
        value(
            &text,
            &format!("cardform_database_connections{{state=\"{state}\"}}"),
        );
    }
    value(&text, "cardform_database_errors_total{kind=\"timeout\"}");
    let open = value(&text, "process_open_fds");
    assert!(open > 3 && open < value(&text, "process_max_fds"));
    assert!(value(&text, "process_resident_memory_bytes") > 1_000_000);
    assert!(value(&text, "process_start_time_seconds") > 1_700_000_000);
    assert!(
        !text.contains("cardform_certificate_end_timestamp_seconds{"),
        "there is no certificate"
    );
}

#[tokio::test]
async fn metrics_are_not_available_through_a_proxy() {
    let world = World::new().await;
    for name in ["x-forwarded-for", "forwarded", "via"] {
        let request = world.request(Method::GET, "/metrics").header(name, "203.0.113.7");
        assert_eq!(request.send().await.unwrap().status(), 404, "{name}");
    }
}

#[tokio::test]
async fn csp_reports_are_limited_per_client() {
    let world = World::with(|settings| settings.client_ip_header = Some("x-real-ip".into())).await;
    let report = async |client: &str| {
        let request = world
            .request(Method::POST, "/csp-reports")
            .header("x-real-ip", client);
        let report = r#"{"csp-report":{"effective-directive":"img-src"}}"#;
        request.body(report).send().await.unwrap().status().as_u16()
    };
    let mut answers = Vec::new();
    for _ in 0..100 {
        answers.push(report("1.2.3.4").await);
    }
    let taken = answers.iter().filter(|status| **status == 204).count();
    assert!((60..70).contains(&taken), "{taken}");
    assert_eq!(answers.last(), Some(&429));
    assert_eq!(report("1.2.3.5").await, 204);
}

#[tokio::test]
async fn csp_reports_are_counted_and_not_stored() {
    let world = World::new().await;
    let report = |body: &'static str| {
        let request = world.request(Method::POST, "/csp-reports");
        request
            .header("content-type", "application/csp-report")
            .body(body)
            .send()
    };
    let taken = report(
        r#"{"csp-report":{"effective-directive":"script-src-elem","blocked-uri":"https://evil.example"}}"#,
    );
    assert_eq!(taken.await.unwrap().status(), 204);
    assert_eq!(report("no report").await.unwrap().status(), 400);
    let text = metrics(&world).await;
    assert!(
        text.contains("cardform_csp_violations_total{directive=\"script-src-elem\"} 1"),
        "{text}"
    );
    assert!(!text.contains("evil"));
}
