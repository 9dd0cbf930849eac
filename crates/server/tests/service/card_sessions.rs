//! A merchant opens a shopper's card page: what its session can do, what it cannot, and how it adds a card.

use futures_util::future::join_all;
use protocol::{ChargeIntent, CreatedCharge, SESSION_SETUPS_MAX};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use store::{Actor, PartnerChange};

use crate::cards::{SHOPPER, card_to_save, id, saved};
use crate::webhooks::endpoint_for;
use crate::world::{Answer, PARTNER_ID, SECRET_KEY, World, card, send};

const GOOD: &str = "4242424242424242";
const MASTERCARD: &str = "5555555555554444";
const DECLINED: &str = "4000000000000002";
const HOUR_MS: i64 = 3_600_000;

impl World {
    async fn open_session(&self, key: &str, shopper: &str, body: Option<Value>) -> Answer {
        let path = format!("/v1/shoppers/{shopper}/card-sessions");
        let request = self.request(Method::POST, &path).bearer_auth(key);
        send(match body {
            Some(body) => request.json(&body),
            None => request,
        })
        .await
    }

    /// The token of a new session.
    async fn session(&self, key: &str, shopper: &str) -> String {
        let answer = self.open_session(key, shopper, None).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.body["client_secret"].as_str().unwrap().to_owned()
    }

    async fn list_with(&self, token: &str, shopper: &str) -> Answer {
        let path = format!("/v1/pub/shoppers/{shopper}/payment-methods");
        send(self.request(Method::GET, &path).bearer_auth(token)).await
    }

    fn change_with(&self, token: &str, card: &str) -> RequestBuilder {
        let path = format!("/v1/pub/payment-methods/{card}");
        self.request(Method::POST, &path).bearer_auth(token)
    }

    async fn remove_with(&self, token: &str, card: &str, shopper: &str) -> Answer {
        let path = format!("/v1/pub/payment-methods/{card}");
        let request = self.request(Method::DELETE, &path).bearer_auth(token);
        send(request.json(&json!({ "shopper_id": shopper }))).await
    }

    async fn add_with(&self, token: &str) -> Answer {
        let path = "/v1/pub/card-sessions/charges";
        send(self.request(Method::POST, path).bearer_auth(token)).await
    }

    async fn added(&self, token: &str) -> CreatedCharge {
        let answer = self.add_with(token).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        serde_json::from_value(answer.body).unwrap()
    }

    /// The shopper types this number into the form that adds a card.
    async fn press_add(&self, setup: &CreatedCharge, key: &str, number: &str) -> Answer {
        self.press_setup(setup, key, card(setup, number)).await
    }

    /// Presses with this body, as for the setup.
    async fn press_setup(&self, setup: &CreatedCharge, key: &str, mut body: Value) -> Answer {
        let intent = ChargeIntent::from_payload(&setup.payload).unwrap();
        body["item_code"] = json!(intent.item_code);
        body["item_name"] = json!(intent.item_name);
        body["amount_value"] = json!(intent.amount_value);
        body["amount_currency"] = json!(intent.amount_currency);
        body["partner_reference"] = json!(intent.partner_reference);
        body["payment_method"]["shopper"] = json!({ "id": intent.shopper_id });
        send(self.press(setup, key, &body)).await
    }

    async fn charges(&self) -> Vec<Value> {
        let request = self.request(Method::GET, "/v1/charges?limit=100");
        let answer = send(request.bearer_auth(SECRET_KEY)).await;
        answer.body["items"].as_array().unwrap().clone()
    }
}

