//! Every field of a direct charge, one by one: missing, of each wrong type, too long. Each is a 4xx with a stable code
//! that names the field and not its value; nothing is charged and nothing is saved.

use protocol::CreatedCharge;
use serde_json::{Value, json};

use crate::cards::{SHOPPER, card_to_save};
use crate::world::{Answer, World, send};

const GOOD: &str = "4242424242424242";
const DECLINED: &str = "4000000000000002";

/// A charge whose shopper wants the card saved, and the body that pays it.
async fn charge_and_body(world: &World, number: &str) -> (CreatedCharge, Value) {
    let charge = world.saving_charge(SHOPPER).await;
    let mut body = card_to_save(&charge, SHOPPER, number);
    let shopper = body["payment_method"]["shopper"].as_object_mut().unwrap();
    shopper.extend(
        json!({"partner_shopper_id": "p", "zip_code": "10110", "email": "sam@example.com"})
            .as_object()
            .unwrap()
            .clone(),
    );
    body["payment_method"]["shopper_id"] = json!(SHOPPER);
    body["payment_method"]["agreement"] = json!({"text_id": "save_card", "locale": "en-US"});
    body["user_initiated"] = json!(true);
    (charge, body)
}

/// Every path in the body, objects included.
fn paths(body: &Value) -> Vec<String> {
    fn walk(value: &Value, at: &str, found: &mut Vec<String>) {
        for (key, child) in value.as_object().into_iter().flatten() {
            let path = if at.is_empty() {
                key.clone()
            } else {
                format!("{at}.{key}")
            };
            walk(child, &path, found);
            found.push(path);
        }
    }
    let mut found = Vec::new();
    walk(body, "", &mut found);
    assert!(found.len() > 45, "{found:?}");
    found
}

fn at<'a>(body: &'a mut Value, path: &str) -> &'a mut Value {
    body.pointer_mut(&format!("/{}", path.replace('.', "/"))).unwrap()
}

fn without(body: &Value, path: &str) -> Value {
    let mut body = body.clone();
    let (parent, name) = path.rsplit_once('.').unwrap_or(("", path));
    let parent = if parent.is_empty() {
        &mut body
    } else {
        at(&mut body, parent)
    };
    parent.as_object_mut().unwrap().remove(name).unwrap();
    body
}

fn with(body: &Value, path: &str, value: Value) -> Value {
    let mut body = body.clone();
    *at(&mut body, path) = value;
    body
}

async fn press(world: &World, charge: &CreatedCharge, body: &Value) -> Answer {
    // Without a key, each request is a new press.
    let request = world
        .request(reqwest::Method::POST, "/v1/pub/direct/charges")
        .bearer_auth(&charge.client_secret)
        .header("partner-id", crate::world::PARTNER_ID)
        .json(body);
    send(request).await
}

/// The provider was not called, no card was saved, and the charge can still be paid.
async fn assert_untouched(world: &World, charge: &CreatedCharge) {
    assert_eq!(world.provider.asked(), 0, "nothing was charged");
    assert!(world.provider.outcomes().is_empty(), "the ledger is empty");
    assert!(world.cards(charge, SHOPPER).await.is_empty(), "nothing was saved");
    assert_eq!(world.view(&charge.id).await["status"], "created");
    let (charge, body) = charge_and_body(world, GOOD).await;
    assert_eq!(press(world, &charge, &body).await.status_code(), "succeeded");
}

