//! A merchant pays with a saved card, without the shopper: once, only with the shopper's agreement, and like a press.

use futures_util::future::join_all;
use payments::charges::reconciler::reconcile;
use protocol::{CreatedCharge, MerchantPaymentReason, SaveCardUsage, Sensitive};
use reqwest::Method;
use serde_json::{Value, json};

use crate::cards::{SHOPPER, card_to_save, ring};
use crate::challenges::{CHALLENGE, answer_challenge};
use crate::provider::LinkState;
use crate::waiting::found;
use crate::world::{Answer, PARTNER_ID, SECRET_KEY, World, new_charge, send};

const GOOD: &str = "4242424242424242";
const YEAR_MS: i64 = 365 * 24 * 3_600_000;

pub(crate) fn with_card(card: &str) -> Value {
    json!({"payment_method_id": card, "initiated_by": "merchant", "reason": "recurring"})
}

impl World {
    /// A charge of the shopper, who is not there.
    async fn due_charge(&self) -> CreatedCharge {
        self.charge_of_shopper(SHOPPER).await
    }

    pub(crate) async fn pay_without_shopper(
        &self,
        charge: &CreatedCharge,
        key: &str,
        body: &Value,
    ) -> Answer {
        self.pay_with_key(SECRET_KEY, &charge.id, Some(key), body).await
    }

    async fn pay_with_key(&self, secret: &str, id: &str, key: Option<&str>, body: &Value) -> Answer {
        let request = self
            .request(Method::POST, &format!("/v1/charges/{id}/pay"))
            .bearer_auth(secret)
            .json(body);
        let request = match key {
            Some(key) => request.header("idempotency-key", key),
            None => request,
        };
        send(request).await
    }
}

fn status(answer: &Answer) -> (u16, &str) {
    (answer.status, answer.body["status"].as_str().unwrap_or_default())
}

#[tokio::test]
async fn a_merchant_pays_with_a_saved_card_and_the_ledger_says_so() {
    let world = World::with_vault().await;
    let card = world.save_for(SaveCardUsage::OffSession).await;
    let charge = world.due_charge().await;
    let paid = world
        .pay_without_shopper(&charge, "month-2", &with_card(&card))
        .await;
    assert_eq!(status(&paid), (200, "succeeded"), "{paid:?}");
    assert_eq!(paid.body["paid_with"]["payment_method_id"], card);
    assert_eq!(paid.body["paid_with"]["checks"]["security_code"], "unchecked");
    assert_eq!(paid.body, world.view(&charge.id).await);

    let ledger = &world.provider.simulator.ledger.entries();
    let merchant = ledger[1].asked.merchant_initiated.as_ref().unwrap();
    assert_eq!(ledger[0].asked.merchant_initiated, None);
    assert_eq!(merchant.reason, MerchantPaymentReason::Recurring);
    assert_eq!(
        merchant.network_transaction_id,
        ledger[0].asked.facts.network_transaction_id
    );
    let first_id = merchant.network_transaction_id.clone();
    let lines: Value = reqwest::get(format!("{}/ledger", world.provider.url))
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    assert_eq!(lines[0]["initiated_by"], Value::Null);
    assert_eq!(lines[1]["initiated_by"], "merchant");
    assert_eq!(lines[1]["network_transaction_id"], json!(first_id));
    // The audit log names the merchant, and not the shopper.
    let audit = world
        .service
        .app
        .store
        .audit_lines_of(&card, None, 10)
        .await
        .unwrap();
    assert_eq!(audit[0].actor, format!("merchant {PARTNER_ID}"));

    // Repeated, also after the card is gone, and with another key: nothing more is paid.
    let open = world.saving_charge(SHOPPER).await;
    assert_eq!(world.remove(&open, &card, SHOPPER).await.status, 204);
    let again = world
        .pay_without_shopper(&charge, "month-2", &with_card(&card))
        .await;
    assert_eq!(status(&again), (200, "succeeded"));
    let mut other = with_card(&card);
    other["reason"] = json!("unscheduled");
    let conflict = world.pay_without_shopper(&charge, "month-2", &other).await;
    assert_eq!((conflict.status, conflict.code()), (409, "idempotency_conflict"));
    assert_eq!(world.provider.approvals(), 2);
}

