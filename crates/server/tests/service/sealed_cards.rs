//! A sealed card pays only the charge for which it was sealed.

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::agreement::{ECDH_P256, PrivateKey, UnparsedPublicKey, agree};
use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use protocol::{ClientSecretClaims, CreatedCharge};
use reqwest::Method;
use serde_json::{Value, json};
use store::Actor;

use crate::cards::{SHOPPER, id, saved};
use crate::world::{Answer, World, card, send};

const FIELDS: &str = r#"{"number":"4242424242424242","security_code":"123"}"#;

fn claims(charge: &CreatedCharge) -> ClientSecretClaims {
    let claims = charge.client_secret.split('.').nth(1).unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).unwrap()).unwrap()
}

/// Seals as in docs/sealed-cards.md, for the charge and its client secret.
fn sealed(key: &Value, charge: &CreatedCharge, fields: &str) -> String {
    let text = |name: &str| key[name].as_str().unwrap();
    let own = PrivateKey::generate(&ECDH_P256).unwrap();
    let point = own.compute_public_key().unwrap();
    let encode = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
    let header = json!({
        "alg": "ECDH-ES", "enc": "A256GCM", "kid": text("kid"),
        "epk": {
            "kty": "EC", "crv": "P-256",
            "x": encode(&point.as_ref()[1..33]), "y": encode(&point.as_ref()[33..]),
        },
        "charge_id": charge.id, "jti": claims(charge).jti,
    });
    let header = encode(header.to_string().as_bytes());
    let bytes = |name| URL_SAFE_NO_PAD.decode(text(name)).unwrap();
    let theirs = UnparsedPublicKey::new(&ECDH_P256, [vec![4], bytes("x"), bytes("y")].concat());
    let secret = agree(&own, theirs, (), |shared| {
        let round: &[u8] = &[0, 0, 0, 1];
        let info: &[u8] = b"\0\0\0\x07A256GCM\0\0\0\0\0\0\0\0\0\0\x01\0";
        Ok(digest(&SHA256, &[round, shared, info].concat()))
    })
    .unwrap();
    let cipher = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, secret.as_ref()).unwrap());
    let nonce = [9; 12];
    let mut content = fields.as_bytes().to_vec();
    let tag = cipher
        .seal_in_place_separate_tag(
            Nonce::assume_unique_for_key(nonce),
            Aad::from(header.as_bytes()),
            &mut content,
        )
        .unwrap();
    format!(
        "{header}..{}.{}.{}",
        encode(&nonce),
        encode(&content),
        encode(tag.as_ref())
    )
}

/// The direct charge of a new sealed card.
fn sealed_card(charge: &CreatedCharge, sealed: &str) -> Value {
    let mut body = card(charge, "4242424242424242");
    let card = body["payment_method"]["card"].as_object_mut().unwrap();
    card.remove("number");
    card.remove("security_code");
    card.insert("sealed".into(), json!(sealed));
    body
}

impl World {
    async fn card_key(&self) -> Value {
        send(self.request(Method::GET, "/v1/pub/card-key")).await.body
    }

    async fn pay_sealed(&self, charge: &CreatedCharge, sealed: &str) -> Answer {
        send(self.press(charge, "press-1", &sealed_card(charge, sealed))).await
    }
}

fn assert_unusable(answer: &Answer) {
    assert_eq!(
        (answer.status, answer.code(), answer.field()),
        (422, "sealed_card_unusable", "payment_method.card.sealed"),
        "{answer:?}"
    );
}

#[tokio::test]
async fn a_sealed_card_is_checked_and_pays_like_a_plain_one() {
    let world = World::new().await;
    let key = world.card_key().await;
    let charge = world.charge().await;
    let answer = world.pay_sealed(&charge, &sealed(&key, &charge, FIELDS)).await;
    assert_eq!(answer.status_code(), "succeeded", "{answer:?}");

    let charge = world.charge().await;
    let wrong = FIELDS.replace("4242424242424242", "4242424242424241");
    let answer = world.pay_sealed(&charge, &sealed(&key, &charge, &wrong)).await;
    assert_eq!((answer.status, answer.code()), (422, "invalid_card"));
    assert_eq!(answer.field(), "payment_method.card.number");
}

#[tokio::test]
async fn the_page_has_the_key_for_sealing_cards() {
    let world = World::new().await;
    let key = world.card_key().await;
    let path = format!("/?payload={}", world.charge().await.payload);
    let page = world.request(Method::GET, &path).send().await.unwrap();
    let page = page.text().await.unwrap();
    assert!(
        page.contains(&format!("\"card_key\":{{\"kid\":{}", key["kid"])),
        "{page}"
    );
    assert!(page.contains(key["x"].as_str().unwrap()));
}

#[tokio::test]
async fn a_sealed_card_pays_no_other_charge() {
    let world = World::new().await;
    let key = world.card_key().await;
    let (mine, other) = (world.charge().await, world.charge().await);
    let asked = world.provider.asked();
    assert_unusable(&world.pay_sealed(&other, &sealed(&key, &mine, FIELDS)).await);
    assert_eq!(world.provider.asked(), asked, "nothing was charged");
}

