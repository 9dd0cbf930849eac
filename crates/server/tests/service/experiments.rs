//! Experiments from outside: the features of the page, the cookie id that is used, and that a card is checked with the
//! same features as on the page.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use experiments::Document;
use experiments::experiment_token::read_experiment_token;
use protocol::ChargeIntent;
use reqwest::header::{COOKIE, IF_NONE_MATCH, SET_COOKIE};
use reqwest::{Method, Response};
use serde_json::{Value, json};

use crate::process::Process;
use crate::world::{World, card, send};

const LUHN: &str = "card-form-card-number-luhn-alg-validation";
const SAVE: &str = "enable-save-payment-methods";
/// Fails only the Luhn check; a provider that gets it declines it.
const FAILS_LUHN: &str = "4242424242424241";

async fn world(features: Value) -> World {
    let world = World::new().await;
    let document = json!({ "features": features }).to_string();
    let document = Document::read(document.as_bytes(), None).unwrap();
    world.service.app.experiments.replace(document);
    world
}

/// The data of a page, and the cookie id that it set.
struct OpenedPage {
    page: Value,
    set: Option<String>,
}

async fn open(world: &World, options: &str, cookie: Option<&str>) -> OpenedPage {
    let payload = world.charge().await.payload;
    let query = serde_urlencoded::to_string([("payload", payload.as_str()), ("options", options)]).unwrap();
    let mut request = world.request(Method::GET, &format!("/?{query}"));
    if let Some(cookie) = cookie {
        request = request.header(COOKIE, cookie);
    }
    let answer = request.send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let mut cookies = answer.headers().get_all(SET_COOKIE).iter();
    let set = cookies
        .find_map(|cookie| cookie.to_str().ok()?.strip_prefix("coda-cookie-id="))
        .map(|cookie| cookie.split(';').next().unwrap_or_default().to_owned());
    let html = answer.text().await.unwrap();
    let (_, rest) = html.split_once("id=\"page\">").unwrap();
    let (data, _) = rest.split_once("</script>").unwrap();
    OpenedPage {
        page: serde_json::from_str(data).unwrap(),
        set,
    }
}

#[tokio::test]
async fn the_same_shopper_gets_the_same_features_and_brands() {
    let world = world(json!({
        SAVE: {"defaultValue": false, "rules": [
            {"key": "save-cards", "variations": [false, true], "meta": [{"key": "off"}, {"key": "on"}]},
        ]},
        "card-form-card-brand-icon-config": {"defaultValue": ["jcb", "visa", "solo"]},
    }))
    .await;
    let mut seen = [0, 0];
    for number in 0..20 {
        let options = json!({ "cookie_id": format!("shopper-{number}") }).to_string();
        let (first, second) = (
            open(&world, &options, None).await,
            open(&world, &options, None).await,
        );
        assert_eq!(first.page["experiments"], second.page["experiments"]);
        let assignment = &first.page["experiments"][0];
        let variation = assignment["variation_id"].as_u64().unwrap();
        seen[usize::try_from(variation).unwrap()] += 1;
        assert_eq!(
            (
                &assignment["experiment_id"],
                &assignment["feature"],
                &assignment["variation_key"]
            ),
            (
                &json!("save-cards"),
                &json!(SAVE),
                &json!(["off", "on"][usize::try_from(variation).unwrap()])
            )
        );
        assert_eq!(first.page["features"][SAVE], json!(variation == 1));
        assert_eq!(first.page["features"][LUHN], json!(false));
        assert_eq!(first.page["available_brands"], json!(["visa", "jcb"]));
        assert_eq!(first.set, None);
    }
    assert!(seen.iter().all(|count| *count > 3), "{seen:?}");
}

