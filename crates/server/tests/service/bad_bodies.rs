//! Bad bodies and headers of a direct charge: a 4xx that names the mistake, never a panic, never the value.

use reqwest::Method;
use serde_json::json;

use crate::world::{PARTNER_ID, World, card, send};

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
    // An unknown field is not read, but counts towards the size.
    body["padding"] = json!("x".repeat(64 * 1024));
    let answer = send(world.press(&charge, "press-1", &body)).await;
    assert_eq!((answer.status, answer.code()), (413, "payload_too_large"));
    let room = 64 * 1024 - (body.to_string().len() - 64 * 1024);
    body["padding"] = json!("x".repeat(room));
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
