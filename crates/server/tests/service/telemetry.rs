//! The service's JSON log, and its spans for a collector.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use protocol::CreatedCharge;
use reqwest::Client;
use serde_json::Value;
use tokio::sync::watch;
use web::{Listening, TimeLimits, bind};

use crate::process::Process;
use crate::world::{World, card, new_charge, send};

const CARD: &str = "4242424242424242";
const TRACE_ID: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

/// A collector that stores or refuses its requests.
struct Collector {
    url: String,
    taken: watch::Receiver<Vec<u8>>,
    _listening: Listening,
}

impl Collector {
    async fn start(answer: StatusCode) -> Self {
        let (sender, taken) = watch::channel(Vec::new());
        let router = Router::new()
            .route("/v1/traces", post(take))
            .with_state((Arc::new(sender), answer));
        let listener = bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
        Self {
            url: format!("http://{}", listener.local_addr().unwrap()),
            taken,
            _listening: Listening::serve(listener, None, router, TimeLimits::default()),
        }
    }
}

async fn take(
    State((sender, answer)): State<(Arc<watch::Sender<Vec<u8>>>, StatusCode)>,
    body: Bytes,
) -> StatusCode {
    sender.send_modify(|taken| taken.extend_from_slice(&body));
    answer
}

fn demo(dir: &Path, more: &[&str]) -> Process {
    let mut arguments = vec!["demo", "--listen", "127.0.0.1:0", "--data", "data"];
    arguments.extend(more);
    Process::start(dir, &arguments, "info")
}

/// Creates and pays a charge. Returns the charge, and the id of the request that paid.
async fn pay(demo: &Process) -> (CreatedCharge, String) {
    let http = Client::builder().no_proxy().build().unwrap();
    let key = demo.ready["secret_key"].as_str().unwrap();
    let made = http
        .post(format!("{}/v1/charges", demo.url()))
        .bearer_auth(key)
        .json(&new_charge());
    let charge: CreatedCharge = serde_json::from_value(send(made).await.body).unwrap();
    let pressed = http
        .post(format!("{}/v1/pub/direct/charges", demo.url()))
        .bearer_auth(&charge.client_secret)
        .header("partner-id", "partner_demo")
        .header("traceparent", format!("00-{TRACE_ID}-00f067aa0ba902b7-01"))
        .json(&card(&charge, CARD));
    let answer = pressed.send().await.unwrap();
    assert_eq!(answer.status(), 201);
    let request_id = answer.headers()["x-request-id"].to_str().unwrap().to_owned();
    assert_eq!(answer.headers()["x-trace-id"], TRACE_ID);
    (charge, request_id)
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[tokio::test]
async fn spans_have_requests_and_provider_calls_without_values() {
    let dir = tempfile::tempdir().unwrap();
    let collector = Collector::start(StatusCode::OK).await;
    let demo = demo(dir.path(), &["--otlp-endpoint", &collector.url]);
    let (charge, _) = pay(&demo).await;

    // Spans that were not sent yet are sent when the service ends.
    let (ended_well, _) = tokio::task::spawn_blocking(|| demo.terminate()).await.unwrap();
    assert!(ended_well);
    let taken = collector.taken.borrow().clone();
    for told in [
        "service.name",
        "POST /v1/pub/direct/charges",
        "http.response.status_code",
        "provider",
        "attempt_id",
        "charge_id",
    ] {
        assert!(holds(&taken, told), "{told}");
    }
    for secret in [CARD, charge.client_secret.as_str(), charge.payload.as_str()] {
        assert!(!holds(&taken, secret), "{secret}");
    }
}

#[tokio::test]
async fn an_unavailable_collector_loses_only_its_spans() {
    let refusing = Collector::start(StatusCode::SERVICE_UNAVAILABLE).await;
    for endpoint in [refusing.url.as_str(), "http://user:pass-word@127.0.0.1:9"] {
        let dir = tempfile::tempdir().unwrap();
        let demo = demo(dir.path(), &["--otlp-endpoint", endpoint]);
        pay(&demo).await;
        let (ended_well, _) = tokio::task::spawn_blocking(|| demo.terminate()).await.unwrap();
        assert!(ended_well);
        let log = std::fs::read_to_string(dir.path().join("cardform.log")).unwrap();
        assert_eq!(log.matches("does not accept traces").count(), 1, "{log}");
        assert!(!log.contains("pass-word"), "{log}");
    }
}

#[tokio::test]
async fn every_json_log_line_names_its_request() {
    let dir = tempfile::tempdir().unwrap();
    let demo = demo(dir.path(), &["--log-format", "json"]);
    let (charge, request_id) = pay(&demo).await;
    let (ended_well, _) = tokio::task::spawn_blocking(|| demo.terminate()).await.unwrap();
    assert!(ended_well);

    let log = std::fs::read_to_string(dir.path().join("cardform.log")).unwrap();
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}")))
        .collect();
    let answered = lines
        .iter()
        .find(|line| line["span"]["route"] == "/v1/pub/direct/charges")
        .unwrap();
    assert_eq!(answered["message"], "answered");
    assert_eq!(answered["status"], 201);
    assert_eq!(answered["span"]["id"], request_id.as_str());
    assert_eq!(answered["trace_id"], TRACE_ID);
    assert_eq!(answered["partner_id"], "partner_demo");
    assert_eq!(answered["charge_id"], charge.id.as_str());
    assert!(answered["attempt_id"].as_str().unwrap().starts_with("att_"));
    let created = lines
        .iter()
        .find(|line| line["span"]["route"] == "/v1/charges")
        .unwrap();
    assert_eq!(created["charge_id"], charge.id.as_str());
    assert_eq!(created["partner_id"], "partner_demo");
}

