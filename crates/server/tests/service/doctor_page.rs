//! `cardform doctor --page` names what keeps a merchant's page from showing the form.

use std::net::SocketAddr;

use axum::Router;
use axum::extract::RawQuery;
use axum::http::StatusCode;
use axum::response::Html;
use axum::routing::get;
use store::{Actor, PartnerChange};
use url::Url;
use web::{Listening, TimeLimits, bind};

use crate::doctor::{doctor, finds};
use crate::waiting::holds;
use crate::world::{PARTNER_ID, World};

/// A merchant's page.
async fn shop() -> (Listening, String) {
    let router = Router::new()
        .route("/checkout", get(async || Html("<!doctype html>")))
        .route("/sandboxed", get(async || ([("content-security-policy", "img-src *; sandbox allow-scripts")], Html(""))))
        .route("/free", get(async || ([("content-security-policy", "sandbox allow-scripts allow-same-origin")], Html(""))))
        .route("/frames", get(async |RawQuery(origin): RawQuery| {
            let origin = origin.unwrap_or_default();
            Html(format!("<iframe sandbox src=\"https://video.example\"></iframe><IFRAME\nsandbox=\"allow-scripts\" src=\"{origin}/?payload=x\">"))
        }))
        .fallback(async || StatusCode::NOT_FOUND);
    let listener = bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
    let url = format!(
        "http://{}/checkout?order=secret-order",
        listener.local_addr().unwrap()
    );
    (
        Listening::serve(listener, None, router, TimeLimits::default()),
        url,
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_cannot_be_fetched_is_named() {
    let world = World::new().await;
    let (_listening, page) = shop().await;
    let missing = page.replace("/checkout", "/gone");
    for page in [missing.as_str(), "http://127.0.0.1:9/"] {
        let answer = doctor(world.dir.path(), &["--url", &world.url(""), "--page", page], &[]);
        finds(&answer, &["page_unreachable"]);
        assert!(!answer.1.to_string().contains("secret-order"), "{}", answer.1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_or_frame_in_a_sandbox_is_named() {
    let world = World::new().await;
    let (_listening, page) = shop().await;
    let service = world.url("");
    for (path, findings) in [
        ("/sandboxed", &["page_sandboxed"][..]),
        ("/free", &[]),
        (&format!("/frames?{service}"), &["frame_sandboxed"]),
        ("/frames?https://other.example", &[]),
    ] {
        let page = page.replace("/checkout?order=secret-order", path);
        let answer = doctor(world.dir.path(), &["--url", &service, "--page", &page], &[]);
        finds(&answer, findings);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payload_is_checked_without_a_page() {
    let world = World::new().await;
    let payload = world.charge().await.payload;
    let service = world.url("");
    for (payload, findings) in [
        (payload.as_str(), &[][..]),
        ("bm9uc2Vuc2U", &["payload_refused"]),
        (&payload[..payload.len() - 4], &["payload_refused"]),
    ] {
        let answer = doctor(world.dir.path(), &["--url", &service, "--payload", payload], &[]);
        finds(&answer, findings);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_origin_that_the_merchant_does_not_allow_is_named() {
    let world = World::new().await;
    let payload = world.charge().await.payload;
    let (_listening, page) = shop().await;
    let service = world.url("");
    let asked = |payload: &str| {
        let words = ["--url", &service, "--page", &page, "--payload", payload];
        let answer = doctor(world.dir.path(), &words, &[]);
        assert!(!answer.1.to_string().contains(payload));
        answer
    };
    finds(&asked("bm9uc2Vuc2U"), &["payload_refused"]);
    finds(&asked(&payload), &["origin_not_allowed"]);
    let origin = Url::parse(&page).unwrap().origin().ascii_serialization();
    let change = PartnerChange {
        allowed_origins: Some(vec![origin]),
        ..PartnerChange::default()
    };
    let store = &world.service.app.store;
    store
        .change_partner(PARTNER_ID, &change, &Actor::service(0))
        .await
        .unwrap();
    holds("the origin is allowed", async || asked(&payload).0 == Some(0)).await;
}
