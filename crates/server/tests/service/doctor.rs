//! `cardform doctor` names mistakes in the running service and in the proxies before it.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::Path;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::response::Response;
use reqwest::Client;
use serde_json::Value;
use web::{Listening, TimeLimits, bind};

use crate::changing_proxy::{Reply, ReplyChange};
use crate::process::cardform;
use crate::tls::world_with_certificate;
use crate::waiting::holds;
use crate::world::{World, send};

/// The exit code, the output as JSON, and everything that was printed.
pub(crate) fn doctor(dir: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> (Option<i32>, Value) {
    let mut command = cardform(dir);
    command.args(["doctor", "--json"]).args(arguments);
    command.envs(environment.iter().copied());
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let said = serde_json::from_str(&said)
        .unwrap_or_else(|_| panic!("{said}\n{}", String::from_utf8_lossy(&output.stderr)));
    (output.status.code(), said)
}

/// The codes of the findings, errors and warnings.
pub(crate) fn codes(said: &Value) -> BTreeSet<&str> {
    let findings = said["findings"].as_array().unwrap();
    for finding in findings {
        for part in ["what", "why", "fix"] {
            assert!(!finding[part].as_str().unwrap().is_empty(), "{finding}");
        }
    }
    findings
        .iter()
        .map(|finding| finding["code"].as_str().unwrap())
        .collect()
}

/// Checks that exactly these findings are there, and that the exit code says whether one is an error.
pub(crate) fn finds(answer: &(Option<i32>, Value), expected: &[&str]) {
    let (code, said) = answer;
    let wanted: BTreeSet<&str> = expected.iter().copied().collect();
    assert_eq!(codes(said), wanted, "{said}");
    let has_error = said["findings"]
        .as_array()
        .unwrap()
        .iter()
        .any(|finding| finding["severity"] == "error");
    assert_eq!(*code, Some(i32::from(has_error)), "{said}");
}

/// A proxy between the doctor and the service: the headers of requests that it drops, and how it changes answers.
#[derive(Clone)]
struct TestProxy {
    service: String,
    dropped: &'static [&'static str],
    change: ReplyChange,
}

async fn proxy(world: &World, dropped: &'static [&'static str], change: ReplyChange) -> (Listening, String) {
    let proxy = TestProxy {
        service: world.url(""),
        dropped,
        change,
    };
    let router = Router::new().fallback(pass).with_state(proxy);
    let listener = bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    (
        Listening::serve(listener, None, router, TimeLimits::default()),
        url,
    )
}

async fn pass(State(proxy): State<TestProxy>, request: Request) -> Response {
    let path = request.uri().path_and_query().unwrap().to_string();
    let mut headers: HeaderMap = request.headers().clone();
    for name in ["host", "content-length"].iter().chain(proxy.dropped) {
        headers.remove(*name);
    }
    let answer = Client::builder()
        .no_proxy()
        .build()
        .unwrap()
        .request(request.method().clone(), format!("{}{path}", proxy.service))
        .headers(headers)
        .send()
        .await
        .unwrap();
    let mut response = Response::new(Body::empty());
    *response.status_mut() = answer.status();
    let mut reply = Reply {
        path,
        destination: String::new(),
        headers: answer.headers().clone(),
        body: answer.bytes().await.unwrap().to_vec(),
    };
    reply.headers.remove("content-length");
    reply.headers.remove("transfer-encoding");
    (proxy.change)(&mut reply);
    *response.headers_mut() = reply.headers;
    *response.body_mut() = Body::from(reply.body);
    response
}

