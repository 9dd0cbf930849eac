//! `cardform doctor --page` names what keeps a merchant's page from showing the form.

use std::net::SocketAddr;

use axum::Router;
use axum::http::{HeaderName, StatusCode};
use axum::response::Html;
use axum::routing::get;
use server::http::connection::TimeLimits;
use server::http::listener::{Listening, bind};
use store::{Actor, PartnerChange};
use url::Url;

use crate::doctor::{doctor, finds};
use crate::waiting::holds;
use crate::world::{PARTNER_ID, World};

/// A merchant's page with this policy; the script of the SDK is in it.
async fn shop(world: &World, policy: &str, meta: &str) -> (Listening, String) {
    let html = format!(
        "<!doctype html><head>{meta}<script src=\"{}\"></script></head>",
        world.url("/sdk/cardform.js")
    );
    let policy = policy.to_owned();
    let router = Router::new()
        .route(
            "/checkout",
            get(async move || {
                (
                    [(HeaderName::from_static("content-security-policy"), policy)],
                    Html(html),
                )
            }),
        )
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
async fn a_policy_that_stops_the_form_is_named() {
    let world = World::new().await;
    let service = world.url("");
    let all = format!("default-src 'none'; script-src {service}; frame-src {service}; connect-src {service}");
    let without = |directive: &str| {
        let kept = all.split("; ").filter(|part| !part.starts_with(directive));
        kept.collect::<Vec<_>>().join("; ")
    };
    let none = "<meta http-equiv=Content-Security-Policy content=\"frame-src &#39;none&#39;\">";
    for (policy, meta, expected) in [
        (all.clone(), "", None),
        (without("frame-src"), "", Some("page_blocks_frame")),
        (without("script-src"), "", Some("page_blocks_script")),
        (without("connect-src"), "", Some("page_blocks_connect")),
        (all.clone(), none, Some("page_blocks_frame")),
    ] {
        let (_listening, page) = shop(&world, &policy, meta).await;
        let answer = doctor(world.dir.path(), &["--url", &service, "--page", &page], &[]);
        finds(&answer, expected.as_slice());
        assert!(!answer.1.to_string().contains("secret-order"), "{}", answer.1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_cannot_be_fetched_is_named() {
    let world = World::new().await;
    let (_listening, page) = shop(&world, "", "").await;
    let missing = page.replace("/checkout", "/gone");
    for page in [missing.as_str(), "http://127.0.0.1:9/"] {
        let answer = doctor(world.dir.path(), &["--url", &world.url(""), "--page", page], &[]);
        finds(&answer, &["page_unreachable"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_origin_that_the_merchant_does_not_allow_is_named() {
    let world = World::new().await;
    let payload = world.charge().await.payload;
    let (_listening, page) = shop(&world, "", "").await;
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
