//! Texts that can be no id, name or address: NUL, control characters, characters that turn the text around, halves of
//! characters, and too long ones. On every path, in every header, parameter and field of a body they are a 4xx, on both
//! databases.

use protocol::CreatedCharge;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use server::openapi::operations::OPERATIONS;

use crate::operator_world::{KEY, OperatorWorld};
use crate::world::{PARTNER_ID, SECRET_KEY, World, card, new_charge, send};

/// Parts of a path, percent-encoded.
const PARTS: [&str; 8] = [
    "%00",
    "ch_1%00",
    "%0a",
    "%1b%5B2J",
    "%e2%80%aech_1",
    "%ff",
    "%ed%a0%80",
    "%c2%9b",
];
/// Texts in JSON, with their escapes.
const TEXTS: [&str; 6] = [
    r#""\u0000""#,
    r#""a\u0000b""#,
    r#""\u001b[2J""#,
    r#""a\nb""#,
    r#""\ud800""#,
    r#""\udc00x""#,
];
/// The paths outside of `/v1` that have parameters.
const PAGES: [&str; 10] = [
    "/{}",
    "/assets/{}",
    "/operator/assets/{}",
    "/locales/{}/en-US.json",
    "/locales/1/{}",
    "/amounts/en-US/USD/{}",
    "/amounts/{}/USD/1.00",
    "/logos/{}.png",
    "/builds/meta/{}.json",
    "/sdk/{}",
];

/// Each way to call: without a key, as the merchant, as the shopper.
fn callers(world: &World, charge: &CreatedCharge, method: &Method, path: &str) -> [RequestBuilder; 3] {
    let request = || world.request(method.clone(), path);
    [
        request(),
        request().bearer_auth(SECRET_KEY),
        request().bearer_auth(&charge.client_secret),
    ]
}

async fn assert_refused(request: RequestBuilder, what: &str) {
    let answer = request.send().await.unwrap();
    assert!(answer.status().is_client_error(), "{what}: {}", answer.status());
}

#[tokio::test]
async fn a_path_that_cannot_be_one_is_refused_on_every_route() {
    let world = World::new().await;
    let charge = world.charge().await;
    let long = "a".repeat(5_000);
    let parts = PARTS.iter().copied().chain([long.as_str()]);
    for part in parts {
        for operation in OPERATIONS.iter().filter(|operation| operation.path.contains('{')) {
            let (before, rest) = operation.path.split_once('{').unwrap();
            let after = rest.split_once('}').unwrap().1;
            let path = format!("{before}{part}{after}");
            let method = operation.method.parse().unwrap();
            for request in callers(&world, &charge, &method, &path) {
                assert_refused(
                    request.json(&json!({"shopper_id": "s"})),
                    &format!("{method} {path:.80}"),
                )
                .await;
            }
        }
        for page in PAGES {
            let path = page.replace("{}", part);
            assert_refused(world.request(Method::GET, &path), &path).await;
        }
    }
    // No answer depends on what another caller sent.
    assert_eq!(
        world.pay(&charge, "press-1", "4242424242424242").await.status,
        201
    );
}

#[tokio::test]
async fn a_parameter_or_header_that_cannot_be_one_is_refused() {
    let world = OperatorWorld::new().await;
    let charge = world.charge().await;
    for part in PARTS {
        for query in [
            format!("/v1/pub/experiment-token?cookie_id={part}"),
            format!("/v1/pub/experiment-token?payload={part}"),
            format!("/v1/operator/report?locale={part}"),
            format!("/v1/pub/shoppers/s/payment-methods?page_size={part}"),
            "/v1/operator/audit?before=%00".into(),
            "/v1/operator/charges?text=ch_%00".into(),
            "/v1/operator/charges?merchant=%00".into(),
        ] {
            assert_refused(world.request(Method::GET, &query).bearer_auth(KEY), &query).await;
        }
        // Bytes that are not UTF-8 are replaced in a query, so the text names nothing.
        let query = format!("/v1/operator/report?experiment={part}");
        let answer = send(world.request(Method::GET, &query).bearer_auth(KEY)).await;
        assert!(answer.status < 500, "{query}: {answer:?}");
    }
    for value in [&b"a\tb"[..], b"\xff", b"\xe2\x80\xae", &[b'a'; 300]] {
        for header in ["idempotency-key", "partner-id", "authorization"] {
            let body = card(&charge, "4242424242424242");
            let request = world
                .request(Method::POST, "/v1/pub/direct/charges")
                .bearer_auth(&charge.client_secret)
                .header("partner-id", PARTNER_ID);
            let mut request = request.json(&body).build().unwrap();
            request.headers_mut().insert(header, value.try_into().unwrap());
            let answer = world.http.execute(request).await.unwrap();
            assert!(answer.status().is_client_error(), "{header}: {}", answer.status());
        }
        let request = world.request(Method::POST, "/v1/charges").bearer_auth(SECRET_KEY);
        assert_refused(
            request.header("idempotency-key", value).json(&new_charge()),
            "idempotency-key",
        )
        .await;
    }
    assert_eq!(world.provider.asked(), 0);
}

