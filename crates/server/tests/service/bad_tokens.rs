//! A client secret gives access to one charge of one partner. Every other access is a 401, 403 or 404, and no money is
//! taken.

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::Ed25519KeyPair;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use protocol::CreatedCharge;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::cards::{SHOPPER, card_to_save, id, saved};
use crate::world::{Answer, PARTNER_ID, World, card, send};

/// The header and the claims of a client secret.
fn parts(token: &str) -> (Value, Value) {
    let mut parts = token.split('.').map(|part| {
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap_or_default()).unwrap_or_default()
    });
    (parts.next().unwrap(), parts.next().unwrap())
}

fn part(json: &Value) -> String {
    URL_SAFE_NO_PAD.encode(json.to_string())
}

async fn pay_with(world: &World, charge: &CreatedCharge, token: &str) -> Answer {
    let with_token = CreatedCharge {
        client_secret: token.to_owned(),
        ..charge.clone()
    };
    world.pay(&with_token, "press-1", "4242424242424242").await
}

/// Forged client secrets, made from a valid one.
fn forged(client_secret: &str) -> Vec<(&'static str, String)> {
    let (header, claims) = parts(client_secret);
    let key_id = header["kid"].as_str().unwrap().to_owned();
    let (signed, signature) = client_secret.rsplit_once('.').unwrap();

    let foreign = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
    let sign = |algorithm, kid: Option<&str>, key: &EncodingKey| {
        let mut header = Header::new(algorithm);
        header.kid = kid.map(str::to_owned);
        jsonwebtoken::encode(&header, &claims, key).unwrap()
    };
    let ed = EncodingKey::from_ed_der(foreign.as_ref());
    let hmac = EncodingKey::from_secret(key_id.as_bytes());
    let mut dearer = claims.clone();
    dearer["amount_value"] = json!("0.01");

    vec![
        (
            "a foreign key under our key's id",
            sign(Algorithm::EdDSA, Some(&key_id), &ed),
        ),
        (
            "a foreign key under its own id",
            sign(Algorithm::EdDSA, Some("sig_foreign"), &ed),
        ),
        ("no key id", sign(Algorithm::EdDSA, None, &ed)),
        ("another algorithm", sign(Algorithm::HS256, Some(&key_id), &hmac)),
        (
            "no algorithm",
            format!(
                "{}.{}.",
                part(&json!({"alg": "none", "kid": key_id})),
                part(&claims)
            ),
        ),
        (
            "no algorithm, with our signature",
            format!(
                "{}.{}.{signature}",
                part(&json!({"alg": "none", "kid": key_id})),
                part(&claims)
            ),
        ),
        (
            "other claims under our signature",
            format!("{}.{}.{signature}", part(&header), part(&dearer)),
        ),
        ("no signature", format!("{signed}.")),
        ("not a token", "nonsense".to_owned()),
        ("two parts", signed.to_owned()),
        ("a very long token", format!("{signed}.{}", "A".repeat(10_000))),
    ]
}

#[tokio::test]
async fn a_client_secret_not_signed_by_this_service_is_refused() {
    let world = World::new().await;
    let charge = world.charge().await;
    for (what, token) in forged(&charge.client_secret) {
        let answer = pay_with(&world, &charge, &token).await;
        assert_eq!(
            (answer.status, answer.code()),
            (401, "client_secret_invalid"),
            "{what}: {answer:?}"
        );
    }
    assert_eq!(world.provider.asked(), 0);
    assert_eq!(pay_with(&world, &charge, &charge.client_secret).await.status, 201);
}

/// Every request of the page, with this token.
fn requests(world: &World, charge: &CreatedCharge, card: &Value, token: &str) -> Vec<RequestBuilder> {
    let request = |method, path: &str| {
        let request = world.request(method, path).header("partner-id", PARTNER_ID);
        request.bearer_auth(token)
    };
    let pay = |body: &Value| request(Method::POST, "/v1/pub/direct/charges").json(body);
    vec![
        pay(&card_to_save(charge, SHOPPER, "5555555555554444")),
        pay(&saved(charge, SHOPPER, id(card), "123")),
        request(Method::GET, &format!("/v1/pub/charges/{}", charge.id)),
        request(
            Method::POST,
            &format!("/v1/pub/charges/{}/cancel-shopper-action", charge.id),
        ),
        request(Method::POST, "/v1/pub/device-data/initiate"),
        request(
            Method::GET,
            &format!("/v1/pub/shoppers/{SHOPPER}/payment-methods"),
        ),
        request(Method::DELETE, &format!("/v1/pub/payment-methods/{}", id(card)))
            .json(&json!({ "shopper_id": SHOPPER })),
    ]
}

#[tokio::test]
async fn no_endpoint_accepts_a_forged_or_expired_client_secret() {
    let world = World::with_vault().await;
    let card = world.save(SHOPPER, "4242424242424242").await;
    let charge = world.saving_charge(SHOPPER).await;
    let asked = world.provider.asked();
    for (what, token) in forged(&charge.client_secret) {
        for request in requests(&world, &charge, &card, &token) {
            let answer = send(request).await;
            assert_eq!(
                (answer.status, answer.code()),
                (401, "client_secret_invalid"),
                "{what}: {answer:?}"
            );
        }
    }
    world.clock.advance_ms(3_600_000);
    for request in requests(&world, &charge, &card, &charge.client_secret) {
        let answer = send(request).await;
        assert_eq!(
            (answer.status, answer.code()),
            (401, "client_secret_expired"),
            "{answer:?}"
        );
    }
    assert_eq!(world.provider.asked(), asked, "nothing was charged");
    assert_eq!(world.view(&charge.id).await["status"], "created");
    let fresh = world.saving_charge(SHOPPER).await;
    assert_eq!(
        world.cards(&fresh, SHOPPER).await,
        [card],
        "nothing was saved or removed"
    );
}

