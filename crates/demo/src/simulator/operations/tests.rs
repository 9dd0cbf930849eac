//! The simulator's operations, as its connector sees them over HTTP.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use protocol::clock::Clock;
use protocol::{Approval, CaptureMethod, ChargeDescription, Hold, PaymentFacts};
use providers::simulator::SimulatorConnector;
use providers::{
    Authentication, Billing, Connector, HoldLookup, OperationLookup, OperationOutcome, PaymentLookup,
    PaymentRef, ProviderCard, ProviderCharge, ProviderOperation, ProviderOutcome,
};
use reqwest::Url;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use vault::{Pan, SecurityCode};
use web::{Listening, TimeLimits, bind};

use super::super::{Simulator, router};
use super::*;

const GOOD: &str = "4242424242424242";
const LONG: Duration = Duration::from_secs(60);
const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;

/// A running simulator and its connector.
struct Trial {
    url: String,
    connector: SimulatorConnector,
    clock: Clock,
    _listening: Listening,
}

impl Trial {
    async fn start(data: Option<&Path>) -> Self {
        let clock = Clock::fixed("2026-01-02T03:04:05Z".parse().unwrap());
        let listener = bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let simulator = Simulator::open(data, Duration::ZERO, clock.clone(), url.clone()).unwrap();
        let address: Url = url.parse().unwrap();
        Self {
            connector: SimulatorConnector::new(&address, &address).unwrap(),
            url,
            clock,
            _listening: Listening::serve(listener, None, router(Arc::new(simulator)), TimeLimits::default()),
        }
    }

    async fn charge(
        &self,
        key: &str,
        amount: &str,
        currency: &str,
        capture: CaptureMethod,
    ) -> ProviderOutcome {
        self.charge_card(key, amount, currency, capture, GOOD, None).await
    }

    async fn charge_card(
        &self,
        key: &str,
        amount: &str,
        currency: &str,
        capture: CaptureMethod,
        number: &str,
        zip_code: Option<&str>,
    ) -> ProviderOutcome {
        let charge = ProviderCharge {
            attempt_id: "att_1".into(),
            idempotency_key: key.into(),
            charge_id: "ch_1".into(),
            amount_value: amount.into(),
            amount_currency: currency.into(),
            description: ChargeDescription::default(),
            capture,
            statement_descriptor: Some("GEMS".into()),
            billing: Billing {
                zip_code: zip_code.map(str::to_owned),
                ..Billing::default()
            },
            card: ProviderCard {
                number: Pan::parse(number).unwrap(),
                security_code: Some(SecurityCode::parse("123").unwrap()),
                expiration_month: 12,
                expiration_year: 2030,
                holder_name: String::new(),
                network: None,
            },
            authentication: Authentication::default(),
            merchant: None,
            saved_for: None,
            keep_for: None,
            shopper_id: String::new(),
        };
        self.connector.charge(&charge, None, LONG).await
    }

    /// The payment `pay_1` of 12.50 USD.
    async fn paid(&self, capture: CaptureMethod) -> ProviderOutcome {
        self.charge("pay_1", "12.50", "USD", capture).await
    }

    async fn operate(&self, kind: OperationKind, key: &str, amount: &str) -> OperationOutcome {
        self.connector.operate(operation(kind, key, amount), LONG).await
    }

    async fn refund(&self, key: &str, amount: &str) -> OperationOutcome {
        self.operate(OperationKind::Refund, key, amount).await
    }

    async fn capture(&self, key: &str, amount: &str) -> OperationOutcome {
        self.operate(OperationKind::Capture, key, amount).await
    }

    async fn release(&self, key: &str) -> OperationOutcome {
        self.operate(OperationKind::Release, key, "12.50").await
    }

    async fn found(&self, key: &str) -> OperationLookup {
        let looked_up = operation(OperationKind::Refund, key, "0.01");
        self.connector.lookup_operation(looked_up, LONG).await
    }

