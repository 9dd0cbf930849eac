//! `POST /v1/charges`: refused bodies, and one charge for each idempotency key.

use reqwest::Method;
use serde_json::{Value, json};

use crate::world::{SECRET_KEY, World, new_charge, send};

#[tokio::test]
async fn every_wrong_field_of_a_charge_is_named() {
    let world = World::new().await;
    let long = "x".repeat(256);
    let cases = [
        ("item_code", json!(null), 400),
        ("item_code", json!(""), 400),
        ("item_code", json!(7), 400),
        ("item_name", json!("  "), 400),
        ("item_name", json!(long), 400),
        ("item_name", json!("bell \u{7}"), 400),
        ("item_name", json!("\u{200b}\u{feff} \u{3164}"), 400),
        ("item_name", json!("mirrored \u{206b}"), 400),
        ("partner_reference", json!("\u{ad}"), 400),
        ("partner_reference", json!(""), 400),
        ("amount_value", json!(12.5), 400),
        ("amount_value", json!("12.505"), 422),
        ("amount_value", json!("0"), 422),
        ("amount_value", json!("-1"), 422),
        ("amount_currency", json!("usd"), 422),
        ("amount_currency", json!("XXX"), 422),
        ("partner_shopper_id", json!(long), 400),
        ("shopper_id", json!(["a"]), 400),
        ("shopper_email", json!("x".repeat(321)), 400),
        ("zip_code", json!(long), 400),
        ("payment_method_country_code", json!("us"), 400),
        ("payment_method_country_code", json!("USA"), 400),
        ("partner_custom_data", json!("{"), 400),
        ("partner_custom_data", json!("[]"), 400),
        (
            "partner_custom_data",
            json!("{\"merchant_name\": \"a\\u0000b\"}"),
            400,
        ),
        ("partner_custom_data", json!("{\"a\": [{\"b\\u001b\": 1}]}"), 400),
        ("partner_custom_data", json!({"merchant_id": "m"}), 400),
        (
            "partner_custom_data",
            json!(format!("{{\"a\":\"{}\"}}", "x".repeat(4096))),
            400,
        ),
        ("user_initiated", json!("yes"), 400),
        ("return_url", json!("javascript:alert(1)"), 400),
        ("return_url", json!("https://shop.example@evil.example/"), 400),
        ("cancel_url", json!("https://user:secret@shop.example/"), 400),
        ("return_url", json!("/back"), 400),
        (
            "return_url",
            json!(format!("https://shop.example/{}", "x".repeat(2048))),
            400,
        ),
    ];
    for (field, value, status) in cases {
        let mut body = new_charge();
        body[field] = value.clone();
        let answer = world.create(&body, None).await;
        assert_eq!(
            (answer.status, answer.field()),
            (status, field),
            "{value} {answer:?}"
        );
        let code = if status == 422 {
            "invalid_amount"
        } else {
            "invalid_request"
        };
        assert_eq!(answer.code(), code, "{field}");
    }
}

#[tokio::test]
async fn every_missing_field_of_a_charge_is_named() {
    let world = World::new().await;
    for field in [
        "item_code",
        "item_name",
        "amount_value",
        "amount_currency",
        "partner_reference",
    ] {
        let mut body = new_charge();
        body.as_object_mut().unwrap().remove(field);
        let answer = world.create(&body, None).await;
        assert_eq!((answer.status, answer.field()), (400, field), "{answer:?}");
    }
}

#[tokio::test]
async fn a_charge_with_the_longest_fields_still_has_a_page() {
    let world = World::new().await;
    let mut body = new_charge();
    for field in [
        "item_code",
        "item_name",
        "partner_reference",
        "partner_shopper_id",
        "shopper_id",
        "zip_code",
    ] {
        body[field] = json!("\u{1F48E}".repeat(255));
    }
    body["shopper_email"] = json!("\u{1F48E}".repeat(320));
    body["partner_custom_data"] = json!(format!("{{\"a\":\"{}\"}}", "x".repeat(4_096 - 8)));
    let created = world.create(&body, None).await;
    assert_eq!(created.status, 201);
    let payload = created.body["payload"].as_str().unwrap();
    let page = world.request(Method::GET, &format!("/?payload={payload}"));
    assert_eq!(send(page).await.status, 200);
}

