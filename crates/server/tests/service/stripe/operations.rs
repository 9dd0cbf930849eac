//! Holds, captures, releases and refunds with `localstripe`, which checks no sums and forgets every idempotency key.

use std::time::Duration;

use protocol::{CaptureMethod, ChargeDescription, Hold, OperationKind, SecretSource, Sensitive};
use providers::stripe::StripeConnector;
use providers::stripe::api_key::ApiKey;
use providers::{
    Authentication, Billing, Connector, HOLD_ENDED, HoldLookup, OperationLookup, OperationOutcome,
    PaymentLookup, PaymentRef, Preparation, ProviderCard, ProviderCharge, ProviderOperation, ProviderOutcome,
};
use serde_json::{Value, json};
use vault::{Pan, SecurityCode};

use super::APPROVED;
use super::localstripe::{Localstripe, STRIPE_KEY};

const LONG: Duration = Duration::from_secs(30);

fn connector(stripe: &Localstripe) -> StripeConnector {
    let key = ApiKey::read(&SecretSource::Setting(Sensitive::new(STRIPE_KEY.into()))).unwrap();
    StripeConnector::new(&stripe.url.parse().unwrap(), &key, None).unwrap()
}

/// Pays 12.50 USD. Returns the payment's id.
async fn pay(connector: &StripeConnector, capture: CaptureMethod) -> String {
    let charge = ProviderCharge {
        attempt_id: "att_1".into(),
        idempotency_key: "stripe_pay_1".into(),
        charge_id: "ch_1".into(),
        amount_value: "12.50".into(),
        amount_currency: "USD".into(),
        description: ChargeDescription::default(),
        capture,
        // localstripe does not know it, so it is left out.
        statement_descriptor: Some("GEMS".into()),
        billing: Billing {
            zip_code: Some("94107".into()),
            email: Some("sam@example.com".into()),
            country: Some("US".into()),
        },
        card: ProviderCard {
            number: Pan::parse(APPROVED).unwrap(),
            security_code: Some(SecurityCode::parse("123").unwrap()),
            expiration_month: 12,
            expiration_year: 2030,
            holder_name: "Ana".into(),
            network: None,
        },
        authentication: Authentication::default(),
        merchant: None,
        saved_for: None,
        keep_for: None,
        shopper_id: String::new(),
    };
    let Preparation::Ready(prepared) = connector.prepare(&charge, LONG).await else {
        panic!("not prepared");
    };
    let id = prepared.reference.unwrap();
    let outcome = connector.charge(&charge, Some(&id), LONG).await;
    let hold = (capture == CaptureMethod::Manual).then(Hold::default);
    assert!(
        matches!(&outcome, ProviderOutcome::Approved(approval) if approval.hold == hold),
        "{outcome:?}"
    );
    let known = connector.lookup(payment(&id), LONG).await;
    assert_eq!(known, PaymentLookup::Known(outcome));
    id
}

fn payment(id: &str) -> PaymentRef<'_> {
    PaymentRef {
        attempt_id: "att_1",
        charge_id: "ch_1",
        idempotency_key: "stripe_pay_1",
        reference: Some(id),
    }
}

fn operation<'a>(
    kind: OperationKind,
    payment_id: &'a str,
    id: &'a str,
    amount_value: &'a str,
) -> ProviderOperation<'a> {
    ProviderOperation {
        kind,
        id,
        payment: payment(payment_id),
        idempotency_key: id,
        amount_value,
        amount_currency: "USD",
        reference: None,
        reason: Some("The gems were broken."),
    }
}

