//! `POST /v1/charges/{id}`: the changes that a merchant may make. A shopper never pays an amount that the page did not show.

use harness::postgres::{Durability, Postgres};
use protocol::{ChargeIntent, CreatedCharge};
use reqwest::Method;
use serde_json::{Value, json};

use crate::charge_story::show;
use crate::provider::LinkState;
use crate::world::{Answer, SECRET_KEY, World, card, press_at, send};

const GOOD: &str = "4242424242424242";
const DECLINED: &str = "4000000000009995";

async fn change(world: &World, id: &str, body: &Value, key: Option<&str>) -> Answer {
    let mut request = world
        .request(Method::POST, &format!("/v1/charges/{id}"))
        .bearer_auth(SECRET_KEY)
        .json(body);
    if let Some(key) = key {
        request = request.header("idempotency-key", key);
    }
    send(request).await
}

fn changed(answer: &Answer) -> CreatedCharge {
    assert_eq!(answer.status, 200, "{answer:?}");
    serde_json::from_value(answer.body.clone()).unwrap()
}

/// The body of a press whose page shows this amount.
fn card_of(charge: &CreatedCharge, amount: &str, number: &str) -> Value {
    let mut body = card(charge, number);
    body["amount_value"] = json!(amount);
    body
}

#[tokio::test]
async fn a_changed_charge_is_paid_with_its_new_terms() {
    let world = World::new().await;
    let charge = world.charge().await;
    let terms = json!({
        "amount_value": "1500", "amount_currency": "JPY", "item_code": "gems-200", "item_name": "200 gems",
    });
    let new = changed(&change(&world, &charge.id, &terms, None).await);
    assert_eq!(new.id, charge.id);
    let intent = ChargeIntent::from_payload(&new.payload).unwrap();
    assert_eq!(
        (
            &*intent.amount_value,
            &*intent.amount_currency,
            &*intent.item_code,
            &*intent.item_name
        ),
        ("1500", "JPY", "gems-200", "200 gems")
    );
    assert!(new.url.contains(&new.payload) && new.url != charge.url);
    let mut body = card(&new, GOOD);
    for (field, value) in terms.as_object().unwrap() {
        body[field] = value.clone();
    }
    assert_eq!(send(world.press(&new, "a", &body)).await.status, 201);
    let view = world.view(&charge.id).await;
    assert_eq!(
        (&view["status"], &view["amount_value"], &view["amount_currency"]),
        (&json!("succeeded"), &json!("1500"), &json!("JPY"))
    );
    let entry = &world.provider.simulator.ledger.entries()[0];
    assert_eq!(
        (&*entry.asked.amount_value, &*entry.asked.amount_currency),
        ("1500", "JPY")
    );
}

#[tokio::test]
async fn an_earlier_client_secret_of_a_changed_charge_pays_nothing() {
    let world = World::new().await;
    let charge = world.charge().await;
    let new = changed(&change(&world, &charge.id, &json!({"amount_value": "15.00"}), None).await);
    // The page still shows the earlier amount, with its client secret or with the new one.
    for secret in [&charge.client_secret, &new.client_secret] {
        let shown = CreatedCharge {
            client_secret: secret.clone(),
            ..charge.clone()
        };
        let answer = world.pay(&shown, "old", GOOD).await;
        assert_eq!(
            (answer.status, answer.code(), answer.field()),
            (403, "charge_mismatch", "amount_value")
        );
    }
    // The new amount with the earlier client secret.
    let answer = send(world.press(&charge, "mixed", &card_of(&charge, "15.00", GOOD))).await;
    assert_eq!((answer.status, answer.code()), (403, "charge_mismatch"));
    assert_eq!(world.provider.asked(), 0);
    assert_eq!(world.view(&charge.id).await["status"], "created");
}

#[tokio::test]
async fn only_a_payable_charge_can_be_changed() {
    let world = World::new().await;
    let terms = json!({"amount_value": "15.00"});
    let refused = async |charge: &CreatedCharge| {
        let answer = change(&world, &charge.id, &terms, None).await;
        assert_eq!((answer.status, answer.code()), (409, "charge_not_changeable"));
        assert_eq!(world.view(&charge.id).await["amount_value"], "12.50");
    };

    let declined = world.charge().await;
    assert_eq!(world.pay(&declined, "a", DECLINED).await.status, 402);
    let new = changed(&change(&world, &declined.id, &terms, None).await);
    assert_eq!(world.view(&declined.id).await["status"], "failed");
    let paid = send(world.press(&new, "b", &card_of(&new, "15.00", GOOD))).await;
    assert_eq!(paid.status, 201);
    let answer = change(&world, &declined.id, &terms, None).await;
    assert_eq!((answer.status, answer.code()), (409, "charge_not_changeable"));

    let processing = world.charge().await;
    let press = world.held_press(&processing, "a", GOOD).await;
    refused(&processing).await;
    world.provider.set(LinkState::Works);
    press.await.unwrap();
    refused(&processing).await;

    let challenged = world.charge().await;
    world.pay(&challenged, "a", "4000000000003220").await;
    refused(&challenged).await;

    let canceled = world.charge().await;
    let cancel = format!("/v1/charges/{}/cancel", canceled.id);
    send(world.request(Method::POST, &cancel).bearer_auth(SECRET_KEY)).await;
    refused(&canceled).await;

    let expired = world.charge().await;
    world.clock.advance_ms(25 * 60 * 60 * 1_000);
    refused(&expired).await;
}

