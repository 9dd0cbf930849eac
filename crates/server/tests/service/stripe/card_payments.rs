//! Charges with `localstripe` in place of Stripe: paid, declined, challenged, canceled.

use payments::charges::reconciler::{Round, reconcile};
use protocol::CreatedCharge;
use reqwest::Method;
use serde_json::{Value, json};

use super::localstripe::Localstripe;
use super::{APPROVED, DECLINED, RETURN_PAUSE_MS, declined, world};
use crate::challenges::{CHALLENGE, CHALLENGE_THEN_DECLINED, challenged};
use crate::world::{World, send};

async fn come_back(world: &World, charge: &CreatedCharge) {
    let path = format!("/v1/pub/charges/{}/return", charge.id);
    assert_eq!(send(world.request(Method::GET, &path)).await.status, 200);
}

#[tokio::test]
async fn an_approved_card_is_one_payment_with_amount_and_charge() {
    let stripe = Localstripe::start();
    let world = world(&stripe.url).await;
    let charge = world.charge().await;
    let answer = world.pay(&charge, "press-1", APPROVED).await;
    assert_eq!(
        (answer.status, answer.status_code()),
        (201, "succeeded"),
        "{answer:?}"
    );
    assert_eq!(
        world.pay(&charge, "press-2", APPROVED).await.status_code(),
        "succeeded"
    );
    let payments = stripe.payments().await;
    assert_eq!(payments.len(), 1);
    let payment = &payments[0];
    assert_eq!(
        (&payment["status"], &payment["amount"], &payment["currency"]),
        (&json!("succeeded"), &json!(1250), &json!("usd"))
    );
    assert_eq!(payment["metadata"]["cardform_charge"], charge.id);
    assert_eq!(payment["customer"], Value::Null);
    // The simulator gets no payment.
    assert_eq!(world.provider.asked(), 0);
}

#[tokio::test]
async fn a_declined_card_leaves_the_charge_payable() {
    let stripe = Localstripe::start();
    let world = world(&stripe.url).await;
    let charge = world.charge().await;
    let answer = world.pay(&charge, "press-1", DECLINED).await;
    assert_eq!(declined(&answer), (402, "generic_decline"));
    assert_eq!(world.view(&charge.id).await["status"], "failed");
    assert_eq!(
        world.pay(&charge, "press-2", APPROVED).await.status_code(),
        "succeeded"
    );
    assert_eq!(stripe.statuses().await, ["requires_payment_method", "succeeded"]);
}

#[tokio::test]
async fn a_card_that_stripe_rejects_leaves_the_charge_payable() {
    let stripe = Localstripe::start();
    let world = world(&stripe.url).await;
    let charge = world.charge().await;
    // localstripe knows no number of fifteen digits, and refuses the request itself.
    let answer = world.pay(&charge, "press-1", "378282246310005").await;
    assert_eq!(declined(&answer), (402, "processing_error"));
    assert!(stripe.payments().await.is_empty());
    assert_eq!(
        world.pay(&charge, "press-2", APPROVED).await.status_code(),
        "succeeded"
    );
}

#[tokio::test]
async fn a_passed_challenge_pays_and_a_failed_one_does_not() {
    let stripe = Localstripe::start();
    let world = world(&stripe.url).await;
    for (number, passes, expected) in [
        (CHALLENGE, true, None),
        (CHALLENGE, false, Some("authentication_failed")),
        (CHALLENGE_THEN_DECLINED, true, Some("generic_decline")),
    ] {
        let charge = challenged(&world, number).await.0;
        let action = world.shopper_view(&charge).await["shopper_action"].take();
        assert_eq!(
            (&action["type"], &action["width"], &action["height"]),
            (&json!("challenge"), &json!(390), &json!(400))
        );
        // The challenge has no page, as for merchants who load Stripe's script.
        assert_eq!(
            action["url"],
            world.url(&format!("/v1/pub/charges/{}/return?locale=en", charge.id))
        );
        come_back(&world, &charge).await;
        assert_eq!(
            world.shopper_view(&charge).await["status"],
            "waiting_for_shopper_action"
        );
        let payments = stripe.payments().await;
        let waits = payments
            .iter()
            .find(|payment| payment["status"] == "requires_action");
        stripe.authenticate(waits.unwrap(), passes).await;
        // A return soon after another one does not ask the provider again.
        world.clock.advance_ms(RETURN_PAUSE_MS);
        come_back(&world, &charge).await;
        let seen = world.shopper_view(&charge).await;
        match expected {
            None => assert_eq!(seen["status"], "succeeded"),
            Some(code) => {
                assert_eq!(
                    (&seen["status"], &seen["decline_code"]),
                    (&json!("failed"), &json!(code))
                );
                let again = world.pay(&charge, "press-2", APPROVED).await;
                assert_eq!(again.status_code(), "succeeded");
            }
        }
    }
    let paid = stripe.statuses().await;
    assert_eq!(paid.iter().filter(|status| *status == "succeeded").count(), 3);
}

#[tokio::test]
async fn a_canceled_or_late_challenge_is_canceled_at_stripe_too() {
    let stripe = Localstripe::start();
    let world = world(&stripe.url).await;
    let charge = challenged(&world, CHALLENGE).await.0;
    let path = format!("/v1/pub/charges/{}/cancel-shopper-action", charge.id);
    let cancel = world.request(Method::POST, &path);
    let answer = send(cancel.bearer_auth(&charge.client_secret)).await;
    assert_eq!(
        answer.body["decline_code"], "authentication_canceled",
        "{answer:?}"
    );

    let late = challenged(&world, CHALLENGE).await.0;
    world.clock.advance_ms(600_000);
    assert_eq!(
        reconcile(&world.service.app.charges).await.unwrap(),
        Round { resolved: 1, open: 0 }
    );
    assert_eq!(
        world.shopper_view(&late).await["decline_code"],
        "authentication_timed_out"
    );

    assert_eq!(stripe.statuses().await, ["canceled", "canceled"]);
    let metrics = world.request(Method::GET, "/metrics").send().await.unwrap();
    let metrics = metrics.text().await.unwrap();
    for count in [
        "cardform_provider_seconds_count{call=\"prepare\"} 2",
        "cardform_provider_seconds_count{call=\"give_up\"} 2",
    ] {
        assert!(metrics.contains(count), "{count} is missing in\n{metrics}");
    }
    for payment in stripe.payments().await {
        assert_eq!(
            stripe.authenticate(&payment, true).await,
            400,
            "no shopper can pass it any more"
        );
    }
    assert_eq!(
        world.pay(&charge, "press-2", APPROVED).await.status_code(),
        "succeeded"
    );
}

#[tokio::test]
async fn a_challenge_passed_before_its_cancellation_pays() {
    let stripe = Localstripe::start();
    let world = world(&stripe.url).await;
    let charge = challenged(&world, CHALLENGE).await.0;
    stripe.authenticate(&stripe.payments().await[0], true).await;
    let path = format!("/v1/pub/charges/{}/cancel-shopper-action", charge.id);
    let cancel = world.request(Method::POST, &path);
    let answer = send(cancel.bearer_auth(&charge.client_secret)).await;
    assert_eq!(answer.body["status"], "succeeded", "{answer:?}");
}
