//! A merchant steers 3-D Secure: it asks for a challenge or for an exemption, and a soft decline asks for the challenge.

use protocol::{CreatedCharge, SaveCardUsage};
use serde_json::{Value, json};

use crate::cards::SHOPPER;
use crate::challenges::{CHALLENGE, answer_challenge};
use crate::merchant_payments::with_card;
use crate::world::{Answer, World, new_charge};

const GOOD: &str = "4242424242424242";
const SOFT_DECLINE: &str = "4000002500003155";

impl World {
    /// A charge with these fields.
    async fn steered_charge(&self, fields: &[(&str, &str)]) -> CreatedCharge {
        let mut body = new_charge();
        for (name, value) in fields {
            body[*name] = json!(value);
        }
        let answer = self.create(&body, None).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        serde_json::from_value(answer.body).unwrap()
    }

    /// What the merchant is told of 3-D Secure.
    async fn three_ds(&self, charge: &CreatedCharge) -> Value {
        self.view(&charge.id).await["paid_with"]["three_ds"].clone()
    }
}

fn is_challenged(answer: &Answer) -> bool {
    answer.status_code() == "waiting_for_shopper_action"
}

#[tokio::test]
async fn the_merchant_decides_whether_the_bank_asks() {
    let world = World::new().await;
    let challenge: &[_] = &[("three_ds", "challenge")];
    let low_value: &[_] = &[("exemption", "low_value")];
    let low_risk: &[_] = &[
        ("three_ds", "automatic"),
        ("exemption", "transaction_risk_analysis"),
    ];
    for (number, fields, asks) in [
        (GOOD, &[][..], false),
        (GOOD, challenge, true),
        (GOOD, low_value, false),
        (CHALLENGE, &[], true),
        (CHALLENGE, low_value, false),
        (CHALLENGE, low_risk, false),
        (SOFT_DECLINE, &[], true),
        (SOFT_DECLINE, low_value, true),
    ] {
        let charge = world.steered_charge(fields).await;
        let answer = world.pay(&charge, "press-1", number).await;
        assert_eq!(is_challenged(&answer), asks, "{number} {fields:?} {answer:?}");
        if asks {
            let url = answer.body["shopper_action"]["url"].as_str().unwrap();
            answer_challenge(url, "approve").await;
            world.clock.advance_ms(10_000);
            payments::charges::reconciler::reconcile(&world.service.app.charges)
                .await
                .unwrap();
        }
        assert_eq!(
            world.view(&charge.id).await["status"],
            "succeeded",
            "{number} {fields:?}"
        );
        let outcome = match (asks, fields) {
            (true, _) => json!({"outcome": "authenticated", "flow": "challenge"}),
            (false, []) => Value::Null,
            (false, _) => json!({"outcome": "exempted", "flow": null}),
        };
        assert_eq!(world.three_ds(&charge).await, outcome, "{number} {fields:?}");
    }
}

#[tokio::test]
async fn a_soft_decline_without_the_shopper_is_a_decline() {
    let world = World::with_vault().await;
    let charge = world.charge_for(SaveCardUsage::OffSession.as_str()).await;
    let mut body = crate::cards::card_to_save(&charge, SHOPPER, SOFT_DECLINE);
    body["payment_method"]["agreement"] = json!({"text_id": "save_card_off_session", "locale": "en-US"});
    let answer = crate::world::send(world.press(&charge, "press-1", &body)).await;
    let url = answer.body["shopper_action"]["url"].as_str().unwrap();
    answer_challenge(url, "approve").await;
    world.clock.advance_ms(10_000);
    payments::charges::reconciler::reconcile(&world.service.app.charges)
        .await
        .unwrap();
    let card = crate::cards::id(&world.cards_of(SHOPPER).await[0]).to_owned();
    let later = world.charge_of_shopper(SHOPPER).await;
    let answer = world
        .pay_without_shopper(&later, "month-2", &with_card(&card))
        .await;
    assert_eq!(
        answer.body["decline_code"], "authentication_required",
        "{answer:?}"
    );
}

#[tokio::test]
async fn a_wrong_wish_is_refused_by_its_field() {
    let world = World::new().await;
    for (name, value) in [
        ("three_ds", json!("never")),
        ("three_ds", json!("")),
        ("three_ds", json!(true)),
        ("exemption", json!("small")),
        ("exemption", json!("")),
        ("exemption", json!(["low_value"])),
    ] {
        let mut body = new_charge();
        body[name] = value.clone();
        let answer = world.create(&body, None).await;
        assert_eq!(
            (answer.status, answer.code(), answer.field()),
            (400, "invalid_request", name),
            "{value}"
        );
    }
    let mut body = new_charge();
    body["three_ds"] = json!("challenge");
    body["exemption"] = json!("low_value");
    let answer = world.create(&body, None).await;
    assert_eq!((answer.status, answer.field()), (400, "exemption"));
}
