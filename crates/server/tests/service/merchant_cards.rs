//! A merchant lists, reads, names, chooses and removes its shoppers' saved cards.

use futures_util::future::join_all;
use jiff::civil::date;
use jiff::tz::TimeZone;
use payments::saved_cards::save::tell_expiring_cards;
use protocol::SaveCardUsage;
use reqwest::Method;
use serde_json::{Value, json};

use crate::cards::{SHOPPER, id};
use crate::webhooks::endpoint_for;
use crate::world::{Answer, PARTNER_ID, SECRET_KEY, World, send};

const VISA: &str = "4242424242424242";
const MASTERCARD: &str = "5555555555554444";

impl World {
    async fn call_with(&self, key: &str, method: Method, path: &str, body: Option<Value>) -> Answer {
        let request = self.request(method, path).bearer_auth(key);
        send(match body {
            Some(body) => request.json(&body),
            None => request,
        })
        .await
    }

    async fn cards_for_merchant(&self) -> Vec<Value> {
        let path = format!("/v1/shoppers/{SHOPPER}/payment-methods?page_size=50");
        let answer = self.call_with(SECRET_KEY, Method::GET, &path, None).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.body["items"].as_array().unwrap().clone()
    }

    async fn change_card(&self, id: &str, body: Value) -> Answer {
        let path = format!("/v1/payment-methods/{id}");
        self.call_with(SECRET_KEY, Method::POST, &path, Some(body)).await
    }
}