#[tokio::test]
async fn a_shopper_without_a_cookie_id_gets_one_and_keeps_it() {
    let world = World::new().await;
    let first = open(&world, "", None).await;
    let id = first.set.unwrap();
    assert_eq!(first.page["cookie_id"], json!(id));
    let again = open(&world, "", Some(&format!("coda-cookie-id={id}"))).await;
    assert_eq!(
        (again.page["cookie_id"].as_str(), again.set),
        (Some(id.as_str()), None)
    );
    let given = open(
        &world,
        r#"{"cookie_id":"c-1"}"#,
        Some(&format!("coda-cookie-id={id}")),
    )
    .await;
    assert_eq!((given.page["cookie_id"].as_str(), given.set), (Some("c-1"), None));
    // An invalid id counts as none.
    let odd = open(&world, r#"{"cookie_id":"a b"}"#, Some("coda-cookie-id=<x>")).await;
    assert_eq!(odd.page["cookie_id"].as_str(), odd.set.as_deref());
    assert_ne!(odd.set.unwrap(), id);
}

#[tokio::test]
async fn a_cached_page_has_only_its_own_shoppers_cookie_id() {
    let world = World::new().await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        let told = open(&world, "", None).await;
        assert_eq!(told.page["cookie_id"].as_str(), told.set.as_deref());
        ids.extend(told.set);
    }
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 3);
}

#[tokio::test]
async fn a_card_is_checked_with_the_shoppers_own_features() {
    let only_for = |id: &str| json!({LUHN: {"defaultValue": false, "rules": [{"condition": {"id": id}, "force": true}]}});
    // The press has the cookie id "cookie-1".
    for (features, status) in [(only_for("cookie-1"), 422), (only_for("somebody"), 402)] {
        let world = world(features).await;
        let charge = world.charge().await;
        assert_eq!(world.pay(&charge, "press-1", FAILS_LUHN).await.status, status);
    }
}

#[tokio::test]
async fn without_a_cookie_id_the_card_is_checked_with_the_fewest_rules() {
    let rules = json!([{"variations": [true, true]}]);
    let world = world(json!({LUHN: {"defaultValue": true, "rules": rules}})).await;
    let charge = world.charge().await;
    let body = card(&charge, FAILS_LUHN);
    let url = world.url("/v1/pub/direct/charges");
    let request = world.http.post(url).bearer_auth(&charge.client_secret);
    let request = request.header("partner-id", crate::world::PARTNER_ID).json(&body);
    assert_eq!(send(request).await.status, 402);
}

#[tokio::test]
async fn features_that_a_demo_page_forces_decide_how_its_card_is_checked() {
    let dir = tempfile::tempdir().unwrap();
    let demo = Process::start(
        dir.path(),
        &["demo", "--listen", "127.0.0.1:0", "--data", "data"],
        "info",
    );
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let orders = http.post(format!("{}/demo/orders", demo.url()));
    let order = send(orders.json(&json!({ "product": "gems-100", "shopper": null })))
        .await
        .body;
    let intent = ChargeIntent::from_payload(order["payload"].as_str().unwrap()).unwrap();
    let charge = serde_json::from_value(json!({
        "id": intent.charge_id, "status": "created", "payload": "", "url": "", "expires_at": "",
        "client_secret": order["client_secret"],
    }));
    let mut body = card(&charge.unwrap(), FAILS_LUHN);
    body["item_code"] = json!(intent.item_code);
    body["item_name"] = json!(intent.item_name);
    body["partner_reference"] = json!(intent.partner_reference);
    body["amount_value"] = json!(intent.amount_value);
    body["amount_currency"] = json!(intent.amount_currency);
    let off = json!({ "features": { LUHN: false } }).to_string();
    // The check of a charge follows the last page that was opened for it.
    for (options, status) in [("", 422), (off.as_str(), 402), ("", 422)] {
        let query = [
            ("payload", order["payload"].as_str().unwrap()),
            ("options", options),
        ];
        let query = serde_urlencoded::to_string(query).unwrap();
        let page = http.get(format!("{}/?{query}", demo.url())).send().await.unwrap();
        assert_eq!(page.status(), 200);
        let press = http
            .post(format!("{}/v1/pub/direct/charges", demo.url()))
            .bearer_auth(order["client_secret"].as_str().unwrap())
            .header("partner-id", &intent.partner_id)
            .json(&body);
        let answer = send(press).await;
        assert_eq!(answer.status, status, "{options:?}: {}", answer.body);
    }
}