#[tokio::test]
async fn every_field_of_a_charge_is_accepted() {
    let world = World::with_vault().await;
    let mut body = new_charge();
    let more = json!({
        "partner_shopper_id": "s", "payment_method_country_code": "TH", "shopper_id": "shopper-7",
        "partner_custom_data": "{\"merchant_id\":\"m\"}", "shopper_email": "sam@example.com", "zip_code": "10110",
        "user_initiated": false, "enable_save_payment_method": true, "display_saved_payment_method_list": true,
        "eligible_save_payment_methods": true, "return_url": "https://shop.example/thanks?order=1",
    });
    body.as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    let answer = world.create(&body, None).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    let intent = protocol::ChargeIntent::from_payload(answer.body["payload"].as_str().unwrap()).unwrap();
    assert_eq!(intent.payment_method_country_code, "TH");
    assert_eq!(intent.partner_custom_data, "{\"merchant_id\":\"m\"}");
    assert_eq!(intent.enable_save_payment_method, Some(true));
    assert!(!intent.user_initiated && intent.display_saved_payment_method_list);
    let path = format!("/v1/pub/charges/{}", answer.body["id"].as_str().unwrap());
    let secret = answer.body["client_secret"].as_str().unwrap();
    let seen = send(world.request(Method::GET, &path).bearer_auth(secret)).await;
    assert_eq!(seen.body["return_url"], "https://shop.example/thanks?order=1");
}

#[tokio::test]
async fn an_unknown_field_is_refused_by_its_name() {
    let world = World::new().await;
    for field in ["retrun_url", "capture", "metadata"] {
        let mut body = new_charge();
        body[field] = json!("manual");
        let answer = world.create(&body, None).await;
        assert_eq!(
            (answer.status, answer.code(), answer.field()),
            (400, "invalid_request", field)
        );
    }
    let list = json!([
        "g", "100 gems", "12.50", "USD", "order-17", null, null, null, null, null, null, null, null, null,
        null, null, null
    ]);
    assert_eq!(world.create(&list, None).await.status, 400);
    // These two have no field at all.
    let path = format!("/v1/charges/{}", world.charge().await.id);
    for end in ["client-secret", "cancel"] {
        let request = || {
            world
                .request(Method::POST, &format!("{path}/{end}"))
                .bearer_auth(SECRET_KEY)
        };
        let answer = send(request().json(&json!({ "reason": "sold out" }))).await;
        assert_eq!((answer.status, answer.field()), (400, "reason"), "{end}");
        assert!(send(request()).await.status < 300, "{end}");
    }
    let mut body = new_charge();
    body["amount_value"] = json!(12.5);
    let answer = world.create(&body, None).await;
    assert_eq!((answer.status, answer.field()), (400, "amount_value"));
    assert!(
        answer.body["error"]["message"]
            .as_str()
            .unwrap()
            .contains("\"12.50\""),
        "{answer:?}"
    );
}

#[tokio::test]
async fn the_same_key_and_body_are_the_same_charge() {
    let world = World::new().await;
    let first = world.create(&new_charge(), Some("order-1")).await;
    assert_eq!(first.status, 201);
    world.clock.advance_ms(1_000);
    assert_eq!(world.create(&new_charge(), Some("order-1")).await, first);
    let mut other = new_charge();
    other["amount_value"] = json!("12.51");
    let conflict = world.create(&other, Some("order-1")).await;
    assert_eq!((conflict.status, conflict.code()), (409, "idempotency_conflict"));
    let another = world.create(&new_charge(), Some("order-2")).await;
    assert_ne!(another.body["id"], first.body["id"]);
}

#[tokio::test]
async fn requests_with_one_key_at_once_make_one_charge() {
    let world = World::new().await;
    let body = new_charge();
    let mut ids = Vec::new();
    let (a, b, c, d) = tokio::join!(
        world.create(&body, Some("k")),
        world.create(&body, Some("k")),
        world.create(&body, Some("k")),
        world.create(&body, Some("k")),
    );
    for answer in [a, b, c, d] {
        assert_eq!(answer.status, 201, "{answer:?}");
        ids.push(answer.body);
    }
    ids.dedup();
    assert_eq!(ids.len(), 1);
}