#[tokio::test]
async fn a_card_that_may_not_be_charged_is_refused_before_an_attempt() {
    let world = World::with_vault().await;
    let other_key = world.another_merchant().await;
    let reusable = world.save_for(SaveCardUsage::OffSession).await;
    // Two cards saved in the same millisecond have no order.
    world.clock.advance_ms(1);
    let on_session = {
        let charge = world.saving_charge(SHOPPER).await;
        let body = card_to_save(&charge, SHOPPER, "5555555555554444");
        assert_eq!(send(world.press(&charge, "press-1", &body)).await.status, 201);
        crate::cards::id(&world.cards_of(SHOPPER).await[0]).to_owned()
    };
    let charge = world.due_charge().await;
    let strangers = world.charge_of_shopper("shopper-8").await;
    let guests = world.charge().await;
    let taken = world.provider.outcomes().len();
    let asked = world.provider.asked();
    for (charge, card, expected) in [
        (&charge, "pm_unknown", (404, "payment_method_not_found")),
        (&charge, "", (404, "payment_method_not_found")),
        (&strangers, reusable.as_str(), (404, "payment_method_not_found")),
        (&guests, reusable.as_str(), (404, "payment_method_not_found")),
        (&charge, on_session.as_str(), (409, "payment_method_not_reusable")),
        (&charge, "pm_\u{7}", (400, "invalid_request")),
    ] {
        let answer = world.pay_without_shopper(charge, "k", &with_card(card)).await;
        assert_eq!((answer.status, answer.code()), expected, "{card}");
        assert_eq!(answer.field(), "payment_method_id", "{card:?}");
    }
    for (name, value) in [
        ("initiated_by", json!("shopper")),
        ("initiated_by", json!(null)),
        ("reason", json!("because")),
        ("reason", json!(null)),
        ("payment_method_id", json!(1)),
        ("amount_value", json!("1.00")),
    ] {
        let mut body = with_card(&reusable);
        body[name] = value;
        let answer = world.pay_without_shopper(&charge, "k", &body).await;
        assert_eq!(
            (answer.status, answer.code(), answer.field()),
            (400, "invalid_request", name)
        );
    }
    let keyless = world
        .pay_with_key(SECRET_KEY, &charge.id, None, &with_card(&reusable))
        .await;
    assert_eq!((keyless.status, keyless.field()), (400, "idempotency-key"));
    let foreign = world
        .pay_with_key(other_key, &charge.id, Some("k"), &with_card(&reusable))
        .await;
    assert_eq!((foreign.status, foreign.code()), (404, "charge_not_found"));
    // A merchant's shopper of the same name has other cards.
    let mut body = new_charge();
    body["shopper_id"] = json!(SHOPPER);
    let request = world.request(Method::POST, "/v1/charges").bearer_auth(other_key);
    let theirs = send(request.json(&body)).await.body["id"].take();
    let answer = world
        .pay_with_key(
            other_key,
            theirs.as_str().unwrap(),
            Some("k"),
            &with_card(&reusable),
        )
        .await;
    assert_eq!((answer.status, answer.code()), (404, "payment_method_not_found"));
    let secret = world
        .pay_with_key(
            &charge.client_secret,
            &charge.id,
            Some("k"),
            &with_card(&reusable),
        )
        .await;
    assert_eq!((secret.status, secret.code()), (401, "secret_key_invalid"));
    let canceled = world.due_charge().await;
    let cancel = world.request(Method::POST, &format!("/v1/charges/{}/cancel", canceled.id));
    assert_eq!(send(cancel.bearer_auth(SECRET_KEY)).await.status, 200);
    let answer = world
        .pay_without_shopper(&canceled, "k", &with_card(&reusable))
        .await;
    assert_eq!((answer.status, answer.code()), (409, "charge_not_payable"));

    world.clock.advance_ms(5 * YEAR_MS);
    let late = world.due_charge().await;
    let answer = world.pay_without_shopper(&late, "k", &with_card(&reusable)).await;
    assert_eq!((answer.status, answer.code()), (409, "payment_method_expired"));
    assert_eq!(
        (world.provider.outcomes().len(), world.provider.asked()),
        (taken, asked),
        "nothing was charged"
    );
}