#[tokio::test]
async fn a_client_secret_is_valid_until_its_last_second() {
    let world = World::new().await;
    let charge = world.charge().await;
    let path = format!("/v1/pub/charges/{}", charge.id);
    let get_charge = || {
        send(
            world
                .request(Method::GET, &path)
                .bearer_auth(&charge.client_secret),
        )
    };
    world.clock.advance_ms(3_600_000 - 1);
    assert_eq!(get_charge().await.status, 200);
    world.clock.advance_ms(1);
    let answer = get_charge().await;
    assert_eq!((answer.status, answer.code()), (401, "client_secret_expired"));
}

#[tokio::test]
async fn a_request_without_a_client_secret_is_refused() {
    let world = World::new().await;
    let charge = world.charge().await;
    let body = card(&charge, "4242424242424242");
    for request in [
        world.request(Method::GET, &format!("/v1/pub/charges/{}", charge.id)),
        world
            .request(Method::POST, "/v1/pub/direct/charges")
            .header("partner-id", PARTNER_ID)
            .json(&body),
        world
            .request(Method::POST, "/v1/pub/direct/charges")
            .header("authorization", "Bearer ")
            .json(&body),
    ] {
        let answer = send(request).await;
        assert_eq!((answer.status, answer.code()), (401, "client_secret_missing"));
    }
}

#[tokio::test]
async fn the_partner_header_must_name_the_right_partner() {
    let world = World::new().await;
    let charge = world.charge().await;
    let request = || {
        world
            .request(Method::POST, "/v1/pub/direct/charges")
            .bearer_auth(&charge.client_secret)
            .json(&card(&charge, "4242424242424242"))
    };
    for request in [
        request(),
        request().header("partner-id", "partner_other"),
        request().header("partner-id", ""),
    ] {
        let answer = send(request).await;
        assert_eq!((answer.status, answer.code()), (403, "partner_mismatch"));
    }
    assert_eq!(world.provider.asked(), 0);
}

#[tokio::test]
async fn a_body_that_names_another_charge_is_refused_and_nothing_is_charged() {
    let world = World::new().await;
    let guest = world.charge().await;
    let other = world.charge().await;
    let shopper = world.charge_of_shopper("shopper-7").await;
    let cases = [
        (&guest, "/charge_id", json!(other.id), "charge_id"),
        (&guest, "/charge_id", json!("ch_unknown"), "charge_id"),
        (&guest, "/amount_value", json!("0.50"), "amount_value"),
        (&guest, "/amount_value", json!("12.5"), "amount_value"),
        (&guest, "/amount_currency", json!("JPY"), "amount_currency"),
        (&guest, "/item_code", json!("gems-1"), "item_code"),
        (&guest, "/item_name", json!("1 gem"), "item_name"),
        (&guest, "/item_name", json!(""), "item_name"),
        (
            &guest,
            "/partner_reference",
            json!("order-2"),
            "partner_reference",
        ),
        (
            &guest,
            "/payment_method/shopper",
            json!({"id": "shopper-7"}),
            "payment_method.shopper.id",
        ),
        (
            &shopper,
            "/payment_method/shopper",
            json!({"id": "shopper-8"}),
            "payment_method.shopper.id",
        ),
        (
            &shopper,
            "/payment_method/shopper",
            json!({"email": "a@b.example"}),
            "payment_method.shopper.id",
        ),
        (
            &shopper,
            "/payment_method",
            json!({"id": "pm_1", "type": "card", "shopper_id": "shopper-8", "card": {"security_code": "123"}}),
            "payment_method.shopper_id",
        ),
    ];
    for (charge, pointer, value, field) in cases {
        let mut body = card(charge, "4242424242424242");
        *body.pointer_mut(pointer).unwrap() = value;
        let answer = send(world.press(charge, "press-1", &body)).await;
        assert_eq!(
            (answer.status, answer.code()),
            (403, "charge_mismatch"),
            "{pointer} {answer:?}"
        );
        assert_eq!(answer.field(), field);
    }
    assert_eq!(world.provider.asked(), 0);
}

#[tokio::test]
async fn a_client_secret_does_not_show_another_charge() {
    let world = World::new().await;
    let (one, other) = (world.charge().await, world.charge().await);
    let request = world.request(Method::GET, &format!("/v1/pub/charges/{}", other.id));
    let answer = send(request.bearer_auth(&one.client_secret)).await;
    assert_eq!((answer.status, answer.code()), (403, "charge_mismatch"));
}

#[tokio::test]
async fn a_client_secret_of_one_node_is_valid_at_another() {
    let world = World::new().await;
    let charge = world.charge().await;
    let other = world.another_node().await;
    let url = format!("http://{}/v1/pub/charges/{}", other.address, charge.id);
    let answer = send(world.http.get(url).bearer_auth(&charge.client_secret)).await;
    assert_eq!(answer.status, 200);
    other.stop().await;
}