    async fn hold(&self) -> HoldLookup {
        self.connector.lookup_hold(payment(), LONG).await
    }

    async fn get(&self, path: &str) -> Value {
        let answer = reqwest::Client::builder().no_proxy().build().unwrap();
        let answer = answer.get(format!("{}{path}", self.url)).send().await.unwrap();
        serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap()
    }

    /// What the ledger says of its only payment.
    async fn sums(&self) -> (String, String) {
        let ledger = self.get("/ledger").await;
        assert_eq!(ledger.as_array().map(Vec::len), Some(1), "{ledger}");
        let text = |name: &str| ledger[0][name].as_str().unwrap().to_owned();
        (text("amount_captured"), text("amount_refunded"))
    }
}

fn payment() -> PaymentRef<'static> {
    PaymentRef {
        attempt_id: "att_1",
        charge_id: "ch_1",
        idempotency_key: "pay_1",
        reference: None,
    }
}

fn operation<'a>(kind: OperationKind, key: &'a str, amount_value: &'a str) -> ProviderOperation<'a> {
    ProviderOperation {
        kind,
        id: "re_1",
        payment: payment(),
        idempotency_key: key,
        amount_value,
        amount_currency: "USD",
        reference: None,
        reason: Some("broken"),
    }
}

fn succeeded(key: &str) -> OperationOutcome {
    OperationOutcome::Succeeded(Some(format!("sim_{key}")))
}

fn failed(key: &str, code: &str) -> OperationOutcome {
    OperationOutcome::Failed {
        code: code.to_owned(),
        reference: Some(format!("sim_{key}")),
    }
}

fn approval(outcome: ProviderOutcome) -> Approval {
    match outcome {
        ProviderOutcome::Approved(approval) => approval,
        other => panic!("{other:?}"),
    }
}

fn text(sums: (&str, &str)) -> (String, String) {
    (sums.0.to_owned(), sums.1.to_owned())
}

#[tokio::test]
async fn a_hold_is_captured_once_and_only_then_refunded() {
    let trial = Trial::start(None).await;
    let ends_at = Some(trial.clock.now_ms() + 7 * DAY_MS);
    let held = approval(trial.paid(CaptureMethod::Manual).await);
    assert_eq!(held.hold, Some(Hold { ends_at }));
    assert_eq!(trial.hold().await, HoldLookup::Held(Hold { ends_at }));
    assert_eq!(trial.sums().await, text(("0.00", "0.00")));

    assert_eq!(trial.refund("a", "1").await, failed("a", NOT_CAPTURED));
    assert_eq!(trial.capture("b", "12.51").await, failed("b", AMOUNT_TOO_LARGE));
    assert_eq!(trial.capture("c", "10").await, succeeded("c"));
    assert_eq!(trial.capture("d", "2.50").await, failed("d", ALREADY_CAPTURED));
    assert_eq!(trial.release("e").await, failed("e", ALREADY_CAPTURED));
    assert_eq!(trial.hold().await, HoldLookup::Captured("10.00".into()));

    assert_eq!(trial.refund("f", "10.01").await, failed("f", AMOUNT_TOO_LARGE));
    assert_eq!(trial.refund("g", "2.5").await, succeeded("g"));
    assert_eq!(trial.refund("h", "7.51").await, failed("h", AMOUNT_TOO_LARGE));
    assert_eq!(trial.refund("i", "7.50").await, succeeded("i"));
    assert_eq!(trial.sums().await, text(("10.00", "10.00")));
    // The payment itself is looked up as it was made.
    let looked_up = trial.connector.lookup(payment(), LONG).await;
    assert_eq!(looked_up, PaymentLookup::Known(ProviderOutcome::Approved(held)));
}