/// The findings behind this proxy.
async fn behind(
    world: &World,
    dropped: &'static [&'static str],
    change: ReplyChange,
) -> (Option<i32>, Value) {
    let (_listening, url) = proxy(world, dropped, change).await;
    doctor(world.dir.path(), &["--url", &url], &[])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sound_installation_has_no_findings() {
    let world = World::new().await;
    let charge = world.charge().await;
    let settings = [
        "--database",
        world.database(),
        "--provider-url",
        &world.provider.url,
        "--url",
        &world.url(""),
        "--payload",
        &charge.payload,
        "--client-secret",
        &charge.client_secret,
    ];
    let answer = doctor(world.dir.path(), &settings, &[]);
    finds(&answer, &[]);
    assert_eq!(answer.1["skipped"], Value::Array(Vec::new()));
    // Without settings only the service is checked, also through a proxy that changes nothing.
    let answer = behind(&world, &[], |reply| reply.add("via", "1.1 proxy")).await;
    finds(&answer, &[]);
    assert_eq!(answer.1["skipped"][0]["what"], "the settings");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unreachable_service_is_named() {
    let world = World::new().await;
    let gone = doctor(world.dir.path(), &["--url", "http://127.0.0.1:9"], &[]);
    finds(&gone, &["service_unreachable"]);
    let other = doctor(world.dir.path(), &["--url", &world.provider.url], &[]);
    finds(&other, &["not_cardform"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_with_closed_payments_is_named() {
    let world = World::new().await;
    let close = [
        "payments",
        "close",
        "--since",
        "2026-01-01T00:00:00Z",
        "--database",
        world.database(),
    ];
    let closed = cardform(world.dir.path()).args(close).output().unwrap();
    assert!(closed.status.success(), "{closed:?}");
    holds("the service is not ready", async || {
        send(world.request(reqwest::Method::GET, "/readyz")).await.status == 503
    })
    .await;
    let answer = doctor(world.dir.path(), &["--url", &world.url("")], &[]);
    finds(&answer, &["not_ready"]);
    let what = answer.1["findings"][0]["what"].as_str().unwrap();
    assert!(what.contains("payments are closed"), "{what}");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_change_of_a_proxy_is_named() {
    let world = World::new().await;
    let changes: [(&str, ReplyChange); 8] = [
        ("other_version", |reply| {
            if reply.path == "/builds/latest.json" {
                reply.body = br#"{"id":"a","version":"0.0.1"}"#.to_vec();
            }
        }),
        ("page_rewritten", |reply| {
            if reply.path == "/sdk/cardform.js" {
                reply.body.extend(b" ");
            }
        }),
        ("policy_missing", |reply| {
            reply.headers.remove("content-security-policy");
        }),
        ("frame_blocked", |reply| {
            reply.set("x-frame-options", "SAMEORIGIN");
        }),
        ("header_changed", |reply| {
            reply.set("cache-control", "public, max-age=60");
        }),
        ("page_cached", |reply| reply.set("age", "42")),
        ("clock_skew", |reply| {
            reply.set("date", "Wed, 15 Jul 2020 12:00:00 GMT");
        }),
        ("not_cardform", |reply| {
            if reply.path == "/healthz" {
                reply.body = b"<html>It works!</html>".to_vec();
            }
        }),
    ];
    for (code, change) in changes {
        finds(&behind(&world, &[], change).await, &[code]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_with_another_time_is_named() {
    let world = World::new().await;
    let (_listening, url) = proxy(&world, &[], |reply| {
        reply.set("date", "Wed, 15 Jul 2020 12:00:00 GMT");
    })
    .await;
    let words = [
        "--url",
        &world.url(""),
        "--database",
        world.database(),
        "--provider-url",
        &url,
    ];
    let answer = doctor(world.dir.path(), &words, &[]);
    finds(&answer, &["clock_skew"]);
    let what = answer.1["findings"][0]["what"].as_str().unwrap();
    assert!(what.contains("the provider") && what.contains("behind"), "{what}");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_header_that_a_proxy_removes_is_named() {
    let world = World::new().await;
    let unchanged: ReplyChange = |_| ();
    let without_authorization = behind(&world, &["authorization"], unchanged).await;
    finds(&without_authorization, &["authorization_dropped"]);
    let without_key = behind(&world, &["idempotency-key"], unchanged).await;
    finds(&without_key, &["idempotency_key_dropped"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_that_drops_headers_of_the_form_is_named() {
    let world = World::new().await;
    let charge = world.charge().await;
    let unchanged: ReplyChange = |_| ();
    for (dropped, code) in [
        (&["partner-id"] as &[_], "partner_id_dropped"),
        (&["cookie-id"], "cookie_id_dropped"),
    ] {
        let (_listening, url) = proxy(&world, dropped, unchanged).await;
        let environment = [("CARDFORM_CLIENT_SECRET", charge.client_secret.as_str())];
        finds(&doctor(world.dir.path(), &["--url", &url], &environment), &[code]);
    }
    // The checks have neither paid the charge nor begun an attempt.
    assert_eq!(world.shopper_view(&charge).await["status"], "created");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_client_secret_is_named_and_never_printed() {
    let world = World::new().await;
    let charge = world.charge().await;
    let url = world.url("");
    let asked = |secret: &str| {
        let environment = [("CARDFORM_CLIENT_SECRET", secret)];
        let answer = doctor(world.dir.path(), &["--url", &url], &environment);
        assert!(!answer.1.to_string().contains(secret));
        answer
    };
    finds(&asked(&charge.client_secret), &[]);
    let (signed, _) = charge.client_secret.rsplit_once('.').unwrap();
    finds(&asked(&format!("{signed}.AAAA")), &["client_secret_refused"]);
    finds(&asked("nonsense"), &["client_secret_refused"]);
    world.clock.advance_ms(40 * 24 * 3_600_000);
    finds(&asked(&charge.client_secret), &["client_secret_expired"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_that_browsers_refuse_or_that_ends_is_named() {
    // The issuer of the first certificate is unknown.
    let (world, pem) = world_with_certificate(&["127.0.0.1"], false).await;
    let url = world.service.url();
    finds(
        &doctor(world.dir.path(), &["--url", &url], &[]),
        &["certificate_refused"],
    );
    let trusted = world.dir.path().join("root.pem");
    std::fs::write(&trusted, &pem).unwrap();
    let roots = [("SSL_CERT_FILE", trusted.to_str().unwrap())];
    finds(&doctor(world.dir.path(), &["--url", &url], &roots), &[]);

    let (world, pem) = world_with_certificate(&["pay.example"], false).await;
    std::fs::write(&trusted, &pem).unwrap();
    let answer = doctor(world.dir.path(), &["--url", &world.service.url()], &roots);
    finds(&answer, &["certificate_refused"]);

    let (world, pem) = world_with_certificate(&["127.0.0.1"], true).await;
    std::fs::write(&trusted, &pem).unwrap();
    let answer = doctor(world.dir.path(), &["--url", &world.service.url()], &roots);
    finds(&answer, &["certificate_ends"]);
}
