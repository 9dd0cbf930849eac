//! A setup saves a card without a payment: the issuer is asked, no money moves, and the charge names the saved card.

use payments::charges::reconciler::reconcile;
use protocol::{CreatedCharge, SaveCardUsage};
use reqwest::Method;
use serde_json::{Value, json};

use crate::cards::{SHOPPER, id, saved};
use crate::challenges::{CHALLENGE, answer_challenge};
use crate::provider::LinkState;
use crate::webhooks::endpoint_for;
use crate::world::{Answer, PARTNER_ID, SECRET_KEY, World, card, new_charge, send};

const GOOD: &str = "4242424242424242";
const DECLINED: &str = "4000000000000002";
const MONTH_MS: i64 = 30 * 24 * 3_600_000;

/// The body of a setup for this usage.
fn setup(usage: &str) -> Value {
    let mut body = new_charge();
    body["mode"] = json!("setup");
    body["amount_value"] = json!("0");
    body["shopper_id"] = json!(SHOPPER);
    body["save_card_usage"] = json!(usage);
    body
}

impl World {
    pub(crate) async fn setup(&self, usage: &str) -> CreatedCharge {
        let answer = self.create(&setup(usage), None).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        serde_json::from_value(answer.body).unwrap()
    }

    /// The shopper presses "Save card".
    pub(crate) async fn set_up(&self, charge: &CreatedCharge, key: &str, number: &str) -> Answer {
        let mut body = card(charge, number);
        body["amount_value"] = json!("0");
        body["payment_method"]["shopper"] = json!({ "id": SHOPPER });
        send(self.press(charge, key, &body)).await
    }

    /// The merchant pays a new charge of this amount with the card.
    async fn bill(&self, amount: &str, card: &str) -> Answer {
        let mut body = new_charge();
        body["amount_value"] = json!(amount);
        body["shopper_id"] = json!(SHOPPER);
        let charge = self.create(&body, None).await.body["id"].take();
        let path = format!("/v1/charges/{}/pay", charge.as_str().unwrap());
        let request = self.request(Method::POST, &path).bearer_auth(SECRET_KEY);
        let pays = json!({"payment_method_id": card, "initiated_by": "merchant", "reason": "recurring"});
        send(request.header("idempotency-key", "month-1").json(&pays)).await
    }
}

fn saved_id(view: &Value) -> &str {
    view["paid_with"]["payment_method_id"].as_str().unwrap()
}

#[tokio::test]
async fn a_free_trial_is_set_up_with_a_challenge_and_billed_a_month_later() {
    let world = World::with_vault().await;
    endpoint_for(&world, PARTNER_ID, "https://shop.example/webhooks", None).await;
    let trial = world.setup("off_session").await;
    let waiting = world.set_up(&trial, "press-1", CHALLENGE).await;
    let url = waiting.body["shopper_action"]["url"].as_str().unwrap();
    assert!(
        world.cards_of(SHOPPER).await.is_empty(),
        "not before the bank agrees"
    );
    let back = answer_challenge(url, "approve").await;
    world.http.get(back).send().await.unwrap();

    let view = world.view(&trial.id).await;
    assert_eq!(
        (&view["status"], &view["mode"], &view["amount_captured"]),
        (&json!("succeeded"), &json!("setup"), &json!("0.00"))
    );
    let cards = world.cards_of(SHOPPER).await;
    assert_eq!((cards.len(), id(&cards[0])), (1, saved_id(&view)));
    let events = world.request(Method::GET, &format!("/v1/events?charge_id={}", trial.id));
    let told = send(events.bearer_auth(SECRET_KEY)).await.body["items"].take();
    let of_kind = |kind: &str| {
        let events = told.as_array().unwrap();
        let event = events.iter().find(|event| event["type"] == kind);
        event.unwrap_or_else(|| panic!("{kind}: {told}"))["data"].clone()
    };
    assert_eq!(of_kind("charge.succeeded"), view, "the webhook names it, too");
    assert_eq!(of_kind("payment_method.saved")["id"], saved_id(&view));

    world.clock.advance_ms(MONTH_MS);
    // The bank wants the shopper for this card, so the shopper of this test has another one, too.
    let other = world.setup("off_session").await;
    assert_eq!(
        world.set_up(&other, "press-1", GOOD).await.status_code(),
        "succeeded"
    );
    let other = world.view(&other.id).await;
    let billed = world.bill("9.99", saved_id(&other)).await;
    assert_eq!(
        (billed.status, &billed.body["status"]),
        (200, &json!("succeeded")),
        "{billed:?}"
    );
    let ledger = world.provider.simulator.ledger.entries();
    let [first, second, month] = &ledger[..] else {
        panic!("{ledger:?}")
    };
    assert_eq!(
        (
            first.asked.amount_value.as_str(),
            second.asked.amount_value.as_str()
        ),
        ("0", "0")
    );
    assert_eq!(second.asked.setup_future_usage, Some(SaveCardUsage::OffSession));
    assert_eq!(month.asked.amount_value, "9.99");
    let merchant = month.asked.merchant_initiated.as_ref().unwrap();
    assert!(merchant.network_transaction_id.is_some());
    assert_eq!(
        merchant.network_transaction_id,
        second.asked.facts.network_transaction_id
    );
}

#[tokio::test]
async fn without_consent_a_set_up_card_is_not_billed() {
    let world = World::with_vault().await;
    let setup = world.setup("on_session").await;
    assert_eq!(
        world.set_up(&setup, "press-1", GOOD).await.status_code(),
        "succeeded"
    );
    let card = world.view(&setup.id).await;
    let refused = world.bill("9.99", saved_id(&card)).await;
    assert_eq!(
        (refused.status, refused.code()),
        (409, "payment_method_not_reusable")
    );
    assert_eq!(
        world.provider.simulator.ledger.entries().len(),
        1,
        "only the setup"
    );
}