#[tokio::test]
async fn a_change_is_checked_like_a_new_charge() {
    let world = World::new().await;
    let charge = world.charge().await;
    let cases = [
        (json!({"amount_value": "12.505"}), 422, "amount_value"),
        (json!({"amount_value": "0"}), 422, "amount_value"),
        (json!({"amount_value": 15}), 400, "amount_value"),
        // Yen have no cents, so the unchanged amount is not valid in the new currency.
        (json!({"amount_currency": "JPY"}), 422, "amount_value"),
        (json!({"amount_currency": "XXX"}), 422, "amount_currency"),
        (json!({"item_code": ""}), 400, "item_code"),
        (json!({"item_name": "x".repeat(256)}), 400, "item_name"),
        (json!({"item_name": "bell \u{7}"}), 400, "item_name"),
    ];
    for (body, status, field) in cases {
        let answer = change(&world, &charge.id, &body, None).await;
        assert_eq!((answer.status, answer.field()), (status, field), "{answer:?}");
    }
    // Nothing changed: the first client secret still pays.
    assert_eq!(world.pay(&charge, "a", GOOD).await.status, 201);
    let unknown = change(&world, "ch_0", &json!({}), None).await;
    assert_eq!((unknown.status, unknown.code()), (404, "charge_not_found"));
}

#[tokio::test]
async fn a_repeated_change_gets_the_same_answer() {
    let world = World::new().await;
    let charge = world.charge().await;
    let terms = json!({"amount_value": "15.00"});
    let first = change(&world, &charge.id, &terms, Some("more")).await;
    world.clock.advance_ms(5_000);
    assert_eq!(change(&world, &charge.id, &terms, Some("more")).await, first);
    let paid = send(world.press(&changed(&first), "a", &card_of(&charge, "15.00", GOOD))).await;
    assert_eq!(paid.status, 201);
    // The answer was lost, and the shopper has paid meanwhile. The new answer has the same client secret and the
    // present status.
    let again = changed(&change(&world, &charge.id, &terms, Some("more")).await);
    assert_eq!(again.client_secret, changed(&first).client_secret);
    for other in [json!({"amount_value": "16.00"}), json!({})] {
        let answer = change(&world, &charge.id, &other, Some("more")).await;
        assert_eq!((answer.status, answer.code()), (409, "idempotency_conflict"));
    }
    let another = world.charge().await;
    let answer = change(&world, &another.id, &terms, Some("more")).await;
    assert_eq!((answer.status, answer.code()), (409, "idempotency_conflict"));
}

#[tokio::test]
async fn the_story_of_a_charge_lists_its_changes() {
    let world = World::new().await;
    let charge = world.charge().await;
    world.clock.advance_ms(1_000);
    change(&world, &charge.id, &json!({"amount_value": "15.00"}), None).await;
    world.clock.advance_ms(1_000);
    change(&world, &charge.id, &json!({"item_name": "A gem"}), None).await;
    // The same change again changes nothing and makes no event.
    change(&world, &charge.id, &json!({"item_name": "A gem"}), None).await;
    let (json, text) = show(&world, &charge.id).await;
    let events = json["events"].as_array().unwrap();
    let changes: Vec<_> = events.iter().filter(|event| event["topic"] == "change").collect();
    assert_eq!(changes.len(), 2, "{text}");
    assert_eq!(changes[0]["before"]["amount_value"], "12.50");
    assert_eq!(changes[0]["after"]["amount_value"], "15.00");
    assert_eq!(changes[1]["after"]["item_name"], "A gem");
    assert!(
        text.contains("15.00 USD for A gem (gems-100), before 15.00 USD for 100 gems"),
        "{text}"
    );
}

#[tokio::test]
async fn a_press_and_a_change_at_the_same_time_agree_on_sqlite() {
    Box::pin(race(World::new().await)).await;
}

#[tokio::test]
async fn a_press_and_a_change_at_the_same_time_agree_on_postgresql() {
    let postgres = Postgres::start(Durability::None).unwrap();
    Box::pin(race(World::on(postgres.new_database().unwrap()).await)).await;
}

/// A shopper sees 12.50 and presses on one node while the merchant changes the charge to 15.00 on another node. The
/// later of the two requests is refused, and the provider took the amount of the charge.
async fn race(world: World) {
    let other = world.another_node().await;
    for round in 0..40 {
        let charge = world.charge().await;
        let asked = world.provider.approvals();
        let body = card(&charge, GOOD);
        let press = tokio::spawn(send(press_at(&world.http, other.address, &charge, "a", &body)));
        let terms = json!({"amount_value": "15.00"});
        let (press, answer) = tokio::join!(press, change(&world, &charge.id, &terms, None));
        let press = press.unwrap();
        let view = world.view(&charge.id).await;
        let said = (
            press.status,
            answer.status,
            view["amount_value"].as_str().unwrap(),
        );
        match said {
            (201, 409, "12.50") => {
                assert_eq!(answer.code(), "charge_not_changeable");
                assert_eq!(world.provider.approvals(), asked + 1);
                assert_eq!(view["status"], "succeeded");
            }
            (403, 200, "15.00") => {
                assert_eq!(press.code(), "charge_mismatch");
                assert_eq!(world.provider.approvals(), asked);
                assert_eq!(view["status"], "created");
            }
            _ => panic!("round {round}: {said:?} {press:?} {answer:?}"),
        }
    }
    for entry in world.provider.simulator.ledger.entries() {
        assert_eq!(entry.asked.amount_value, "12.50");
    }
    other.stop().await;
}