async fn told_features(world: &World, etag: Option<&str>) -> Response {
    let mut request = world.request(Method::GET, "/v1/pub/features");
    if let Some(etag) = etag {
        request = request.header(IF_NONE_MATCH, etag);
    }
    request.send().await.unwrap()
}

#[tokio::test]
async fn other_sites_get_the_features_document_or_a_304() {
    let world = world(json!({SAVE: {"defaultValue": ["a"]}, "another": {"defaultValue": "secret"}})).await;
    let answer = told_features(&world, None).await;
    assert_eq!(answer.status(), 200);
    let header = |name: &str| answer.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("access-control-allow-origin"), "*");
    assert!(header("cache-control").starts_with("public, max-age="));
    assert_eq!(header("content-type"), "application/json");
    let etag = header("etag");
    let body: Value = answer.json().await.unwrap();
    assert_eq!(
        body,
        json!({"status": 200, "features": {SAVE: {"defaultValue": ["a"]}}})
    );
    for known in [
        etag.clone(),
        format!("W/{etag}"),
        format!("\"x\", {etag}"),
        "*".to_owned(),
    ] {
        let again = told_features(&world, Some(&known)).await;
        assert_eq!(
            (again.status().as_u16(), again.content_length()),
            (304, Some(0)),
            "{known}"
        );
    }
    assert_eq!(told_features(&world, Some("\"x\"")).await.status(), 200);
    world.service.app.experiments.replace(Document::shipped());
    assert_eq!(told_features(&world, Some(&etag)).await.status(), 200);
}

async fn token(world: &World, query: &str) -> crate::world::Answer {
    send(world.request(Method::GET, &format!("/v1/pub/experiment-token?{query}"))).await
}

fn claims(token: &str) -> Value {
    let claims = token.split('.').nth(1).unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).unwrap()).unwrap()
}

#[tokio::test]
async fn an_experiment_token_has_the_features_of_the_shoppers_form() {
    let world = world(json!({SAVE: {"defaultValue": false, "rules": [
        {"condition": {"currency": "USD"}, "key": "e", "variations": [false, true]},
    ]}}))
    .await;
    let payload = world.charge().await.payload;
    let query = serde_urlencoded::to_string([("cookie_id", "c-1"), ("payload", payload.as_str())]).unwrap();
    let answer = token(&world, &query).await;
    assert_eq!((answer.status, &answer.body["cookie_id"]), (200, &json!("c-1")));
    assert_eq!(answer.body["expires_at"], "2026-07-15T12:15:00Z");
    let signed = answer.body["token"].as_str().unwrap();
    let claimed = claims(signed);
    let options = json!({ "experiment_token": signed }).to_string();
    let told = open(&world, &options, None).await;
    assert_eq!((told.page["cookie_id"].as_str(), told.set), (Some("c-1"), None));
    for field in ["features", "experiments", "available_brands"] {
        assert_eq!(claimed[field], told.page[field], "{field}");
    }
    assert_eq!(claimed["experiments"][0]["experiment_id"], "e");
    // Without the charge it is not known whether the experiment is for it.
    let alone = token(&world, "cookie_id=c-1").await;
    assert_eq!(
        claims(alone.body["token"].as_str().unwrap())["experiments"],
        json!([])
    );
    let fresh = token(&world, "").await.body;
    assert_eq!(
        claims(fresh["token"].as_str().unwrap())["sub"],
        fresh["cookie_id"]
    );
    for wrong in [
        "cookie_id=a%20b",
        "payload=%25",
        "payload=AAAA",
        "cookie_id=a&cookie_id=b",
    ] {
        assert_eq!(token(&world, wrong).await.code(), "invalid_request", "{wrong}");
    }
}

