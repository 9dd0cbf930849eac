//! The card form is shown only for payloads that this service signed, of known merchants.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use merchants::keys::signing::payload_signature::signed_payload;
use protocol::{ChargeIntent, CreatedCharge, Payload};
use reqwest::{Client, Url};
use server::config::Settings;
use store::{Actor, PartnerChange};

use crate::process::Process;
use crate::world::{PARTNER_ID, SECRET_KEY, World, new_charge, send};

/// The answer to a browser in a frame.
struct Shown {
    status: u16,
    /// `frame-ancestors` of the policy.
    ancestors: String,
    body: String,
}

impl Shown {
    fn has_card_form(&self) -> bool {
        self.body.contains("id=\"card-number\"")
    }
}

async fn shown(http: &Client, base: &str, payload: &str) -> Shown {
    let mut url = Url::parse(base).unwrap();
    url.query_pairs_mut().append_pair("payload", payload);
    let answer = http
        .get(url)
        .header("sec-fetch-dest", "iframe")
        .send()
        .await
        .unwrap();
    let policy = answer.headers()["content-security-policy"].to_str().unwrap();
    let ancestors = policy
        .split("; ")
        .find_map(|directive| directive.strip_prefix("frame-ancestors "));
    Shown {
        status: answer.status().as_u16(),
        ancestors: ancestors.unwrap().to_owned(),
        body: answer.text().await.unwrap(),
    }
}

async fn shown_by(world: &World, payload: &str) -> Shown {
    shown(&world.http, &world.url("/"), payload).await
}

async fn assert_refused(world: &World, payload: &str, why: &str) {
    let refused = shown_by(world, payload).await;
    assert_eq!(refused.status, 403, "{}", refused.body);
    assert_eq!(refused.ancestors, "'none'");
    assert!(!refused.has_card_form());
    assert!(refused.body.contains(why), "{}", refused.body);
}

fn intent_of(charge: &CreatedCharge) -> ChargeIntent {
    ChargeIntent::from_payload(&charge.payload).unwrap()
}

/// Signs as the service does.
async fn signed(world: &World, intent: &ChargeIntent) -> String {
    let key = world.service.app.signing_keys.active().await.unwrap();
    signed_payload(intent, &key)
}

#[tokio::test]
async fn a_signed_payload_shows_the_form_to_its_merchants_origin_only() {
    let world = World::new().await;
    let charge = world.charge().await;
    let bytes = URL_SAFE_NO_PAD.decode(&charge.payload).unwrap();
    for payload in [charge.payload, STANDARD.encode(bytes)] {
        let form = shown_by(&world, &payload).await;
        assert_eq!((form.status, form.has_card_form()), (200, true));
        assert_eq!(form.ancestors, "https://shop.example");
    }
}

#[tokio::test]
async fn an_unsigned_payload_shows_no_card_form() {
    let world = World::new().await;
    let intent = intent_of(&world.charge().await);
    assert_refused(&world, &intent.to_payload(), "The payload is not signed.").await;
}

#[tokio::test]
async fn a_payload_with_any_byte_changed_shows_no_card_form() {
    let world = World::new().await;
    let bytes = URL_SAFE_NO_PAD.decode(world.charge().await.payload).unwrap();
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        let refused = shown_by(&world, &URL_SAFE_NO_PAD.encode(&changed)).await;
        assert!(
            (400..500).contains(&refused.status) && !refused.has_card_form(),
            "byte {at}"
        );
    }
}

#[tokio::test]
async fn a_signature_for_another_intent_shows_no_card_form() {
    let world = World::new().await;
    let signature = Payload::read(&world.charge().await.payload).unwrap().signature;
    let other = ChargeIntent {
        item_name: "another item".into(),
        ..intent_of(&world.charge().await)
    };
    let moved = other.to_signed_payload(|_| signature.unwrap());
    assert_refused(&world, &moved, "signature is not valid").await;
}

#[tokio::test]
async fn a_payload_of_another_service_shows_no_card_form() {
    let (world, other) = (World::new().await, World::new().await);
    let foreign = other.charge().await.payload;
    assert_refused(&world, &foreign, "signature is not valid").await;
}

#[tokio::test]
async fn a_payload_of_an_unknown_merchant_shows_no_card_form() {
    let world = World::new().await;
    for partner_id in ["partner_nobody", ""] {
        let intent = ChargeIntent {
            partner_id: partner_id.into(),
            ..intent_of(&world.charge().await)
        };
        let payload = signed(&world, &intent).await;
        assert_refused(&world, &payload, "names no active merchant").await;
    }
}