#[tokio::test]
async fn a_hold_ends_after_seven_days_or_when_it_is_released() {
    let trial = Trial::start(None).await;
    trial.paid(CaptureMethod::Manual).await;
    trial.clock.advance_ms(7 * DAY_MS - 1);
    assert!(matches!(trial.hold().await, HoldLookup::Held(_)));
    trial.clock.advance_ms(1);
    assert_eq!(trial.hold().await, HoldLookup::Ended);
    assert_eq!(trial.capture("a", "12.50").await, failed("a", HOLD_ENDED));
    assert_eq!(trial.release("b").await, failed("b", HOLD_ENDED));

    let trial = Trial::start(None).await;
    trial.paid(CaptureMethod::Manual).await;
    assert_eq!(trial.release("a").await, succeeded("a"));
    assert_eq!(trial.hold().await, HoldLookup::Ended);
    assert_eq!(trial.capture("b", "12.50").await, failed("b", HOLD_ENDED));
    assert_eq!(trial.refund("c", "1").await, failed("c", NOT_CAPTURED));
    assert_eq!(trial.sums().await, text(("0.00", "0.00")));
}

#[tokio::test]
async fn captured_money_stays_captured_after_the_time_of_its_hold() {
    let trial = Trial::start(None).await;
    trial.paid(CaptureMethod::Manual).await;
    trial.capture("a", "12.50").await;
    trial.clock.advance_ms(30 * DAY_MS);
    assert_eq!(trial.hold().await, HoldLookup::Captured("12.50".into()));
    assert_eq!(trial.refund("b", "12.50").await, succeeded("b"));
}

#[tokio::test]
async fn money_taken_at_once_is_refunded_but_never_captured_or_released() {
    let trial = Trial::start(None).await;
    assert_eq!(approval(trial.paid(CaptureMethod::Automatic).await).hold, None);
    assert_eq!(trial.hold().await, HoldLookup::Captured("12.50".into()));
    assert_eq!(trial.capture("a", "12.50").await, failed("a", NOT_HELD));
    assert_eq!(trial.release("b").await, failed("b", NOT_HELD));
    assert_eq!(trial.refund("c", "12.50").await, succeeded("c"));
    assert_eq!(trial.refund("d", "0.01").await, failed("d", AMOUNT_TOO_LARGE));
}

