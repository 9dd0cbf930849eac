//! Experiments from outside: what the page is told, whose cookie id counts, and that a card is checked as the page was
//! told to check it.

use reqwest::Method;
use reqwest::header::{COOKIE, SET_COOKIE};
use serde_json::{Value, json};
use server::experiments::Document;

use crate::process::run;
use crate::world::{World, card, send};

const LUHN: &str = "card-form-card-number-luhn-alg-validation";
const SAVE: &str = "enable-save-payment-methods";
/// Fails the Luhn check alone; a provider who gets to see it declines it.
const MISTYPED: &str = "4242424242424241";

async fn world(features: Value) -> World {
    let world = World::new().await;
    let document = json!({ "features": features }).to_string();
    let document = Document::read(document.as_bytes(), None).unwrap();
    world.service.app.experiments.replace(document);
    world
}

/// What a page was told, and the cookie id that it set.
struct Told {
    page: Value,
    set: Option<String>,
}

async fn open(world: &World, options: &str, cookie: Option<&str>) -> Told {
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
    Told {
        page: serde_json::from_str(data).unwrap(),
        set,
    }
}

#[tokio::test]
async fn a_page_is_told_features_assignments_and_brands_and_the_same_shopper_the_same() {
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
    // What cannot be an id is as none.
    let odd = open(&world, r#"{"cookie_id":"a b"}"#, Some("coda-cookie-id=<x>")).await;
    assert_eq!(odd.page["cookie_id"].as_str(), odd.set.as_deref());
    assert_ne!(odd.set.unwrap(), id);
}

#[tokio::test]
async fn a_page_that_is_kept_for_many_holds_nobodys_cookie_id_but_its_own() {
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
async fn a_card_is_checked_as_the_shoppers_page_was_told() {
    let only_for = |id: &str| json!({LUHN: {"defaultValue": false, "rules": [{"condition": {"id": id}, "force": true}]}});
    // The press says that it is of "cookie-1".
    for (features, status) in [(only_for("cookie-1"), 422), (only_for("somebody"), 402)] {
        let world = world(features).await;
        let charge = world.charge().await;
        assert_eq!(world.pay(&charge, "press-1", MISTYPED).await.status, status);
    }
}

#[tokio::test]
async fn who_does_not_say_who_the_shopper_is_has_the_card_checked_laxly() {
    let rules = json!([{"variations": [true, true]}]);
    let world = world(json!({LUHN: {"defaultValue": true, "rules": rules}})).await;
    let charge = world.charge().await;
    let body = card(&charge, MISTYPED);
    let url = world.url("/v1/pub/direct/charges");
    let request = world.http.post(url).bearer_auth(&charge.client_secret);
    let request = request.header("partner-id", crate::world::PARTNER_ID).json(&body);
    assert_eq!(send(request).await.status, 402);
}

#[test]
fn the_command_says_what_a_shopper_gets_and_why() {
    let dir = tempfile::tempdir().unwrap();
    let features = json!({"features": {SAVE: {"defaultValue": false, "rules": [
        {"condition": {"country": "TH"}, "force": true},
        {"key": "save-cards", "variations": [false, true], "weights": [0, 1], "meta": [{"key": "off"}, {"key": "on"}]},
    ]}}});
    std::fs::write(dir.path().join("features.json"), features.to_string()).unwrap();
    let explain = |more: &[&str]| {
        let asked = [
            "experiment",
            "explain",
            "--features",
            "features.json",
            "--attributes",
        ];
        run(dir.path(), &[&asked[..], more].concat())
    };
    let answer = explain(&[r#"{"id":"1"}"#, "--json"]);
    assert!(answer.status.success(), "{answer:?}");
    let explained: Value = serde_json::from_slice(&answer.stdout).unwrap();
    let rows = explained.as_array().unwrap();
    assert_eq!(rows.len(), 8);
    let saving = rows.iter().find(|row| row["feature"] == SAVE).unwrap();
    assert_eq!(
        (
            &saving["value"],
            &saving["variation"],
            &saving["variation_key"],
            &saving["experiment"]
        ),
        (&json!(true), &json!(1), &json!("on"), &json!("save-cards"))
    );
    assert_eq!(
        saving["passed_over"],
        json!([{"rule": 1, "why": "its condition is not met"}])
    );
    let text = String::from_utf8(explain(&[r#"{"country":"TH"}"#]).stdout).unwrap();
    let paragraph = format!(
        "{SAVE}\n  value      true\n  variation  none: not in an experiment\n  why        rule 1 forces it\n"
    );
    assert!(text.contains(&paragraph), "{text}");
}

#[test]
fn the_command_refuses_what_it_cannot_use_in_one_line() {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("good.json", r#"{"features": {}}"#),
        ("broken.json", "{"),
        ("none.json", "[]"),
        ("sealed.json", r#"{"encryptedFeatures": "a.b"}"#),
    ] {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    for (file, attributes, complaint) in [
        ("missing.json", "{}", "cannot read missing.json"),
        (
            "broken.json",
            "{}",
            "broken.json: the features document is not JSON (line 1, column 1)",
        ),
        (
            "none.json",
            "{}",
            "none.json: the features document has no features",
        ),
        ("sealed.json", "{}", "sealed.json: Failed to decrypt features"),
        ("good.json", "{", "--attributes is not JSON (line 1, column 1)"),
        ("good.json", "[]", "--attributes must be a JSON object"),
    ] {
        let answer = run(
            dir.path(),
            &[
                "experiment",
                "explain",
                "--features",
                file,
                "--attributes",
                attributes,
            ],
        );
        let said = String::from_utf8(answer.stderr).unwrap();
        assert_eq!(answer.status.code(), Some(2), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(said.starts_with(&format!("cardform: {complaint}")), "{said}");
    }
}