#[tokio::test]
async fn an_invalid_experiment_token_does_not_change_the_page() {
    let world = World::new().await;
    let app = &world.service.app;
    let good = token(&world, "cookie_id=c-1").await.body["token"]
        .as_str()
        .unwrap()
        .to_owned();
    let parts: Vec<&str> = good.split('.').collect();
    let with_claims = |claims: &str| format!("{}.{claims}.{}", parts[0], parts[2]);
    let secret = world.charge().await.client_secret;
    let mut forged = claims(&good);
    forged["sub"] = json!("c-2");
    let forged = URL_SAFE_NO_PAD.encode(forged.to_string());
    for (wrong, fault) in [
        (json!(7), "must be a string"),
        (json!(null), "must be a string"),
        (json!("a.b"), "missing part"),
        (json!(""), "missing part"),
        (json!(with_claims("%")), "invalid base64"),
        (json!(with_claims("e30x")), "invalid json"),
        // A client secret is not an experiment token.
        (json!(secret), "invalid json"),
        (json!(with_claims(&forged)), "not one of this service"),
    ] {
        let error = read_experiment_token(&app.charges.client_secrets, &wrong)
            .await
            .unwrap_err()
            .to_string();
        assert_eq!(error, format!("Invalid experiment token: {fault}"));
        let options = json!({ "experiment_token": wrong, "show_cardholder_name": true }).to_string();
        let told = open(&world, &options, None).await;
        assert_eq!(told.page["options"]["show_cardholder_name"], true);
        assert_eq!(told.page["cookie_id"].as_str(), told.set.as_deref());
    }
    // Nor is it accepted as a client secret.
    let charge = world.charge().await;
    let path = format!("/v1/pub/charges/{}", charge.id);
    let refused = send(world.request(Method::GET, &path).bearer_auth(&good)).await;
    assert_eq!(refused.code(), "client_secret_invalid");
    world.clock.advance_ms(900_000);
    let error = read_experiment_token(&app.charges.client_secrets, &json!(good))
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "Invalid experiment token: it has expired");
}

#[tokio::test]
async fn the_page_may_load_only_its_own_sites_fraud_script() {
    let world = World::with(|settings| {
        settings.fraud_script_url = Some("https://cdn.fraud.example/{site_id}/s.js".into());
        settings.fraud_script_origins = Some("https://api.fraud.example https://*.fraud.example".into());
        settings.ip_lookup_url = Some("https://ip.example/?format=text".into());
    })
    .await;
    let policy = async |options: &str| {
        let payload = world.charge().await.payload;
        let query =
            serde_urlencoded::to_string([("payload", payload.as_str()), ("options", options)]).unwrap();
        let answer = world
            .request(Method::GET, &format!("/?{query}"))
            .send()
            .await
            .unwrap();
        answer.headers()["content-security-policy"]
            .to_str()
            .unwrap()
            .to_owned()
    };
    let with = policy(r#"{"site_id":"site-1"}"#).await;
    let both = "https://api.fraud.example https://*.fraud.example";
    for expected in [
        "script-src 'self' https://cdn.fraud.example/site-1/s.js;".to_owned(),
        format!("connect-src 'self' {both} https://ip.example;"),
        format!("img-src 'self' data: {both};"),
        "trusted-types cardform-fraud-script;".to_owned(),
    ] {
        assert!(with.contains(&expected), "{expected}: {with}");
    }
    for options in [
        "",
        "{}",
        r#"{"site_id":"site-2"}"#,
        r#"{"site_id":"../x"}"#,
        r#"{"site_id":"a;b"}"#,
    ] {
        let without = policy(options).await;
        assert!(without.contains("script-src 'self';"), "{without}");
        assert!(without.contains("trusted-types 'none';"), "{without}");
        assert!(
            without.contains("connect-src 'self' https://ip.example;"),
            "{without}"
        );
        assert!(!without.contains("fraud"), "{without}");
    }
    let told = open(&world, r#"{"site_id":"site-1"}"#, None).await.page;
    assert_eq!(
        told["fraud_script"],
        json!({
            "url": "https://cdn.fraud.example/site-1/s.js", "cookie": "forterToken",
            "cookie_attributes": "Path=/; Max-Age=34560000; SameSite=Lax",
        })
    );
    assert_eq!(told["ip_lookup_url"], "https://ip.example/?format=text");
}