#[tokio::test]
async fn payments_without_the_shopper_at_once_pay_once() {
    let world = World::with_vault().await;
    let other = world.another_node().await;
    let card = world.save_for(SaveCardUsage::OffSession).await;
    let charge = world.due_charge().await;
    let requests = (0..8).map(|number| {
        let address = [world.service.address, other.address][number % 2];
        let request = world
            .http
            .post(format!("http://{address}/v1/charges/{}/pay", charge.id))
            .bearer_auth(SECRET_KEY)
            .header("idempotency-key", format!("key-{}", number / 4))
            .json(&with_card(&card));
        send(request)
    });
    for answer in join_all(requests).await {
        assert!([200, 202].contains(&answer.status), "{answer:?}");
    }
    assert_eq!(world.view(&charge.id).await["status"], "succeeded");
    assert_eq!(
        world.provider.outcomes().len(),
        2,
        "the first payment and this one"
    );
    other.stop().await;
}

#[tokio::test]
async fn a_lost_answer_of_a_payment_without_the_shopper_is_resolved() {
    let world = World::with_vault().await;
    let card = world.save_for(SaveCardUsage::OffSession).await;
    for (number, (link, ends)) in [
        (LinkState::GarblesAnswers, "succeeded"),
        (LinkState::LosesPayments, "failed"),
    ]
    .into_iter()
    .enumerate()
    {
        let charge = world.due_charge().await;
        world.provider.set(link);
        for _ in 0..2 {
            let answer = world.pay_without_shopper(&charge, "k", &with_card(&card)).await;
            assert_eq!(status(&answer), (202, "outcome_unknown"), "{answer:?}");
        }
        world.provider.set(LinkState::Works);
        world.clock.advance_ms(3_600_000);
        assert_eq!(reconcile(&world.service.app.charges).await.unwrap().resolved, 1);
        let answer = world.pay_without_shopper(&charge, "k", &with_card(&card)).await;
        assert_eq!(status(&answer), (200, ends));
        assert_eq!(world.provider.approvals(), 2, "{number}");
        // A new key is a new payment, if the charge is not paid.
        let answer = world.pay_without_shopper(&charge, "k-2", &with_card(&card)).await;
        assert_eq!(status(&answer), (200, "succeeded"));
        assert_eq!(world.provider.approvals(), 2 + number);
    }
}

#[tokio::test]
async fn a_payment_without_the_shopper_does_not_answer_with_the_shoppers_card() {
    let world = World::with_vault().await;
    let card = world.save_for(SaveCardUsage::OffSession).await;
    let charge = world.due_charge().await;
    let mut body = crate::world::card(&charge, "4000000000009995");
    body["payment_method"]["shopper"] = json!({ "id": SHOPPER });
    world.provider.set(LinkState::HoldsAnswers);
    let before = world.provider.asked();
    let shoppers = tokio::spawn(send(world.press(&charge, "press-1", &body)));
    world.provider.arrived(before + 1).await;
    let (url, unanswered) = (
        world.url(&format!("/v1/charges/{}/pay", charge.id)),
        world.service.app.charges.presses.unanswered(),
    );
    let request = world.http.post(url).bearer_auth(SECRET_KEY);
    let request = request.header("idempotency-key", "k").json(&with_card(&card));
    let merchants = tokio::spawn(send(request));
    found("the merchant's request waits", async || {
        (world.service.app.charges.presses.unanswered() > unanswered).then_some(())
    })
    .await;
    world.provider.set(LinkState::Works);
    assert_eq!(shoppers.await.unwrap().status, 402);
    let answer = merchants.await.unwrap();
    assert_eq!(
        (answer.status, answer.code()),
        (409, "operation_in_progress"),
        "{answer:?}"
    );
    let paid = world.pay_without_shopper(&charge, "k", &with_card(&card)).await;
    assert_eq!(status(&paid), (200, "succeeded"), "the same key is not used up");
}

#[tokio::test]
async fn a_bank_that_wants_the_shopper_leaves_the_charge_payable() {
    let world = World::with_vault().await;
    let first = world.charge_for("off_session").await;
    let body = card_to_save(&first, SHOPPER, CHALLENGE);
    let waiting = send(world.press(&first, "press-1", &body)).await;
    let url = waiting.body["shopper_action"]["url"].as_str().unwrap();
    let back = answer_challenge(url, "approve").await;
    world.http.get(back).send().await.unwrap();
    let card = crate::cards::id(&world.cards_of(SHOPPER).await[0]).to_owned();

    let charge = world.due_charge().await;
    for _ in 0..2 {
        let answer = world.pay_without_shopper(&charge, "k", &with_card(&card)).await;
        assert_eq!(status(&answer), (200, "failed"), "{answer:?}");
        assert_eq!(answer.body["decline_code"], "authentication_required");
    }
    assert_eq!(world.provider.outcomes().len(), 2);
    let mut body = crate::world::card(&charge, GOOD);
    body["payment_method"]["shopper"] = json!({ "id": SHOPPER });
    let paid = send(world.press(&charge, "press-1", &body)).await;
    assert_eq!(paid.status_code(), "succeeded", "the shopper pays at its address");
}