#[tokio::test]
async fn a_call_to_the_provider_joins_the_requests_trace() {
    let world = World::new().await;
    // The trace id of the answer and of the provider's request.
    let paid = async |trace: &str| {
        let charge = world.charge().await;
        let before = world.provider.traces().len();
        let press = world.press(&charge, "press-1", &card(&charge, CARD));
        let answer = press.header("traceparent", trace).send().await.unwrap();
        assert_eq!(answer.status(), 201);
        let trace_id = answer.headers().get("x-trace-id").cloned();
        (trace_id, world.provider.traces().get(before).cloned())
    };
    let (told, passed_on) = paid(&format!("00-{TRACE_ID}-00f067aa0ba902b7-01")).await;
    assert_eq!(told.unwrap(), TRACE_ID);
    let passed_on = passed_on.unwrap();
    assert!(
        passed_on.starts_with(&format!("00-{TRACE_ID}-")) && passed_on.ends_with("-01"),
        "{passed_on}"
    );
    assert!(
        !passed_on.contains("00f067aa0ba902b7"),
        "the call has an id of its own"
    );

    for bad in [
        "garbage",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
    ] {
        assert_eq!(paid(bad).await, (None, None), "{bad}");
    }
}

#[tokio::test]
async fn another_merchants_charge_is_not_named_in_the_log() {
    let dir = tempfile::tempdir().unwrap();
    let demo = demo(dir.path(), &["--log-format", "json"]);
    let http = Client::builder().no_proxy().build().unwrap();
    let request = http
        .get(format!("{}/v1/charges/ch_unknown", demo.url()))
        .bearer_auth(demo.ready["secret_key"].as_str().unwrap());
    assert_eq!(send(request).await.status, 404);
    let (ended_well, _) = tokio::task::spawn_blocking(|| demo.terminate()).await.unwrap();
    assert!(ended_well);
    let log = std::fs::read_to_string(dir.path().join("cardform.log")).unwrap();
    assert!(
        log.contains("\"partner_id\":\"partner_demo\"") && !log.contains("ch_unknown"),
        "{log}"
    );
}