#[tokio::test]
async fn the_same_key_moves_money_once_also_after_a_kill() {
    let data = tempfile::tempdir().unwrap();
    {
        let trial = Trial::start(Some(data.path())).await;
        trial.paid(CaptureMethod::Automatic).await;
        for _ in 0..2 {
            assert_eq!(trial.refund("a", "10").await, succeeded("a"));
            assert_eq!(trial.refund("b", "10").await, failed("b", AMOUNT_TOO_LARGE));
        }
    }
    // The process was killed while it wrote another entry.
    let file = data.path().join(OPERATIONS_FILE);
    let mut journal = std::fs::read_to_string(&file).unwrap();
    assert_eq!(journal.lines().count(), 2);
    journal.push_str("{\"idempotency_key\":\"c\",");
    std::fs::write(&file, journal).unwrap();

    let trial = Trial::start(Some(data.path())).await;
    assert_eq!(trial.found("a").await, OperationLookup::Known(succeeded("a")));
    assert_eq!(trial.found("c").await, OperationLookup::NeverReceived);
    assert_eq!(trial.refund("a", "10").await, succeeded("a"));
    assert_eq!(trial.refund("c", "2.51").await, failed("c", AMOUNT_TOO_LARGE));
    assert_eq!(trial.refund("d", "2.50").await, succeeded("d"));
    assert_eq!(trial.sums().await, text(("12.50", "12.50")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_refunds_at_once_never_give_back_more_than_was_taken() {
    let trial = Arc::new(Trial::start(None).await);
    trial.paid(CaptureMethod::Automatic).await;
    let mut refunds = JoinSet::new();
    for number in 0..50 {
        let trial = Arc::clone(&trial);
        refunds.spawn(async move { trial.refund(&format!("key_{number}"), "0.40").await });
    }
    let outcomes = refunds.join_all().await;
    let count = outcomes
        .iter()
        .filter(|outcome| matches!(outcome, OperationOutcome::Succeeded(_)));
    assert_eq!(count.count(), 31, "{outcomes:?}");
    assert_eq!(trial.sums().await, text(("12.50", "12.40")));
    let operations = trial.get("/operations").await;
    assert_eq!(operations.as_array().map(Vec::len), Some(50));
}

#[tokio::test]
async fn a_pending_refund_succeeds_after_an_hour() {
    let trial = Trial::start(None).await;
    trial.paid(CaptureMethod::Automatic).await;
    let pending = OperationOutcome::Pending(Some("sim_a".into()));
    assert_eq!(trial.refund("a", "1.77").await, pending);
    assert_eq!(trial.sums().await.1, "1.77");
    trial.clock.advance_ms(HOUR_MS - 1);
    assert_eq!(trial.found("a").await, OperationLookup::Known(pending));
    trial.clock.advance_ms(1);
    assert_eq!(trial.found("a").await, OperationLookup::Known(succeeded("a")));
}

#[tokio::test]
async fn money_of_a_failed_refund_can_be_refunded_again() {
    let trial = Trial::start(None).await;
    trial
        .charge("pay_1", "1.78", "USD", CaptureMethod::Automatic)
        .await;
    assert_eq!(trial.refund("a", "1.78").await, succeeded("a"));
    trial.clock.advance_ms(3 * DAY_MS - 1);
    assert_eq!(trial.refund("b", "1.70").await, failed("b", AMOUNT_TOO_LARGE));
    trial.clock.advance_ms(1);
    let late = failed("a", "expired_or_canceled_card");
    assert_eq!(trial.found("a").await, OperationLookup::Known(late));
    assert_eq!(trial.sums().await, text(("1.78", "0.00")));
    assert_eq!(trial.refund("c", "0.79").await, failed("c", "insufficient_funds"));
    assert_eq!(trial.refund("d", "1.70").await, succeeded("d"));
    assert_eq!(trial.refund("e", "0.08").await, succeeded("e"));
}

#[tokio::test]
async fn sums_are_exact_in_currencys_minor_units() {
    for (currency, paid, first, rest, too_much) in [
        ("JPY", "500", "499", "1", "2"),
        ("USD", "0.30", "0.1", "0.20", "0.21"),
        ("KWD", "1.234", "0.001", "1.233", "1.234"),
    ] {
        let trial = Trial::start(None).await;
        trial
            .charge("pay_1", paid, currency, CaptureMethod::Automatic)
            .await;
        let of = |key, amount| ProviderOperation {
            amount_currency: currency,
            ..operation(OperationKind::Refund, key, amount)
        };
        let refund = |key, amount| trial.connector.operate(of(key, amount), LONG);
        assert_eq!(refund("a", first).await, succeeded("a"));
        assert_eq!(refund("b", too_much).await, failed("b", AMOUNT_TOO_LARGE));
        assert_eq!(refund("c", rest).await, succeeded("c"));
        assert_eq!(trial.sums().await, text((paid, paid)));
    }
}

#[tokio::test]
async fn an_unusable_operation_is_not_recorded() {
    let trial = Trial::start(None).await;
    let unknown = trial.refund("a", "1").await;
    assert_eq!(unknown, OperationOutcome::failed("payment_not_found"));
    trial.paid(CaptureMethod::Automatic).await;
    for amount in ["0", "1.005", "-1", ""] {
        let refused = trial.refund("a", amount).await;
        assert_eq!(refused, OperationOutcome::failed("invalid_request"), "{amount}");
    }
    let euros = ProviderOperation {
        amount_currency: "EUR",
        ..operation(OperationKind::Refund, "a", "1")
    };
    let refused = trial.connector.operate(euros, LONG).await;
    assert_eq!(refused, OperationOutcome::failed("invalid_request"));
    assert_eq!(trial.found("a").await, OperationLookup::NeverReceived);

    // The key of a refund cannot capture.
    trial.refund("a", "1").await;
    let other = trial.capture("a", "1").await;
    assert_eq!(other, OperationOutcome::failed("invalid_request"));
    let listed = trial.get("/operations").await;
    assert_eq!(
        listed,
        json!([{
            "reference": "sim_a", "idempotency_key": "a", "id": "re_1", "kind": "refund", "payment_key": "pay_1",
            "charge_id": "ch_1", "amount_value": "1", "amount_currency": "USD", "reason": "broken",
            "status": "succeeded", "failure_code": null, "at": "2026-01-02T03:04:05Z",
        }])
    );
}

#[tokio::test]
async fn an_approved_card_has_facts_and_a_declined_one_a_network_code() {
    let trial = Trial::start(None).await;
    let facts = async |key: &str, number: &str, zip_code: Option<&str>| {
        let pay = trial.charge_card(key, "1", "USD", CaptureMethod::Automatic, number, zip_code);
        approval(pay.await).facts
    };
    let debit = facts("a", "4000056655665556", Some("94107")).await;
    let id = debit.network_transaction_id.clone();
    assert_eq!(id.as_deref().map(str::len), Some(15));
    let expected = PaymentFacts {
        funding: Some("debit".into()),
        country: Some("US".into()),
        network: Some("visa".into()),
        network_transaction_id: id.clone(),
        security_code_check: Some("pass".into()),
        postal_code_check: Some("pass".into()),
        ..PaymentFacts::default()
    };
    assert_eq!(*debit, expected);
    assert_eq!(*facts("a", "4000056655665556", Some("94107")).await, expected);
    let checked = facts("b", GOOD, None).await.postal_code_check;
    assert_eq!(checked.as_deref(), Some("unchecked"));
    let wrong = facts("c", "4000000000000036", Some("94107")).await;
    assert_eq!(wrong.postal_code_check.as_deref(), Some("fail"));
    assert_ne!(wrong.network_transaction_id, id);
    let frictionless = facts("d", "4000000000003055", None).await;
    assert_eq!(frictionless.three_ds_outcome.as_deref(), Some("authenticated"));
    assert_eq!(frictionless.three_ds_flow.as_deref(), Some("frictionless"));
    for (number, network_code) in [("4000000000009995", Some("51")), ("4000000000000002", None)] {
        let pay = trial.charge_card(number, "1", "USD", CaptureMethod::Manual, number, None);
        let ProviderOutcome::Declined(reason) = pay.await else {
            panic!("{number}");
        };
        assert_eq!(reason.network_code.as_deref(), network_code);
    }
}

#[tokio::test]
async fn a_challenge_leads_to_a_hold() {
    let trial = Trial::start(None).await;
    let pay = trial.charge_card(
        "pay_1",
        "1",
        "USD",
        CaptureMethod::Manual,
        "4000000000003220",
        None,
    );
    let ProviderOutcome::ActionRequired(protocol::ShopperAction::Challenge { url, .. }) = pay.await else {
        panic!("no challenge");
    };
    assert_eq!(trial.hold().await, HoldLookup::Unreachable);
    let http = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .unwrap();
    let answered = http.post(url).body("answer=approve").send().await;
    assert!(answered.unwrap().status().as_u16() < 500);
    let PaymentLookup::Known(outcome) = trial.connector.lookup(payment(), LONG).await else {
        panic!("not known");
    };
    let held = approval(outcome);
    assert!(held.hold.is_some());
    assert_eq!(held.facts.three_ds_flow.as_deref(), Some("challenge"));
    let listed = trial.connector.payments_since(0, LONG).await.unwrap();
    assert_eq!(listed[0].outcome, Some(protocol::AttemptOutcome::Succeeded(held)));
}
