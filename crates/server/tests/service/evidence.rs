//! `cardform evidence`: what a page must be, and whether a page that is served somewhere is that.

use std::net::SocketAddr;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use reqwest::Client;
use serde_json::Value;
use server::connection::Pace;
use server::listener::{Listening, bind};

use crate::process::run;
use crate::world::World;

/// The settings that the service under test has, as the command takes them.
fn evidence(world: &World, arguments: &[&str]) -> (Option<i32>, Value) {
    let mut words = vec!["evidence", "--provider-url", &world.provider.url, "--json"];
    words.extend(arguments);
    let output = run(world.dir.path(), &words);
    let said = String::from_utf8(output.stdout).unwrap();
    let said = serde_json::from_str(&said)
        .unwrap_or_else(|_| panic!("{said}\n{}", String::from_utf8_lossy(&output.stderr)));
    (output.status.code(), said)
}

async fn page(world: &World) -> String {
    let charge = world.charge().await;
    world.url(&format!("/?payload={}", charge.payload))
}

/// What somebody who stands between changes.
#[derive(Clone, Copy, Debug)]
enum Change {
    Nothing,
    Script,
    LazyScript,
    AnotherScript,
    Policy,
    NoHeader,
    Theme,
}

/// A proxy in front of the service that changes something.
async fn changed(world: &World, change: Change) -> (Listening, String) {
    let service = world.url("");
    let router = Router::new().fallback(pass).with_state((service, change));
    let listener = bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    (Listening::serve(listener, None, router, Pace::default()), url)
}

async fn pass(State((service, change)): State<(String, Change)>, request: Request) -> Response {
    let path = request.uri().path_and_query().unwrap().to_string();
    let mut ask = Client::builder()
        .no_proxy()
        .build()
        .unwrap()
        .get(format!("{service}{path}"));
    for name in ["accept", "sec-fetch-dest"] {
        if let Some(value) = request.headers().get(name) {
            ask = ask.header(name, value);
        }
    }
    let answer = ask.send().await.unwrap();
    let mut response = Response::new(Body::empty());
    *response.status_mut() = answer.status();
    *response.headers_mut() = answer.headers().clone();
    let body = answer.text().await.unwrap();
    let is_page = path.starts_with("/?");
    let body = match change {
        Change::Script if path.starts_with("/assets/browser-") => format!("{body}\nsteal();"),
        Change::LazyScript if path.starts_with("/assets/saved-cards-") => format!("{body}\nsteal();"),
        Change::AnotherScript if is_page => body.replacen(
            "</head>",
            "<script src=\"https://evil.example/x.js\"></script></head>",
            1,
        ),
        Change::Theme if is_page => {
            body.replacen("</head>", "<style>#amount{display:none}</style></head>", 1)
        }
        _ => body,
    };
    let headers = response.headers_mut();
    headers.remove("content-length");
    match change {
        Change::Policy if is_page => {
            let policy = headers["content-security-policy"].to_str().unwrap();
            let policy = policy.replacen("script-src 'self'", "script-src 'self' https://evil.example", 1);
            headers.insert("content-security-policy", HeaderValue::from_str(&policy).unwrap());
        }
        Change::NoHeader if is_page => {
            headers.remove(HeaderName::from_static("x-content-type-options"));
        }
        _ => {}
    }
    *response.body_mut() = Body::from(to_bytes(Body::from(body), usize::MAX).await.unwrap());
    response
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_as_it_is_served_has_nothing_to_report() {
    let world = World::new().await;
    let page = page(&world).await;
    let (code, said) = evidence(&world, &["verify", &page]);
    assert_eq!((code, &said["differences"]), (Some(0), &Value::Array(Vec::new())));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_somebody_changed_is_reported_and_the_command_fails() {
    let world = World::new().await;
    let page = page(&world).await;
    let path = page.trim_start_matches(&world.url("")).to_owned();
    for (change, what) in [
        (Change::Nothing, None),
        (Change::Script, Some("/assets/browser-")),
        (Change::LazyScript, Some("/assets/saved-cards-")),
        (Change::AnotherScript, Some("https://evil.example/x.js")),
        (Change::Policy, Some("script-src")),
        (Change::NoHeader, Some("x-content-type-options")),
        (Change::Theme, Some("style-src")),
    ] {
        let (_listening, url) = changed(&world, change).await;
        let (code, said) = evidence(&world, &["verify", &format!("{url}{path}")]);
        let differences = said["differences"].as_array().unwrap();
        let named = |what: &str| {
            let mut names = differences
                .iter()
                .map(|difference| difference["what"].as_str().unwrap());
            names.any(|name| name.starts_with(what))
        };
        match what {
            None => assert_eq!(code, Some(0), "{change:?}: {said}"),
            Some(what) => {
                assert_eq!(code, Some(1), "{change:?}: {said}");
                // A second style sheet is a difference of its own.
                let count = if matches!(change, Change::Theme) { 2 } else { 1 };
                assert!(named(what) && differences.len() == count, "{change:?}: {said}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_inventory_names_each_script_with_purpose_and_hash() {
    let world = World::new().await;
    let (code, said) = evidence(&world, &[]);
    assert_eq!(code, Some(0));
    for (path, file) in said["scripts_and_styles"].as_object().unwrap() {
        let text = |name: &str| file[name].as_str().unwrap();
        assert!(!text("purpose").starts_with("Unknown"), "{path}");
        assert!(
            text("integrity").starts_with("sha384-") && text("sha256").len() == 64,
            "{path}"
        );
    }
    assert_eq!(said["headers"]["x-content-type-options"], "nosniff");
    let (code, components) = evidence(&world, &["components"]);
    assert_eq!(
        (code, &components["bomFormat"]),
        (Some(0), &Value::from("CycloneDX"))
    );
}