#[tokio::test]
async fn a_field_that_cannot_be_one_is_refused_in_every_body() {
    let world = World::new().await;
    let charge = world.charge().await;
    let fields = [
        "item_code",
        "item_name",
        "amount_value",
        "amount_currency",
        "partner_reference",
        "partner_shopper_id",
        "payment_method_country_code",
        "partner_custom_data",
        "shopper_id",
        "shopper_email",
        "zip_code",
        "return_url",
        "cancel_url",
    ];
    let turned = [
        r#""a\u202eb""#,
        r#""\u2066a""#,
        r#""a\u2028b""#,
        r#""https://shop.example/\u202e""#,
        r#""https://shop.example/\u200f""#,
    ];
    for field in fields {
        for text in TEXTS.iter().chain(&turned) {
            if field == "item_name" && text.contains("200f") {
                continue;
            }
            let body = with_field(new_charge(), field, text);
            let answer = send(as_json(
                world.request(Method::POST, "/v1/charges").bearer_auth(SECRET_KEY),
                body,
            ))
            .await;
            assert!(matches!(answer.status, 400 | 422), "{field} {text}: {answer:?}");
            let path = format!("/v1/charges/{}", charge.id);
            let body = with_field(json!({}), field, text);
            let answer = send(as_json(
                world.request(Method::POST, &path).bearer_auth(SECRET_KEY),
                body,
            ))
            .await;
            assert!(matches!(answer.status, 400 | 422), "{field} {text}: {answer:?}");
        }
    }
    // A name may mark its direction.
    let body = with_field(
        new_charge(),
        "item_name",
        "\"\u{200f}\u{645}\u{62a}\u{62c}\u{631} A+\"",
    );
    let answer = send(as_json(
        world.request(Method::POST, "/v1/charges").bearer_auth(SECRET_KEY),
        body,
    ))
    .await;
    assert_eq!(answer.status, 201, "{answer:?}");
}

#[tokio::test]
async fn a_shoppers_field_that_cannot_be_one_is_refused() {
    let world = World::new().await;
    let charge = world.charge().await;
    let whole = card(&charge, "4242424242424242");
    for path in [
        "/charge_id",
        "/item_code",
        "/item_name",
        "/amount_value",
        "/amount_currency",
        "/partner_reference",
        "/shopper_agent/ip_address",
        "/shopper_agent/device_metadata/session_id",
        "/setting/default_language",
        "/tax/tax_code",
        "/payment_method/type",
        "/payment_method/card/country_code",
        "/payment_method/card/number",
        "/payment_method/card/holder_name",
        "/payment_method/card/expiration_month",
        "/payment_method/card/security_code",
        "/payment_method/shopper/partner_shopper_id",
        "/payment_method/shopper/zip_code",
        "/payment_method/shopper/email",
    ] {
        for text in TEXTS {
            let body = with_text(whole.clone(), path, text);
            let answer = send(as_json(world.press(&charge, "press-1", &json!({})), body)).await;
            assert!(
                (400..500).contains(&answer.status) && answer.status != 402,
                "{path} {text}: {answer:?}"
            );
        }
    }
    for path in [
        "/shopper_agent/user_agent",
        "/shopper_agent/fraud_metadata/fraud_token",
        "/partner_custom_data/merchant_name",
    ] {
        let body = with_text(whole.clone(), path, TEXTS[1]);
        let answer = send(as_json(world.press(&charge, "press-1", &json!({})), body)).await;
        assert_eq!((answer.status, answer.code()), (400, "invalid_request"), "{path}");
    }
    let unsaved = world
        .request(Method::DELETE, "/v1/pub/payment-methods/pm_1")
        .bearer_auth(&charge.client_secret);
    let answer = send(as_json(unsaved, r#"{"shopper_id":"\u0000"}"#.into())).await;
    assert!((400..500).contains(&answer.status), "{answer:?}");
    assert_eq!(world.provider.asked(), 0);
    assert_eq!(
        world.pay(&charge, "press-2", "4242424242424242").await.status,
        201
    );
}

/// The body with a text, written as JSON, in place of the value at `pointer`.
fn with_text(mut body: Value, pointer: &str, text: &str) -> String {
    *body.pointer_mut(pointer).unwrap() = json!("HOSTILE");
    body.to_string().replace("\"HOSTILE\"", text)
}

fn with_field(mut body: Value, field: &str, text: &str) -> String {
    body[field] = Value::Null;
    with_text(body, &format!("/{field}"), text)
}

fn as_json(request: RequestBuilder, body: String) -> RequestBuilder {
    request.header("content-type", "application/json").body(body)
}