#[tokio::test]
async fn a_declined_setup_saves_nothing_and_the_next_card_is_saved() {
    let world = World::with_vault().await;
    let setup = world.setup("on_session").await;
    let declined = world.set_up(&setup, "press-1", DECLINED).await;
    assert_eq!(declined.status, 402);
    assert!(world.cards_of(SHOPPER).await.is_empty());
    assert_eq!(
        world.set_up(&setup, "press-2", GOOD).await.status_code(),
        "succeeded"
    );
    let first = world.view(&setup.id).await;
    // The same number again keeps its id.
    let again = world.setup("off_session").await;
    assert_eq!(
        world.set_up(&again, "press-1", GOOD).await.status_code(),
        "succeeded"
    );
    let second = world.view(&again.id).await;
    assert_eq!(saved_id(&second), saved_id(&first));
    assert_eq!(world.cards_of(SHOPPER).await.len(), 1);
}

#[tokio::test]
async fn a_setup_whose_answer_is_lost_is_resolved_with_its_card() {
    let world = World::with_vault().await;
    for (link, status, cards) in [
        (LinkState::LosesPayments, "failed", 0),
        (LinkState::GarblesAnswers, "succeeded", 1),
    ] {
        let setup = world.setup("on_session").await;
        world.provider.set(link);
        let unknown = world.set_up(&setup, "press-1", GOOD).await;
        assert_eq!(unknown.status_code(), "outcome_unknown", "{unknown:?}");
        world.provider.set(LinkState::Works);
        world.clock.advance_ms(3_600_000);
        assert_eq!(reconcile(&world.service.app.charges).await.unwrap().resolved, 1);
        let view = world.view(&setup.id).await;
        assert_eq!(view["status"], status);
        let listed = world.cards_of(SHOPPER).await;
        assert_eq!(listed.len(), cards);
        if cards == 1 {
            assert_eq!(saved_id(&view), id(&listed[0]));
        }
    }
}

#[tokio::test]
async fn a_setup_is_for_a_shopper_and_takes_no_money() {
    let world = World::with_vault().await;
    for (name, value, status, code, field) in [
        (
            "amount_value",
            json!("12.50"),
            422,
            "invalid_amount",
            "amount_value",
        ),
        (
            "amount_value",
            json!("0.00"),
            422,
            "invalid_amount",
            "amount_value",
        ),
        (
            "amount_currency",
            json!("XXX"),
            422,
            "invalid_amount",
            "amount_currency",
        ),
        ("shopper_id", json!(null), 400, "invalid_request", "shopper_id"),
        ("shopper_id", json!(""), 400, "invalid_request", "shopper_id"),
        (
            "capture_method",
            json!("manual"),
            400,
            "invalid_request",
            "capture_method",
        ),
        (
            "enable_save_payment_method",
            json!(false),
            400,
            "invalid_request",
            "enable_save_payment_method",
        ),
        ("mode", json!("payment"), 422, "invalid_amount", "amount_value"),
        ("mode", json!(null), 422, "invalid_amount", "amount_value"),
        ("mode", json!("Setup"), 400, "invalid_request", "mode"),
    ] {
        let mut body = setup("on_session");
        body[name] = value.clone();
        let answer = world.create(&body, None).await;
        assert_eq!(
            (answer.status, answer.code(), answer.field()),
            (status, code, field),
            "{name} {value}"
        );
    }
    let without_vault = World::new().await;
    let answer = without_vault.create(&setup("on_session"), None).await;
    assert_eq!((answer.status, answer.field()), (400, "mode"));
}

#[tokio::test]
async fn nothing_is_paid_captured_or_refunded_with_a_setup() {
    let world = World::with_vault().await;
    let card = world.save_for(SaveCardUsage::OffSession).await;
    let taken = world.provider.outcomes().len();
    let setup = world.setup("off_session").await;
    let call = async |path: &str, body: Value| {
        let path = format!("/v1/charges/{}{path}", setup.id);
        let request = world.request(Method::POST, &path).bearer_auth(SECRET_KEY);
        let answer = send(request.header("idempotency-key", "k").json(&body)).await;
        (answer.status, answer.code().to_owned())
    };
    let pays = json!({"payment_method_id": card, "initiated_by": "merchant", "reason": "recurring"});
    assert_eq!(call("/pay", pays).await, (409, "charge_not_payable".to_owned()));
    let amount = json!({"amount_value": "1.00"});
    assert_eq!(call("", amount).await, (422, "invalid_amount".to_owned()));
    let mut body = saved(&setup, SHOPPER, &card, "123");
    body["amount_value"] = json!("0");
    let answer = send(world.press(&setup, "press-1", &body)).await;
    assert_eq!(answer.status, 403, "a saved card need not be saved");
    assert_eq!(answer.field(), "payment_method.id");
    assert_eq!(world.provider.outcomes().len(), taken);

    assert_eq!(
        world.set_up(&setup, "press-2", GOOD).await.status_code(),
        "succeeded"
    );
    for (path, body) in [("/capture", json!({})), ("/refunds", json!({}))] {
        let (status, code) = call(path, body).await;
        assert!([409, 422].contains(&status), "{path}: {status} {code}");
    }
    assert_eq!(world.view(&setup.id).await["amount_refunded"], "0.00");
    // A payment never becomes a setup.
    let payment = world.charge_of_shopper(SHOPPER).await;
    let path = format!("/v1/charges/{}", payment.id);
    let request = world.request(Method::POST, &path).bearer_auth(SECRET_KEY);
    let answer = send(request.json(&json!({"amount_value": "0"}))).await;
    assert_eq!((answer.status, answer.code()), (422, "invalid_amount"));
}