/// What a caller gets of one endpoint: the status, and the code of an error.
type Expected = (u16, &'static str);

const NO_TOKEN: Expected = (401, "client_secret_missing");
const NOT_OURS: Expected = (401, "client_secret_invalid");
const OVER: Expected = (401, "client_secret_expired");
const NO_CARD: Expected = (404, "payment_method_not_found");
const MISMATCH: Expected = (403, "charge_mismatch");

#[tokio::test]
async fn a_card_session_opens_the_cards_of_its_own_shopper_only() {
    let world = World::with_vault().await;
    let other_key = world.another_merchant().await;
    let card = id(&world.save(SHOPPER, GOOD).await).to_owned();
    let expired = world.session(SECRET_KEY, SHOPPER).await;
    world.clock.advance_ms(HOUR_MS);
    let own = world.session(SECRET_KEY, SHOPPER).await;
    let neighbour = world.session(SECRET_KEY, "shopper-8").await;
    let elsewhere = world.session(other_key, SHOPPER).await;
    let charge = world.saving_charge(SHOPPER).await;
    let (_, link) = charge.url.split_once("#link=").unwrap();
    // The signature of another session.
    let (claims, _) = own.rsplit_once('.').unwrap();
    let (_, signature) = neighbour.rsplit_once('.').unwrap();
    let forged = format!("{claims}.{signature}");
    // The last row, because it removes the card.
    #[rustfmt::skip]
    let callers: [(&str, &str, [Expected; 5]); 10] = [
        // caller, token, list, change, remove, remove as the own shopper, add
        ("nobody", "", [NO_TOKEN; 5]),
        ("a text", "nonsense", [NOT_OURS; 5]),
        ("a forger", &forged, [NOT_OURS; 5]),
        ("the merchant's server", SECRET_KEY, [NOT_OURS; 5]),
        ("a link", link, [NOT_OURS; 5]),
        ("an expired session", &expired, [OVER; 5]),
        ("another merchant's", &elsewhere, [(200, ""), NO_CARD, NO_CARD, NO_CARD, (201, "")]),
        ("another shopper's", &neighbour, [MISMATCH, NO_CARD, MISMATCH, NO_CARD, (201, "")]),
        ("a charge's", &charge.client_secret, [(200, ""), NOT_OURS, (0, ""), (0, ""), NOT_OURS]),
        ("the shopper's own", &own, [(200, ""), (200, ""), (204, ""), NO_CARD, (201, "")]),
    ];
    for (caller, token, expected) in callers {
        let own_shopper = if caller == "another shopper's" {
            "shopper-8"
        } else {
            SHOPPER
        };
        let name = json!({"nickname": "Mine"});
        let answers = [
            world.list_with(token, SHOPPER).await,
            send(world.change_with(token, &card).json(&name)).await,
            if expected[2].0 == 0 {
                Answer {
                    status: 0,
                    body: Value::Null,
                }
            } else {
                world.remove_with(token, &card, SHOPPER).await
            },
            if expected[3].0 == 0 {
                Answer {
                    status: 0,
                    body: Value::Null,
                }
            } else {
                world.remove_with(token, &card, own_shopper).await
            },
            world.add_with(token).await,
        ];
        let seen = answers.each_ref().map(|answer| (answer.status, answer.code()));
        assert_eq!(seen, expected, "{caller}: {answers:?}");
        if caller == "another merchant's" {
            assert_eq!(answers[0].body, json!({"items": []}));
        }
        if caller == "a charge's" {
            assert_eq!(
                answers[0].body["items"][0]["card"]["nickname"],
                Value::Null,
                "no one named it"
            );
        }
    }
    // Only a merchant's server opens sessions.
    for (key, expected) in [
        ("sk_wrong", (401, "secret_key_invalid")),
        (own.as_str(), (401, "secret_key_invalid")),
        (charge.client_secret.as_str(), (401, "secret_key_invalid")),
    ] {
        let answer = world.open_session(key, SHOPPER, None).await;
        assert_eq!((answer.status, answer.code()), expected);
    }
}

#[tokio::test]
async fn a_card_session_pays_nothing_and_sees_no_charge() {
    let world = World::with_vault().await;
    let charge = world.saving_charge(SHOPPER).await;
    let session = world.session(SECRET_KEY, SHOPPER).await;
    let asked = world.provider.asked();
    let as_charge = CreatedCharge {
        client_secret: session.clone(),
        ..charge.clone()
    };
    let request = |method, path: &str| {
        let request = world.request(method, path).header("partner-id", PARTNER_ID);
        request.bearer_auth(&session)
    };
    let of_charge = format!("/v1/pub/charges/{}", charge.id);
    for refused in [
        world.press(&as_charge, "press-1", &card_to_save(&charge, SHOPPER, GOOD)),
        request(Method::GET, &of_charge),
        request(Method::POST, &format!("{of_charge}/cancel-shopper-action")),
        request(Method::POST, &format!("{of_charge}/client-secret")),
        request(Method::POST, "/v1/pub/device-data/initiate"),
        request(Method::POST, "/v1/pub/card-networks").json(&json!({"prefix": "42424242"})),
    ] {
        let answer = send(refused).await;
        assert_eq!((answer.status, answer.code()), NOT_OURS, "{answer:?}");
    }
    assert_eq!(world.provider.asked(), asked);
    let wrong_partner = world
        .change_with(&session, "pm_1")
        .header("partner-id", "partner_other")
        .json(&json!({}));
    let answer = send(wrong_partner).await;
    assert_eq!((answer.status, answer.code()), (403, "partner_mismatch"));
}

#[tokio::test]
async fn a_shopper_names_a_card_and_chooses_the_default_one() {
    let world = World::with_vault().await;
    endpoint_for(&world, PARTNER_ID, "https://shop.example/webhooks", None).await;
    let first = id(&world.save(SHOPPER, GOOD).await).to_owned();
    let second = id(&world.save(SHOPPER, MASTERCARD).await).to_owned();
    let others = id(&world.save("shopper-8", GOOD).await).to_owned();
    let session = world.session(SECRET_KEY, SHOPPER).await;
    let change = async |card: &str, body: Value| send(world.change_with(&session, card).json(&body)).await;

    let chosen = change(&first, json!({"default": true, "nickname": "Company"})).await;
    assert_eq!(chosen.status, 200, "{chosen:?}");
    let listed = world.list_with(&session, SHOPPER).await.body["items"].take();
    let facts = |place: usize| {
        let card = &listed[place]["card"];
        (
            id(card),
            card["nickname"].as_str(),
            card["default"].as_bool().unwrap(),
        )
    };
    assert_eq!(facts(0), (first.as_str(), Some("Company"), true));
    assert_eq!(facts(1), (second.as_str(), None, false));
    assert_eq!(
        listed[0]["card"], chosen.body,
        "the answer is the card as the list has it"
    );

    for (name, value) in [
        ("nickname", json!("")),
        ("nickname", json!("x".repeat(41))),
        ("nickname", json!("a\u{202e}b")),
        ("default", json!("yes")),
        ("last_four", json!("0000")),
    ] {
        let answer = change(&first, json!({ name: value })).await;
        assert_eq!(
            (answer.status, answer.code(), answer.field()),
            (400, "invalid_request", name)
        );
    }
    let no_json = send(world.change_with(&session, &first).body("nickname=x")).await;
    assert_eq!((no_json.status, no_json.code()), (415, "unsupported_media_type"));
    // A card of another shopper stays as it is, and so does the default card.
    for unknown in [others.as_str(), "pm_unknown"] {
        let answer = change(unknown, json!({"default": true, "nickname": "Stolen"})).await;
        assert_eq!((answer.status, answer.code()), NO_CARD);
    }
    assert_eq!(world.list_with(&session, SHOPPER).await.body["items"], listed);
    let events = world.request(Method::GET, "/v1/events?type=payment_method.updated");
    let told = send(events.bearer_auth(SECRET_KEY)).await.body["items"].take();
    assert_eq!(told.as_array().unwrap().len(), 1, "{told}");
    assert_eq!(told[0]["data"]["nickname"], "Company");
}

#[tokio::test]
async fn a_card_is_added_with_the_sessions_own_setup() {
    let world = World::with_vault().await;
    let opened = world
        .open_session(
            SECRET_KEY,
            SHOPPER,
            Some(json!({"save_card_usage": "off_session", "partner_reference": "account-7", "amount_currency": "EUR"})),
        )
        .await;
    let session = opened.body["client_secret"].as_str().unwrap().to_owned();
    assert_eq!(world.charges().await.len(), 0, "no charge before a card is added");

    // Pressed again, and again after a decline: it is the same setup.
    let setup = world.added(&session).await;
    let same = world.added(&session).await;
    assert_eq!((&same.id, &same.client_secret), (&setup.id, &setup.client_secret));
    let declined = world.press_add(&setup, "press-1", DECLINED).await;
    assert_eq!(declined.status, 402, "{declined:?}");
    let again = world.added(&session).await;
    assert_eq!(
        (again.id.as_str(), again.status.as_str()),
        (setup.id.as_str(), "failed")
    );
    let saved = world.press_add(&setup, "press-2", GOOD).await;
    assert_eq!(saved.status_code(), "succeeded", "{saved:?}");

    let view = world.view(&setup.id).await;
    assert_eq!(
        (
            &view["mode"],
            &view["partner_reference"],
            &view["amount_currency"],
            &view["shopper_id"]
        ),
        (
            &json!("setup"),
            &json!("account-7"),
            &json!("EUR"),
            &json!(SHOPPER)
        )
    );
    let listed = world.list_with(&session, SHOPPER).await.body["items"].take();
    assert_eq!(listed.as_array().unwrap().len(), 1);
    let card = id(&listed[0]["card"]);
    assert_eq!(view["paid_with"]["payment_method_id"], card);
    let path = format!("/v1/payment-methods/{card}");
    let request = world.request(Method::GET, &path).bearer_auth(SECRET_KEY);
    assert_eq!(send(request).await.body["agreement"]["usage"], "off_session");

    // The next card has another setup.
    let next = world.added(&session).await;
    assert_ne!(next.id, setup.id);
    assert_eq!(world.charges().await.len(), 2);
}

#[tokio::test]
async fn an_expired_card_gets_its_new_date_with_the_sessions_setup() {
    let world = World::with_vault().await;
    let card = world.save(SHOPPER, GOOD).await;
    world.clock.advance_ms(5 * 365 * 24 * 3_600_000);
    let opened = world.open_session(SECRET_KEY, SHOPPER, None).await;
    let session = opened.body["client_secret"].as_str().unwrap().to_owned();
    let setup = world.added(&session).await;
    let mut body = saved(&setup, SHOPPER, id(&card), "123");
    let typed = &mut body["payment_method"]["card"];
    typed["expiration_month"] = json!("03");
    typed["expiration_year"] = json!("2033");
    let renewed = world.press_setup(&setup, "press-1", body).await;
    assert_eq!(renewed.status_code(), "succeeded", "{renewed:?}");
    let listed = world.list_with(&session, SHOPPER).await.body["items"].take();
    assert_eq!(listed.as_array().unwrap().len(), 1, "{listed}");
    assert_eq!(id(&listed[0]["card"]), id(&card), "it keeps its id");
    let card = &listed[0]["card"];
    assert_eq!(
        (&card["expiration_month"], &card["expiration_year"]),
        (&json!("03"), &json!("2033"))
    );
}

#[tokio::test]
async fn requests_at_once_on_two_nodes_make_one_setup() {
    let world = World::with_vault().await;
    let other = world.another_node().await;
    let session = world.session(SECRET_KEY, SHOPPER).await;
    let presses = (0..8).map(|number| {
        let address = [world.service.address, other.address][number % 2];
        let url = format!("http://{address}/v1/pub/card-sessions/charges");
        send(world.http.post(url).bearer_auth(&session))
    });
    let answers = join_all(presses).await;
    for answer in &answers {
        assert_eq!(
            (answer.status, &answer.body["id"]),
            (201, &answers[0].body["id"]),
            "{answer:?}"
        );
    }
    assert_eq!(world.charges().await.len(), 1);
    other.stop().await;
}

#[tokio::test]
async fn a_session_adds_only_so_many_cards() {
    let world = World::with_vault().await;
    let session = world.session(SECRET_KEY, SHOPPER).await;
    for number in 0..SESSION_SETUPS_MAX {
        let setup = world.added(&session).await;
        let saved = world.press_add(&setup, "press-1", GOOD).await;
        assert_eq!(saved.status_code(), "succeeded", "{number}: {saved:?}");
    }
    let refused = world.add_with(&session).await;
    assert_eq!((refused.status, refused.code()), (429, "too_many_requests"));
    assert_eq!(world.charges().await.len(), SESSION_SETUPS_MAX);
    // Another session goes on.
    let fresh = world.session(SECRET_KEY, SHOPPER).await;
    world.added(&fresh).await;
    for _ in 0..60 {
        world.add_with(&fresh).await;
    }
    let hasty = world.add_with(&fresh).await;
    assert_eq!((hasty.status, hasty.code()), (429, "too_many_requests"));
}

#[tokio::test]
async fn a_session_with_a_bad_field_is_refused_whole() {
    let world = World::with_vault().await;
    for (name, value, status, code) in [
        ("return_url", json!("javascript:alert(1)"), 400, "invalid_request"),
        ("return_url", json!("/account"), 400, "invalid_request"),
        (
            "return_url",
            json!("https://a:b@shop.example"),
            400,
            "invalid_request",
        ),
        ("return_url", json!(7), 400, "invalid_request"),
        ("save_card_usage", json!("always"), 400, "invalid_request"),
        ("partner_reference", json!(""), 400, "invalid_request"),
        (
            "partner_reference",
            json!("x".repeat(256)),
            400,
            "invalid_request",
        ),
        ("amount_currency", json!("XXX"), 422, "invalid_amount"),
        ("amount_currency", json!("usd"), 422, "invalid_amount"),
        ("amount_value", json!("1"), 400, "invalid_request"),
        ("shopper_id", json!("shopper-8"), 400, "invalid_request"),
    ] {
        let answer = world
            .open_session(SECRET_KEY, SHOPPER, Some(json!({ name: value })))
            .await;
        assert_eq!(
            (answer.status, answer.code(), answer.field()),
            (status, code, name),
            "{answer:?}"
        );
    }
    for (shopper, status) in [
        ("%20", 400),
        ("%E2%80%AEx", 404),
        (&*"x".repeat(256), 400),
        ("%ff", 404),
    ] {
        let answer = world.open_session(SECRET_KEY, shopper, None).await;
        assert_eq!(answer.status, status, "{shopper}: {answer:?}");
    }
    let body = world.request(Method::POST, &format!("/v1/shoppers/{SHOPPER}/card-sessions"));
    let text = send(body.bearer_auth(SECRET_KEY).body("{}")).await;
    assert_eq!((text.status, text.code()), (415, "unsupported_media_type"));
    let session = world.session(SECRET_KEY, SHOPPER).await;
    let path = "/v1/pub/card-sessions/charges";
    let request = world.request(Method::POST, path).bearer_auth(&session);
    let answer = send(request.json(&json!({"amount_value": "9.99"}))).await;
    assert_eq!(
        (answer.status, answer.code()),
        (400, "invalid_request"),
        "{answer:?}"
    );
    assert_eq!(world.charges().await.len(), 0);

    let without_vault = World::new().await;
    let answer = without_vault.open_session(SECRET_KEY, SHOPPER, None).await;
    assert_eq!((answer.status, answer.code()), (403, "saved_cards_not_offered"));
}

#[tokio::test]
async fn a_switched_off_merchant_opens_no_session_and_adds_no_card() {
    let world = World::with_vault().await;
    let session = world.session(SECRET_KEY, SHOPPER).await;
    let store = &world.service.app.store;
    let off = PartnerChange {
        active: Some(false),
        ..PartnerChange::default()
    };
    let by = Actor::service(world.clock.now_ms());
    store.change_partner(PARTNER_ID, &off, &by).await.unwrap();
    for answer in [
        world.open_session(SECRET_KEY, SHOPPER, None).await,
        world.add_with(&session).await,
    ] {
        assert_eq!(
            (answer.status, answer.code()),
            (403, "merchant_inactive"),
            "{answer:?}"
        );
    }
    // The shopper still sees and removes cards.
    assert_eq!(world.list_with(&session, SHOPPER).await.status, 200);
}

#[tokio::test]
async fn the_card_page_has_its_heading_before_scripts_run() {
    let world = World::with_vault().await;
    world.save(SHOPPER, GOOD).await;
    let back = "https://shop.example/account?from=cards";
    let opened = world
        .open_session(SECRET_KEY, SHOPPER, Some(json!({"return_url": back})))
        .await;
    let url = opened.body["url"].as_str().unwrap();
    let (address, token) = url.split_once("#client_secret=").unwrap();
    assert_eq!(token, opened.body["client_secret"].as_str().unwrap());
    let (_, query) = address.split_once("/?payload=").unwrap();
    assert_eq!(query, opened.body["payload"].as_str().unwrap());
    let read = async |payload: &str, destination: &str| {
        let request = world.request(Method::GET, &format!("/de-DE?payload={payload}"));
        request
            .header("sec-fetch-dest", destination)
            .send()
            .await
            .unwrap()
    };
    let page = read(query, "document").await;
    let policy = page.headers()["content-security-policy"]
        .to_str()
        .unwrap()
        .to_owned();
    assert!(
        policy.contains("frame-ancestors https://shop.example"),
        "{policy}"
    );
    let html = page.text().await.unwrap();
    assert!(html.contains(">Ihre Karten</h1>"), "{html}");
    assert!(html.contains("<title>Ihre Karten</title>"));
    assert!(html.contains(back) && html.contains(">Shop</bdi>"));
    assert!(html.contains("\"saved_cards_count\":1"), "{html}");
    assert!(!html.contains("4242"), "no card before the session is used");
    // In a frame the page may show the bank's challenge, too.
    let framed = read(query, "iframe").await;
    let policy = framed.headers()["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("frame-src 'self' "), "{policy}");

    // Another way back needs another signature.
    let mut intent = ChargeIntent::from_payload(query).unwrap();
    intent.return_url = "https://evil.example".into();
    assert_eq!(read(&intent.to_payload(), "document").await.status(), 403);
}