#[tokio::test]
async fn a_payload_of_an_inactive_merchant_shows_no_card_form() {
    let world = World::new().await;
    let payload = world.charge().await.payload;
    let off = PartnerChange {
        active: Some(false),
        ..PartnerChange::default()
    };
    let by = Actor::service(world.clock.now_ms());
    let store = &world.service.app.store;
    store.change_partner(PARTNER_ID, &off, &by).await.unwrap();
    assert_refused(&world, &payload, "names no active merchant").await;
}

#[tokio::test]
async fn a_payload_is_valid_until_its_signing_keys_overlap_ends() {
    let world = World::new().await;
    let before = world.charge().await.payload;
    let now = world.clock.now_ms();
    let keys = &world.service.app.signing_keys;
    keys.add(Some(now + 60_000), &Actor::service(now)).await.unwrap();
    assert!(shown_by(&world, &before).await.has_card_form());
    let node = world.another_node().await;
    let address = format!("http://{}/", node.address);
    assert!(shown(&world.http, &address, &before).await.has_card_form());
    world.clock.advance_ms(60_000);
    assert_eq!(shown(&world.http, &address, &before).await.status, 403);
    assert!(
        shown_by(&world, &world.charge().await.payload)
            .await
            .has_card_form()
    );
}

#[tokio::test]
async fn a_payload_of_a_revoked_signing_key_shows_no_card_form() {
    let world = World::new().await;
    let before = world.charge().await.payload;
    let key_id = Payload::read(&before).unwrap().signature.unwrap().key_id;
    let by = Actor::service(world.clock.now_ms());
    let app = &world.service.app;
    app.signing_keys.add(None, &by).await.unwrap();
    assert!(app.store.revoke_signing_key(&key_id, &by).await.unwrap());
    let node = world.another_node().await;
    let refused = shown(&world.http, &format!("http://{}/", node.address), &before).await;
    assert_eq!((refused.status, refused.has_card_form()), (403, false));
}

#[tokio::test]
async fn a_new_client_secret_has_a_signed_payload() {
    let world = World::new().await;
    let path = format!("/v1/charges/{}/client-secret", world.charge().await.id);
    let request = world.http.post(world.url(&path)).bearer_auth(SECRET_KEY);
    let again: CreatedCharge = serde_json::from_value(send(request).await.body).unwrap();
    assert!(shown_by(&world, &again.payload).await.has_card_form());
}

#[tokio::test]
async fn unsigned_payloads_of_known_merchants_can_be_allowed() {
    let accept = |settings: &mut Settings| settings.accept_unsigned_payloads = Some(true);
    let world = World::with(accept).await;
    let intent = intent_of(&world.charge().await);
    let form = shown_by(&world, &intent.to_payload()).await;
    assert!(form.has_card_form());
    assert_eq!(form.ancestors, "https://shop.example");
    let nobodys = ChargeIntent {
        partner_id: "partner_nobody".into(),
        ..intent
    };
    assert_refused(&world, &nobodys.to_payload(), "names no active merchant").await;
}

#[tokio::test]
async fn in_demo_mode_payloads_may_be_written_by_hand() {
    let dir = tempfile::tempdir().unwrap();
    let rendering = ["--render-time-ms", "10000"];
    let demo = ["demo", "--listen", "127.0.0.1:0", "--data", "data"];
    let demo = Process::start(dir.path(), &[&demo[..], &rendering].concat(), "info");
    let http = Client::builder().no_proxy().build().unwrap();
    let request = http
        .post(format!("{}/v1/charges", demo.url()))
        .bearer_auth(demo.ready["secret_key"].as_str().unwrap())
        .json(&new_charge());
    let charge: CreatedCharge = serde_json::from_value(send(request).await.body).unwrap();
    let nobodys = ChargeIntent {
        partner_id: "partner_nobody".into(),
        ..intent_of(&charge)
    };
    for payload in [
        charge.payload.clone(),
        intent_of(&charge).to_payload(),
        nobodys.to_payload(),
    ] {
        let form = shown(&http, demo.url(), &payload).await;
        assert_eq!((form.status, form.has_card_form()), (200, true));
        assert_eq!(form.ancestors, "*");
    }
}
