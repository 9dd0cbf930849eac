//! The metrics, and browsers' reports of policy violations.

use reqwest::Method;

use crate::world::World;

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
    world
        .request(Method::GET, "/4242424242424242")
        .send()
        .await
        .unwrap();
    let text = metrics(&world).await;
    for line in [
        "cardform_requests_total{method=\"GET\",route=\"/healthz\",status=\"200\"} 3",
        "cardform_requests_total{method=\"GET\",route=\"/{locale}\",status=\"404\"} 1",
        "cardform_request_seconds_count{route=\"/healthz\"} 3",
        "cardform_webhooks_waiting 0",
        "cardform_attempts_open 0",
        "cardform_presses 0",
    ] {
        assert!(text.contains(line), "{line} is missing in\n{text}");
    }
    assert!(!text.contains("4242"));
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