fn ids(cards: &[Value]) -> Vec<&str> {
    cards.iter().map(|card| card["id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_merchant_sees_what_the_shopper_agreed_to_and_no_number() {
    let world = World::with_vault().await;
    let card = world.save_for(SaveCardUsage::OffSession).await;
    let cards = world.cards_for_merchant().await;
    let path = format!("/v1/payment-methods/{card}");
    let read = world.call_with(SECRET_KEY, Method::GET, &path, None).await;
    assert_eq!((ids(&cards), &read.body), (vec![card.as_str()], &cards[0]));
    let agreement = &cards[0]["agreement"];
    assert_eq!(
        (&agreement["usage"], &agreement["text_id"], &agreement["locale"]),
        (
            &json!("off_session"),
            &json!("save_card_off_session"),
            &json!("de-DE")
        )
    );
    let accepted_at = agreement["accepted_at"].as_str().unwrap();
    assert!(accepted_at.starts_with("2026-07-15T12:00:00"), "{accepted_at}");
    let entry = &world.provider.simulator.ledger.entries()[0];
    assert_eq!(
        cards[0]["network_transaction_id"],
        json!(entry.asked.facts.network_transaction_id)
    );
    let words = read.body.to_string();
    assert!(!words.contains("4242424242"), "{words}");
    let unknown = "/v1/shoppers/nobody/payment-methods";
    let none = world.call_with(SECRET_KEY, Method::GET, unknown, None).await;
    assert_eq!((none.status, none.body), (200, json!({"items": []})));
}

#[tokio::test]
async fn the_default_card_comes_first_for_merchant_and_shopper() {
    let world = World::with_vault().await;
    let first = id(&world.save(SHOPPER, VISA).await).to_owned();
    let second = id(&world.save(SHOPPER, MASTERCARD).await).to_owned();
    assert_eq!(
        ids(&world.cards_for_merchant().await),
        [&second, &first],
        "the newest"
    );
    let named = world
        .change_card(&first, json!({"default": true, "nickname": "Company"}))
        .await;
    assert_eq!((named.status, &named.body["nickname"]), (200, &json!("Company")));
    assert_eq!(ids(&world.cards_for_merchant().await), [&first, &second]);
    assert_eq!(id(&world.cards_of(SHOPPER).await[0]), first, "the form's list");
    // Another one in its place; the name stays until it is null.
    assert_eq!(
        world.change_card(&second, json!({"default": true})).await.status,
        200
    );
    let cards = world.cards_for_merchant().await;
    assert_eq!(ids(&cards), [&second, &first]);
    assert_eq!(
        (&cards[1]["default"], &cards[1]["nickname"]),
        (&json!(false), &json!("Company"))
    );
    assert_eq!(
        world.change_card(&first, json!({"nickname": null})).await.body["nickname"],
        Value::Null
    );
    let none = world.change_card(&second, json!({"default": false})).await;
    assert_eq!(none.body["default"], false);
    // Saved again, a card keeps its name.
    world.change_card(&first, json!({"nickname": "Mine"})).await;
    world.save(SHOPPER, VISA).await;
    assert_eq!(world.cards_for_merchant().await[0]["nickname"], "Mine");
}

#[tokio::test]
async fn choices_at_once_leave_one_default_card() {
    let world = World::with_vault().await;
    let other = world.another_node().await;
    let cards = [
        id(&world.save(SHOPPER, VISA).await).to_owned(),
        id(&world.save(SHOPPER, MASTERCARD).await).to_owned(),
    ];
    let choices = (0..8).map(|number| {
        let address = [world.service.address, other.address][number / 4];
        let url = format!("http://{address}/v1/payment-methods/{}", cards[number % 2]);
        send(
            world
                .http
                .post(url)
                .bearer_auth(SECRET_KEY)
                .json(&json!({"default": true})),
        )
    });
    for answer in join_all(choices).await {
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    let listed = world.cards_for_merchant().await;
    let defaults: Vec<_> = listed.iter().map(|card| &card["default"]).collect();
    assert_eq!(defaults, [true, false]);
    other.stop().await;
}

#[tokio::test]
async fn a_merchant_is_told_what_happens_to_a_card() {
    let world = World::with_vault().await;
    endpoint_for(&world, PARTNER_ID, "https://shop.example/webhooks", None).await;
    let card = id(&world.save(SHOPPER, VISA).await).to_owned();
    world.save(SHOPPER, VISA).await;
    world.change_card(&card, json!({"nickname": "Company"})).await;
    // Nothing is changed, so nothing is told.
    assert_eq!(world.change_card(&card, json!({})).await.status, 200);
    let (year, month) = expiry_of(&world.cards_for_merchant().await[0]);
    // The month before, and twice in the last month.
    for at in [
        date(year, month, 1).yesterday().unwrap(),
        date(year, month, 1),
        date(year, month, 28),
    ] {
        let at = at.to_zoned(TimeZone::UTC).unwrap().timestamp().as_millisecond();
        world.clock.advance_ms(at - world.clock.now_ms());
        tell_expiring_cards(&world.service.app.saved_cards).await.unwrap();
    }
    let path = format!("/v1/payment-methods/{card}");
    assert_eq!(
        world
            .call_with(SECRET_KEY, Method::DELETE, &path, None)
            .await
            .status,
        204
    );

    let told = world
        .call_with(SECRET_KEY, Method::GET, "/v1/events?limit=100", None)
        .await;
    let told = told.body["items"].as_array().unwrap();
    let mut of_card: Vec<_> = told
        .iter()
        .filter(|event| event["type"].as_str().unwrap().starts_with("payment_method."))
        .collect();
    // Events of one millisecond have no order in the list.
    of_card.sort_by_key(|event| event["sequence"].as_i64());
    let kinds: Vec<_> = of_card
        .iter()
        .map(|event| event["type"].as_str().unwrap())
        .collect();
    assert_eq!(
        kinds,
        [
            "payment_method.saved",
            "payment_method.updated",
            "payment_method.updated",
            "payment_method.expiring",
            "payment_method.removed",
        ]
    );
    for event in &of_card {
        assert_eq!(event["data"]["id"], card);
        assert_eq!(
            event["charge_id"], of_card[0]["charge_id"],
            "the charge that saved it first"
        );
    }
    assert_eq!(of_card[4]["data"]["nickname"], "Company", "as it was");
    let some = world
        .call_with(
            SECRET_KEY,
            Method::GET,
            "/v1/events?type=payment_method.expiring",
            None,
        )
        .await;
    assert_eq!(some.body["items"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_merchant_is_told_of_each_card_that_a_choice_changes() {
    let world = World::with_vault().await;
    endpoint_for(&world, PARTNER_ID, "https://shop.example/webhooks", None).await;
    let first = id(&world.save(SHOPPER, VISA).await).to_owned();
    let second = id(&world.save(SHOPPER, MASTERCARD).await).to_owned();
    // The second choice changes nothing.
    for card in [&first, &first, &second] {
        let chosen = json!({"default": true, "nickname": "Company"});
        assert_eq!(world.change_card(card, chosen).await.status, 200);
    }
    let path = "/v1/events?type=payment_method.updated";
    let told = world.call_with(SECRET_KEY, Method::GET, path, None).await;
    let told = told.body["items"].as_array().unwrap().iter();
    let mut told: Vec<_> = told
        .map(|event| {
            (
                event["data"]["id"].as_str().unwrap(),
                event["data"]["default"].as_bool().unwrap(),
            )
        })
        .collect();
    // Events of one millisecond have no order in the list.
    told.sort_unstable();
    let mut expected = [(&*first, false), (&*first, true), (&*second, true)];
    expected.sort_unstable();
    assert_eq!(told, expected);
}

fn expiry_of(card: &Value) -> (i16, i8) {
    let part = |name: &str| card[name].as_str().unwrap().to_owned();
    (
        part("expiration_year").parse().unwrap(),
        part("expiration_month").parse().unwrap(),
    )
}

#[tokio::test]
async fn only_the_cards_own_merchant_can_use_the_calls() {
    let world = World::with_vault().await;
    let other_key = world.another_merchant().await;
    let card = id(&world.save(SHOPPER, VISA).await).to_owned();
    let charge = world.saving_charge(SHOPPER).await;
    let path = format!("/v1/payment-methods/{card}");
    let list = format!("/v1/shoppers/{SHOPPER}/payment-methods");
    let default_card = || Some(json!({"default": true}));
    for (key, expected) in [
        (other_key, (404, "payment_method_not_found")),
        ("sk_wrong", (401, "secret_key_invalid")),
        (charge.client_secret.as_str(), (401, "secret_key_invalid")),
    ] {
        for (method, body) in [
            (Method::GET, None),
            (Method::POST, default_card()),
            (Method::DELETE, None),
        ] {
            let answer = world.call_with(key, method.clone(), &path, body).await;
            assert_eq!((answer.status, answer.code()), expected, "{method}");
        }
    }
    let empty = world.call_with(other_key, Method::GET, &list, None).await;
    assert_eq!((empty.status, empty.body), (200, json!({"items": []})));
    for unknown in ["pm_unknown", "pm_%00", &format!("pm_{}", "9".repeat(500))] {
        let path = format!("/v1/payment-methods/{unknown}");
        let answer = world.call_with(SECRET_KEY, Method::GET, &path, None).await;
        assert_eq!(answer.status, 404, "{answer:?}");
    }
    for (name, value) in [
        ("nickname", json!("")),
        ("nickname", json!(" ")),
        ("nickname", json!("a\u{202e}b")),
        ("nickname", json!("x".repeat(41))),
        ("nickname", json!(1)),
        ("default", json!("yes")),
        ("last_four", json!("0000")),
    ] {
        let answer = world.change_card(&card, json!({name: value})).await;
        assert_eq!(
            (answer.status, answer.code(), answer.field()),
            (400, "invalid_request", name),
            "{value}"
        );
    }
    assert_eq!(
        world
            .call_with(SECRET_KEY, Method::DELETE, &path, None)
            .await
            .status,
        204
    );
    for method in [Method::GET, Method::DELETE] {
        let gone = world.call_with(SECRET_KEY, method, &path, None).await;
        assert_eq!((gone.status, gone.code()), (404, "payment_method_not_found"));
    }
    assert!(world.cards_of(SHOPPER).await.is_empty());
}