/// The optional fields, and whether the charge succeeds without them.
const OPTIONAL: &[&str] = &[
    "user_initiated",
    "shopper_agent.device_metadata",
    "shopper_agent.device_metadata.session_id",
    "payment_method.shopper_id",
    "payment_method.save_payment_method",
    "payment_method.agreement",
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

/// The status and code of a refusal: fields compared with the claims give a 403, the card's rules a 422.
fn refusal(path: &str) -> (u16, &'static str) {
    match path {
        "payment_method.shopper.id" => (403, "charge_mismatch"),
        "payment_method.card.number"
        | "payment_method.card.expiration_month"
        | "payment_method.card.expiration_year" => (422, "invalid_card"),
        _ => (400, "invalid_request"),
    }
}

#[tokio::test]
async fn each_missing_field_is_named() {
    let world = World::with_vault().await;
    let (charge, whole) = charge_and_body(&world, GOOD).await;
    for path in paths(&whole) {
        if OPTIONAL.contains(&path.as_str()) {
            continue;
        }
        let answer = press(&world, &charge, &without(&whole, &path)).await;
        assert_eq!(
            (answer.status, answer.code()),
            refusal(&path),
            "{path} {answer:?}"
        );
        assert_eq!(answer.field(), path, "{answer:?}");
    }
    assert_untouched(&world, &charge).await;
}

#[tokio::test]
async fn optional_fields_may_be_left_out_or_null() {
    let world = World::with_vault().await;
    for path in OPTIONAL {
        let (charge, whole) = charge_and_body(&world, DECLINED).await;
        let left_out = press(&world, &charge, &without(&whole, path)).await;
        let null = press(&world, &charge, &with(&whole, path, json!(null))).await;
        assert_eq!(
            (left_out.status, null.status),
            (402, 402),
            "{path} {left_out:?} {null:?}"
        );
    }
}

/// A value of every other type than `right`, and a number out of any range.
fn wrong_values(right: &Value) -> Vec<Value> {
    let same = |value: &Value| {
        (value.is_string() && right.is_string())
            || (value.is_boolean() && right.is_boolean())
            || (value.is_object() && right.is_object())
            // Every field that is null in the body may also be a text.
            || (value.is_string() && right.is_null())
    };
    let all = [
        json!([]),
        json!([4_242_424_242_424_242_u64]),
        json!(-4_242_424_242_424_242_i64),
        json!(42.42),
        json!(true),
        json!(GOOD),
        json!({ "a": GOOD }),
    ];
    all.into_iter().filter(|value| !same(value)).collect()
}

#[tokio::test]
async fn each_mistyped_field_is_named_and_its_value_is_not_repeated() {
    let world = World::with_vault().await;
    let (charge, whole) = charge_and_body(&world, GOOD).await;
    for path in paths(&whole) {
        for wrong in wrong_values(&*at(&mut whole.clone(), &path)) {
            let body = with(&whole, &path, wrong.clone());
            let answer = press(&world, &charge, &body).await;
            assert_eq!(
                (answer.status, answer.code()),
                (400, "invalid_request"),
                "{path} {wrong} {answer:?}"
            );
            assert!(answer.field().starts_with(&path), "{path} {wrong} {answer:?}");
            let told = answer.body.to_string();
            assert!(!told.contains("4242") && !told.contains("42.42"), "{told}");
        }
    }
    assert_untouched(&world, &charge).await;
}

#[tokio::test]
async fn each_field_that_is_too_long_is_named() {
    let world = World::with_vault().await;
    let (charge, whole) = charge_and_body(&world, GOOD).await;
    for path in paths(&whole) {
        let right = at(&mut whole.clone(), &path).clone();
        if !right.is_string() && !right.is_null() {
            continue;
        }
        let answer = press(&world, &charge, &with(&whole, &path, json!("4".repeat(9_000)))).await;
        let expected = match path.as_str() {
            "charge_id" | "amount_value" | "amount_currency" | "payment_method.shopper_id" => {
                (403, "charge_mismatch")
            }
            "payment_method.card.security_code" => (422, "invalid_card"),
            path => refusal(path),
        };
        assert_eq!((answer.status, answer.code()), expected, "{path} {answer:?}");
        assert_eq!(answer.field(), path, "{answer:?}");
    }
    assert_untouched(&world, &charge).await;
}

#[tokio::test]
async fn a_text_may_be_as_long_as_its_limit_and_no_longer() {
    let world = World::with_vault().await;
    for (path, characters_max) in [
        ("tax.tax_code", 255),
        ("setting.default_language", 255),
        ("shopper_agent.ip_address", 255),
        ("shopper_agent.user_agent", 8_192),
        ("shopper_agent.accept_header", 8_192),
        ("shopper_agent.fraud_metadata.fraud_token", 8_192),
        ("payment_method.shopper.email", 320),
        ("payment_method.shopper.partner_shopper_id", 255),
        ("partner_custom_data.merchant_id", 4_096),
        ("partner_custom_data.mno_id", 4_096),
    ] {
        let (charge, whole) = charge_and_body(&world, DECLINED).await;
        // A character of two bytes counts as one.
        let longest = press(
            &world,
            &charge,
            &with(&whole, path, json!("é".repeat(characters_max))),
        )
        .await;
        assert_eq!(longest.status, 402, "{path} {longest:?}");
        let body = with(&whole, path, json!("é".repeat(characters_max + 1)));
        let over = press(&world, &charge, &body).await;
        assert_eq!(
            (over.status, over.code(), over.field()),
            (400, "invalid_request", path)
        );
    }
    assert_eq!(world.provider.approvals(), 0);
}