#[tokio::test]
async fn a_key_is_forgotten_after_24_hours() {
    let world = World::new().await;
    let first = world.create(&new_charge(), Some("order-1")).await;
    world.clock.advance_ms(24 * 60 * 60 * 1000);
    let repeated = world.create(&new_charge(), Some("order-1")).await;
    assert_eq!(repeated.body["id"], first.body["id"]);
    world.clock.advance_ms(1);
    let second = world.create(&new_charge(), Some("order-1")).await;
    assert_eq!(second.status, 201);
    assert_ne!(second.body["id"], first.body["id"]);
}

#[tokio::test]
async fn an_unusable_key_is_refused() {
    let world = World::new().await;
    for key in ["", "with space", &"x".repeat(256)] {
        let answer = world.create(&new_charge(), Some(key)).await;
        assert_eq!((answer.status, answer.field()), (400, "idempotency-key"), "{key}");
    }
}

#[tokio::test]
async fn a_repeated_request_never_answers_with_a_client_secret_that_has_run_out() {
    let world = World::new().await;
    let first = world.create(&new_charge(), Some("order-1")).await;
    let first_secret = first.body["client_secret"].clone();
    let lifetime_ms = 60 * 60 * 1000;
    world.clock.advance_ms(lifetime_ms - 1000);
    let before = world.create(&new_charge(), Some("order-1")).await;
    assert_eq!(before.body["client_secret"], first_secret);
    world.clock.advance_ms(1000);
    let after = world.create(&new_charge(), Some("order-1")).await;
    assert_eq!(after.status, 201);
    assert_eq!(after.body["id"], first.body["id"]);
    assert_ne!(after.body["client_secret"], first_secret);
    let expires_at = after.body["expires_at"].as_str().unwrap();
    assert!(expires_at.parse::<jiff::Timestamp>().unwrap().as_millisecond() > world.clock.now_ms());
}

#[tokio::test]
async fn a_request_without_the_merchants_key_is_refused() {
    let world = World::new().await;
    let charge = world.charge().await;
    let paths = [
        (Method::POST, "/v1/charges".to_owned()),
        (Method::GET, format!("/v1/charges/{}", charge.id)),
        (Method::POST, format!("/v1/charges/{}/client-secret", charge.id)),
    ];
    for (method, path) in paths {
        let request = || world.request(method.clone(), &path).json(&new_charge());
        let wrong = [
            request(),
            request().bearer_auth("sk_wrong"),
            request().bearer_auth(&charge.client_secret),
            request().header("authorization", format!("Basic {SECRET_KEY}")),
            request().header("authorization", "Bearer"),
        ];
        for request in wrong {
            let answer = request.send().await.unwrap();
            assert_eq!(answer.headers()["www-authenticate"], "Bearer");
            let status = answer.status().as_u16();
            let body: Value = answer.json().await.unwrap();
            assert_eq!(
                (status, body["error"]["code"].as_str()),
                (401, Some("secret_key_invalid")),
                "{path}"
            );
        }
    }
}

#[tokio::test]
async fn another_merchants_charge_is_not_found() {
    let world = World::new().await;
    let charge = world.charge().await;
    let other_key = world.another_merchant().await;
    for (method, path) in [(Method::GET, ""), (Method::POST, "/client-secret")] {
        let path = format!("/v1/charges/{}{path}", charge.id);
        let answer = send(world.request(method, &path).bearer_auth(other_key)).await;
        assert_eq!((answer.status, answer.code()), (404, "charge_not_found"));
    }
}

#[tokio::test]
async fn unknown_paths_and_methods_are_answered_in_json() {
    let world = World::new().await;
    let answer = send(world.request(Method::GET, "/v1/nothing")).await;
    assert_eq!((answer.status, answer.code()), (404, "not_found"));
    let unreadable = world
        .request(Method::GET, "/v1/charges/%ff")
        .bearer_auth(SECRET_KEY);
    let answer = send(unreadable).await;
    assert_eq!((answer.status, answer.code()), (404, "not_found"));
    let answer = send(world.request(Method::PATCH, "/v1/charges")).await;
    assert_eq!((answer.status, answer.code()), (405, "method_not_allowed"));
    let answer = send(world.request(Method::GET, "/healthz")).await;
    assert_eq!((answer.status, answer.body), (200, Value::from("ok")));
    assert_eq!(send(world.request(Method::GET, "/readyz")).await.status, 200);
}
