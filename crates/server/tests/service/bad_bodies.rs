//! Bad bodies of a direct charge: a 4xx that names the field, never a panic, never the value.

use reqwest::Method;
use serde_json::{Value, json};

use crate::world::{PARTNER_ID, World, card, send};

const OPTIONAL: &[&str] = &[
    "shopper_agent.device_metadata",
    "shopper_agent.device_metadata.session_id",
    "payment_method.save_payment_method",
    "payment_method.card.country_code",
    "payment_method.card.holder_name",
    "payment_method.shopper.partner_shopper_id",
    "payment_method.shopper.zip_code",
    "payment_method.shopper.email",
    "partner_custom_data.merchant_id",
    "partner_custom_data.merchant_name",
    "partner_custom_data.merchant_email",
    "partner_custom_data.merchant_user_id",
    "partner_custom_data.mno_id",
];

/// Every path in the body, objects included.
fn paths(value: &Value, at: &str, found: &mut Vec<String>) {
    for (key, child) in value.as_object().into_iter().flatten() {
        let path = if at.is_empty() {
            key.clone()
        } else {
            format!("{at}.{key}")
        };
        paths(child, &path, found);
        found.push(path);
    }
}

fn pointer(path: &str) -> String {
    format!("/{}", path.replace('.', "/"))
}

fn remove(body: &mut Value, path: &str) {
    let (parent, name) = path.rsplit_once('.').unwrap_or(("", path));
    let parent = if parent.is_empty() {
        body
    } else {
        body.pointer_mut(&pointer(parent)).unwrap()
    };
    parent.as_object_mut().unwrap().remove(name);
}

#[tokio::test]
async fn each_missing_field_is_named() {
    let world = World::new().await;
    let charge = world.charge().await;
    let whole = card(&charge, "4000000000000002");
    let mut all = Vec::new();
    paths(&whole, "", &mut all);
    assert!(all.len() > 40, "{all:?}");
    for path in all {
        let mut body = whole.clone();
        remove(&mut body, &path);
        let answer = send(world.press(&charge, &format!("without-{path}"), &body)).await;
        if OPTIONAL.contains(&path.as_str()) {
            assert_eq!(answer.status, 402, "{path} {answer:?}");
        } else {
            assert!(
                (400..=422).contains(&answer.status) && answer.status != 402,
                "{path} {answer:?}"
            );
            assert_eq!(answer.field(), path, "{answer:?}");
        }
    }
}

#[tokio::test]
async fn each_mistyped_field_is_named_and_its_value_is_not_repeated() {
    let world = World::new().await;
    let charge = world.charge().await;
    let whole = card(&charge, "4242424242424242");
    let mut all = Vec::new();
    paths(&whole, "", &mut all);
    for path in all {
        for wrong in [json!([]), json!(-4_242_424_242_424_242_i64)] {
            let mut body = whole.clone();
            *body.pointer_mut(&pointer(&path)).unwrap() = wrong;
            let answer = send(world.press(&charge, "press-1", &body)).await;
            assert_eq!(
                (answer.status, answer.code()),
                (400, "invalid_request"),
                "{path} {answer:?}"
            );
            assert!(answer.field().starts_with(&path), "{path} {answer:?}");
            assert!(!answer.body.to_string().contains("4242"), "{answer:?}");
        }
    }
    assert_eq!(world.provider.asked(), 0);
}

#[tokio::test]
async fn a_card_that_breaks_a_rule_is_a_422_that_names_the_field_and_the_rule() {
    let world = World::new().await;
    let charge = world.charge().await;
    for (field, value, reason) in [
        ("number", "4242424242424241", "CardNumber_Invalid"),
        ("number", "", "CardNumber_Empty"),
        ("expiration_month", "13", "CardExpiry_MonthOutOfRange"),
        ("expiration_year", "2025", "CardExpiry_Expired"),
        ("security_code", "1", "CardSecurityCode_IncompleteSecurityCode"),
    ] {
        let mut body = card(&charge, "4242424242424242");
        body["payment_method"]["card"][field] = json!(value);
        let answer = send(world.press(&charge, "press-1", &body)).await;
        assert_eq!(
            (answer.status, answer.code()),
            (422, "invalid_card"),
            "{answer:?}"
        );
        assert_eq!(answer.field(), format!("payment_method.card.{field}"));
        assert_eq!(answer.body["error"]["reason"], reason);
    }
    let mut body = card(&charge, "4242424242424242");
    body["payment_method"]["card"]["country_code"] = json!("usa");
    let answer = send(world.press(&charge, "press-1", &body)).await;
    assert_eq!(
        (answer.status, answer.field()),
        (400, "payment_method.card.country_code")
    );
    assert_eq!(world.provider.asked(), 0);
    assert_eq!(world.view(&charge.id).await["status"], "created");
}

#[tokio::test]
async fn a_body_over_64_kib_is_a_413_and_one_just_under_is_read() {
    let world = World::new().await;
    let charge = world.charge().await;
    let mut body = card(&charge, "4242424242424242");
    body["item_name"] = json!("x".repeat(64 * 1024));
    let answer = send(world.press(&charge, "press-1", &body)).await;
    assert_eq!((answer.status, answer.code()), (413, "payload_too_large"));
    let room = 64 * 1024 - (body.to_string().len() - 64 * 1024);
    body["item_name"] = json!("x".repeat(room));
    assert_eq!(body.to_string().len(), 64 * 1024);
    assert_eq!(send(world.press(&charge, "press-1", &body)).await.status, 201);
}

#[tokio::test]
async fn a_body_that_is_not_json_is_a_415_or_a_400() {
    let world = World::new().await;
    let charge = world.charge().await;
    let request = |content_type: Option<&str>, body: &str| {
        let request = world
            .request(Method::POST, "/v1/pub/direct/charges")
            .bearer_auth(&charge.client_secret)
            .header("partner-id", PARTNER_ID)
            .body(body.to_owned());
        send(match content_type {
            Some(content_type) => request.header("content-type", content_type),
            None => request,
        })
    };
    let body = card(&charge, "4242424242424242").to_string();
    for content_type in [
        None,
        Some("text/plain"),
        Some("application/x-www-form-urlencoded"),
    ] {
        let answer = request(content_type, &body).await;
        assert_eq!((answer.status, answer.code()), (415, "unsupported_media_type"));
    }
    for wrong in [
        "",
        "{",
        "4242424242424242",
        "[1]",
        "{\"a\":1}}",
        &"[".repeat(60_000),
    ] {
        let answer = request(Some("application/json"), wrong).await;
        assert_eq!(
            (answer.status, answer.code()),
            (400, "invalid_request"),
            "{answer:?}"
        );
    }
    assert_eq!(
        request(Some("application/json; charset=utf-8"), &body)
            .await
            .status,
        201
    );
}

#[tokio::test]
async fn headers_have_limits() {
    let world = World::new().await;
    let charge = world.charge().await;
    let body = card(&charge, "4242424242424242");
    let long = "x".repeat(256);
    for (name, value) in [
        ("cookie-id", long.as_str()),
        ("cookie-id", "a b"),
        ("idempotency-key", &long),
    ] {
        let request = world
            .request(Method::POST, "/v1/pub/direct/charges")
            .bearer_auth(&charge.client_secret)
            .header("partner-id", PARTNER_ID)
            .header(name, value)
            .json(&body);
        let answer = send(request).await;
        assert_eq!((answer.status, answer.field()), (400, name));
    }
}