#[tokio::test]
async fn a_declined_card_is_not_charged_more_often_than_networks_allow() {
    const DAY_MS: i64 = 24 * 3_600_000;
    let world = World::with_vault().await;
    let poor = world
        .save_card_for(SaveCardUsage::OffSession, "4000000000000341")
        .await;
    let good = world.save_for(SaveCardUsage::OffSession).await;
    let mut charge = world.due_charge().await;
    for day in 0..15 {
        // A charge expires before the networks' time is over.
        charge = world.due_charge().await;
        let answer = world.pay_without_shopper(&charge, "k", &with_card(&poor)).await;
        assert_eq!(status(&answer), (200, "failed"), "{answer:?}");
        let decline = &answer.body["decline"];
        assert_eq!(
            (&decline["code"], &decline["advice"]),
            (&json!("insufficient_funds"), &json!("try_again_later"))
        );
        if day == 0 {
            let earliest = decline["retry_not_before"].as_str().unwrap();
            assert!(earliest.starts_with("2026-07-16T12:00:00"), "{earliest}");
        }
        world.clock.advance_ms(DAY_MS);
    }
    let asked = world.provider.asked();
    let next = world.due_charge().await;
    let limited = world.pay_without_shopper(&next, "k", &with_card(&poor)).await;
    assert_eq!(
        (limited.status, limited.code(), limited.field()),
        (429, "retry_limit", "payment_method_id")
    );
    assert_eq!(world.provider.asked(), asked, "nobody was asked");
    // The repeated request of a decline still gets its answer, and another card pays.
    let again = world.pay_without_shopper(&charge, "k", &with_card(&poor)).await;
    assert_eq!(status(&again), (200, "failed"));
    let paid = world.pay_without_shopper(&next, "k-2", &with_card(&good)).await;
    assert_eq!(status(&paid), (200, "succeeded"));
    // Fifteen days later the first decline is 30 days old.
    world.clock.advance_ms(15 * DAY_MS + 1);
    let late = world.due_charge().await;
    let answer = world.pay_without_shopper(&late, "k", &with_card(&poor)).await;
    assert_eq!(status(&answer), (200, "failed"), "{answer:?}");
}

#[tokio::test]
async fn a_card_that_was_reported_lost_is_not_charged_again() {
    let world = World::with_vault().await;
    let lost = world
        .save_card_for(SaveCardUsage::OffSession, "4000000000000366")
        .await;
    let charge = world.due_charge().await;
    let declined = world.pay_without_shopper(&charge, "k", &with_card(&lost)).await;
    assert_eq!(declined.body["decline"]["code"], "lost_card");
    assert_eq!(declined.body["decline"]["retry_not_before"], Value::Null);
    let asked = world.provider.asked();
    let limited = world.pay_without_shopper(&charge, "k-2", &with_card(&lost)).await;
    assert_eq!((limited.status, limited.code()), (429, "retry_limit"));
    assert_eq!(world.provider.asked(), asked);
}

#[tokio::test]
async fn a_decline_of_a_charge_that_waited_for_months_is_counted() {
    let world = World::with(|settings| {
        settings.vault_keys = Some(Sensitive::new(ring("key-1")));
        settings.charge_lifetime_seconds = Some(365 * 24 * 3_600);
    })
    .await;
    let lost = world
        .save_card_for(SaveCardUsage::OffSession, "4000000000000366")
        .await;
    let charge = world.due_charge().await;
    world.clock.advance_ms(YEAR_MS - 1_000);
    let declined = world.pay_without_shopper(&charge, "k", &with_card(&lost)).await;
    assert_eq!(declined.body["decline"]["code"], "lost_card", "{declined:?}");
    let next = world.due_charge().await;
    let limited = world.pay_without_shopper(&next, "k", &with_card(&lost)).await;
    assert_eq!((limited.status, limited.code()), (429, "retry_limit"));
}