#[tokio::test]
async fn a_sealed_card_pays_with_no_other_client_secret_of_its_charge() {
    let world = World::new().await;
    let key = world.card_key().await;
    let before = world.charge().await;
    let sealed = sealed(&key, &before, FIELDS);
    let path = format!("/v1/charges/{}/client-secret", before.id);
    let again = world
        .request(Method::POST, &path)
        .bearer_auth(crate::world::SECRET_KEY);
    let again: CreatedCharge = serde_json::from_value(send(again).await.body).unwrap();
    assert_unusable(&world.pay_sealed(&again, &sealed).await);
    assert_eq!(world.pay_sealed(&before, &sealed).await.status, 201);
}

#[tokio::test]
async fn a_connection_to_a_card_endpoint_ends_even_without_a_card() {
    let world = World::new().await;
    let charge = world.charge().await;
    let mut body = card(&charge, "4242424242424242");
    body["payment_method"]["card"] = json!({});
    let answer = world.press(&charge, "press-1", &body).send().await.unwrap();
    assert_eq!(answer.status(), 400);
    assert_eq!(answer.headers()["connection"], "close");
}

#[tokio::test]
async fn a_sealed_card_pays_while_its_key_is_valid() {
    let world = World::new().await;
    let old = world.card_key().await;
    let now = world.clock.now_ms();
    let keys = &world.service.app.signing_keys;
    keys.add(Some(now + 60_000), &Actor::service(now)).await.unwrap();
    let node = world.another_node().await;
    let pay = async |charge: &CreatedCharge, key: &Value| {
        let body = sealed_card(charge, &sealed(key, charge, FIELDS));
        send(crate::world::press_at(
            &world.http,
            node.address,
            charge,
            "press-1",
            &body,
        ))
        .await
    };
    assert_eq!(pay(&world.charge().await, &old).await.status, 201);
    world.clock.advance_ms(60_000);
    // The first node may still sign with the old key for a second.
    let late = world
        .http
        .post(format!("http://{}/v1/charges", node.address))
        .bearer_auth(crate::world::SECRET_KEY)
        .json(&crate::world::new_charge());
    let late: CreatedCharge = serde_json::from_value(send(late).await.body).unwrap();
    assert_unusable(&pay(&late, &old).await);
    let fresh: Value = world
        .http
        .get(format!("http://{}/v1/pub/card-key", node.address))
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    assert_ne!(fresh["kid"], old["kid"]);
    assert_eq!(pay(&late, &fresh).await.status, 201);
}

#[tokio::test]
async fn a_saved_cards_security_code_is_sealed_too() {
    let world = World::with_vault().await;
    let card = world.save(SHOPPER, "4242424242424242").await;
    let charge = world.saving_charge(SHOPPER).await;
    let mut body = saved(&charge, SHOPPER, id(&card), "");
    let sealed = sealed(&world.card_key().await, &charge, r#"{"security_code":"123"}"#);
    body["payment_method"]["card"] = json!({ "sealed": sealed });
    let answer = send(world.press(&charge, "press-1", &body)).await;
    assert_eq!(answer.status_code(), "succeeded", "{answer:?}");
}

#[tokio::test]
async fn an_invalid_sealed_card_is_refused_with_its_field() {
    let world = World::new().await;
    let charge = world.charge().await;
    for wrong in ["", "x", "a..b.c.d", &"A".repeat(3_000)] {
        let answer = world.pay_sealed(&charge, wrong).await;
        assert_eq!(
            (answer.status, answer.code()),
            (400, "invalid_request"),
            "{wrong:.20}"
        );
        assert_eq!(answer.field(), "payment_method.card.sealed");
    }
    let mut both = card(&charge, "4242424242424242");
    both["payment_method"]["card"]["sealed"] = json!(sealed(&world.card_key().await, &charge, FIELDS));
    let answer = send(world.press(&charge, "press-1", &both)).await;
    assert_eq!(
        (answer.status, answer.field()),
        (400, "payment_method.card.sealed")
    );
    let mut neither = card(&charge, "4242424242424242");
    neither["payment_method"]["card"]["security_code"] = Value::Null;
    let answer = send(world.press(&charge, "press-1", &neither)).await;
    assert_eq!(
        (answer.status, answer.field()),
        (400, "payment_method.card.security_code")
    );
}

#[tokio::test]
async fn a_sealed_card_pays_while_plain_cards_are_refused() {
    let world = World::with(|settings| settings.accept_plain_cards = Some(false)).await;
    let charge = world.charge().await;
    let asked = world.provider.asked();
    let plain = world.pay(&charge, "press-1", "4242424242424242").await;
    assert_eq!((plain.status, plain.code()), (422, "plain_card_refused"));
    assert_eq!(world.provider.asked(), asked);
    let sealed = sealed(&world.card_key().await, &charge, FIELDS);
    assert_eq!(world.pay_sealed(&charge, &sealed).await.status, 201);
}