#[tokio::test]
async fn a_hold_at_localstripe_is_captured_once_and_refunded() {
    let stripe = Localstripe::start();
    let connector = connector(&stripe);
    let id = pay(&connector, CaptureMethod::Manual).await;
    let card = stripe.payments().await[0]["payment_method"].clone();
    let card = stripe
        .get(&format!("/v1/payment_methods/{}", card.as_str().unwrap()))
        .await;
    assert_eq!(
        card["billing_details"],
        json!({
            "name": "Ana", "email": "sam@example.com", "address": {"postal_code": "94107", "country": "US"},
        })
    );
    let hold = connector.lookup_hold(payment(&id), LONG).await;
    assert_eq!(hold, HoldLookup::Held(Hold::default()));

    let capture = operation(OperationKind::Capture, &id, "op_1", "12.50");
    let found = connector.lookup_operation(capture, LONG).await;
    assert_eq!(found, OperationLookup::NeverReceived);
    let done = OperationOutcome::Succeeded(Some(id.clone()));
    // The second one is refused there, and the payment tells the outcome.
    for _ in 0..2 {
        assert_eq!(connector.operate(capture, LONG).await, done);
    }
    let found = connector.lookup_operation(capture, LONG).await;
    assert_eq!(found, OperationLookup::Known(done));
    let hold = connector.lookup_hold(payment(&id), LONG).await;
    assert_eq!(hold, HoldLookup::Captured("12.50".into()));
    let late = operation(OperationKind::Release, &id, "op_2", "12.50");
    let late = connector.operate(late, LONG).await;
    assert_eq!(late, OperationOutcome::failed("already_captured"));

    let refund = operation(OperationKind::Refund, &id, "re_1", "2.50");
    let found = connector.lookup_operation(refund, LONG).await;
    assert_eq!(found, OperationLookup::NeverReceived);
    let outcome = connector.operate(refund, LONG).await;
    let OperationOutcome::Succeeded(Some(reference)) = &outcome else {
        panic!("{outcome:?}");
    };
    for reference in [None, Some(reference.as_str())] {
        let found = ProviderOperation { reference, ..refund };
        let found = connector.lookup_operation(found, LONG).await;
        assert_eq!(found, OperationLookup::Known(outcome.clone()));
    }
    let listed = stripe.get("/v1/refunds?limit=100").await;
    assert_eq!(listed["data"].as_array().map(Vec::len), Some(1), "{listed}");
    assert_eq!(listed["data"][0]["amount"], 250);
    assert_eq!(listed["data"][0].get("reason"), None::<&Value>);
}

#[tokio::test]
async fn a_released_hold_at_localstripe_cannot_be_captured() {
    let stripe = Localstripe::start();
    let connector = connector(&stripe);
    let id = pay(&connector, CaptureMethod::Manual).await;
    let release = operation(OperationKind::Release, &id, "op_1", "12.50");
    let found = connector.lookup_operation(release, LONG).await;
    assert_eq!(found, OperationLookup::NeverReceived);
    let done = OperationOutcome::Succeeded(Some(id.clone()));
    assert_eq!(connector.operate(release, LONG).await, done);
    let found = connector.lookup_operation(release, LONG).await;
    assert_eq!(found, OperationLookup::Known(done));
    assert_eq!(connector.lookup_hold(payment(&id), LONG).await, HoldLookup::Ended);
    let capture = operation(OperationKind::Capture, &id, "op_2", "12.50");
    // localstripe captures even a canceled payment, and then shows it as canceled.
    let late = connector.operate(capture, LONG).await;
    assert_eq!(late, OperationOutcome::failed(HOLD_ENDED));
    assert_eq!(stripe.statuses().await, ["canceled"]);
}

#[tokio::test]
async fn money_that_localstripe_took_at_once_is_refunded() {
    let stripe = Localstripe::start();
    let connector = connector(&stripe);
    let id = pay(&connector, CaptureMethod::Automatic).await;
    let refund = operation(OperationKind::Refund, &id, "re_1", "12.50");
    let outcome = connector.operate(refund, LONG).await;
    assert!(
        matches!(outcome, OperationOutcome::Succeeded(Some(_))),
        "{outcome:?}"
    );
}
