//! A process dies during a payment with Stripe, at each important point: the shopper has paid once or not at all.

use std::time::Duration;

use payments::charges::reconciler::{Round, reconcile};
use protocol::CreatedCharge;
use providers::{
    GiveUpReason, PaymentLookup, PaymentRef, Preparation, PreparedPayment, ProviderCharge, ProviderOutcome,
};

use super::localstripe::Localstripe;
use super::{APPROVED, world};
use crate::dead_process::{LEASE_MS, leave_attempt, payment_of};
use crate::provider::simulator_at;
use crate::world::World;

const TIMEOUT_AND_GRACE_MS: i64 = 45_000;
const CALL: Duration = Duration::from_secs(10);

/// The step of a payment before which a process died.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum DeathPoint {
    Noting,
    Confirming,
    Recording,
}

/// The traces of the killed process: an attempt, its requests to Stripe, and the payment at Stripe.
async fn die_while_paying(
    world: &World,
    charge: &CreatedCharge,
    died: DeathPoint,
) -> (ProviderCharge, String) {
    let app = &world.service.app;
    let attempt = leave_attempt(world, charge).await;
    let payment = payment_of(&attempt, APPROVED);
    let Preparation::Ready(PreparedPayment {
        reference: Some(reference),
        kept: None,
    }) = app.charges.provider.prepare(&payment, CALL).await
    else {
        panic!("not prepared");
    };
    if died >= DeathPoint::Confirming {
        assert!(
            app.store
                .record_payment(&attempt.id, &reference, None)
                .await
                .unwrap()
        );
    }
    if died >= DeathPoint::Recording {
        let outcome = app
            .charges
            .provider
            .charge(&payment, Some(&reference), CALL)
            .await;
        assert_eq!(outcome, ProviderOutcome::Approved(reference.as_str().into()));
    }
    (payment, reference)
}

#[tokio::test]
async fn a_payment_with_a_lost_answer_is_found() {
    let stripe = Localstripe::start();
    let world = world(&stripe.url).await;
    let charge = world.charge().await;
    die_while_paying(&world, &charge, DeathPoint::Recording).await;
    world.clock.advance_ms(LEASE_MS);
    assert_eq!(
        reconcile(&world.service.app.charges).await.unwrap(),
        Round { resolved: 1, open: 0 }
    );
    assert_eq!(
        world.pay(&charge, "press-2", APPROVED).await.status_code(),
        "succeeded"
    );
    assert_eq!(stripe.statuses().await, ["succeeded"]);
}

#[tokio::test]
async fn an_unconfirmed_payment_is_canceled_and_stays_unpaid() {
    let stripe = Localstripe::start();
    let world = world(&stripe.url).await;
    let charge = world.charge().await;
    let (payment, reference) = die_while_paying(&world, &charge, DeathPoint::Confirming).await;
    world.clock.advance_ms(LEASE_MS);
    // The outcome is known at once, without a grace time.
    assert_eq!(
        reconcile(&world.service.app.charges).await.unwrap(),
        Round { resolved: 1, open: 0 }
    );
    assert_eq!(world.view(&charge.id).await["decline_code"], "processing_error");
    assert_eq!(
        world.pay(&charge, "press-2", APPROVED).await.status_code(),
        "succeeded"
    );
    let late = world
        .service
        .app
        .charges
        .provider
        .charge(&payment, Some(&reference), CALL)
        .await;
    assert!(matches!(late, ProviderOutcome::Declined(_)), "{late:?}");
    assert_eq!(stripe.statuses().await, ["canceled", "succeeded"]);
}

#[tokio::test]
async fn a_payment_without_a_recorded_id_is_never_made() {
    let stripe = Localstripe::start();
    let world = world(&stripe.url).await;
    let charge = world.charge().await;
    let (payment, reference) = die_while_paying(&world, &charge, DeathPoint::Noting).await;
    let key = payment.idempotency_key.clone();
    world.clock.advance_ms(LEASE_MS);
    assert_eq!(
        reconcile(&world.service.app.charges).await.unwrap(),
        Round { resolved: 0, open: 1 }
    );
    assert_eq!(world.view(&charge.id).await["status"], "outcome_unknown");
    world.clock.advance_ms(TIMEOUT_AND_GRACE_MS - LEASE_MS);
    assert_eq!(
        reconcile(&world.service.app.charges).await.unwrap(),
        Round { resolved: 1, open: 0 }
    );
    assert_eq!(world.view(&charge.id).await["decline_code"], "processing_error");
    let attempt = format!("att_{}", charge.id);
    let noted = world
        .service
        .app
        .store
        .record_payment(&attempt, &reference, None)
        .await;
    assert!(!noted.unwrap(), "who may not note does not confirm");
    let lookup = PaymentRef {
        attempt_id: &attempt,
        charge_id: &charge.id,
        idempotency_key: &key,
        reference: Some(&reference),
    };
    world.service.app.charges.provider.lookup(lookup, CALL).await;
    assert_eq!(stripe.statuses().await, ["canceled"]);
}

#[tokio::test]
async fn a_new_provider_is_not_asked_for_the_old_ones_payments() {
    let stripe = Localstripe::start();
    let world = world(&stripe.url).await;
    let url = world.provider.url.parse().unwrap();
    let simulator = simulator_at(&url);
    let of = |idempotency_key| PaymentRef {
        attempt_id: "att_1",
        charge_id: "ch_1",
        idempotency_key,
        reference: None,
    };
    let stripe = &world.service.app.charges.provider;
    for (provider, ours, theirs) in [
        (&simulator, "pay_1", "stripe_pay_1"),
        (stripe, "stripe_pay_1", "pay_1"),
    ] {
        assert_eq!(
            provider.lookup(of(ours), CALL).await,
            PaymentLookup::NeverReceived
        );
        assert_eq!(
            provider.lookup(of(theirs), CALL).await,
            PaymentLookup::Unreachable
        );
        let given_up = provider.give_up(of(theirs), GiveUpReason::TimedOut, CALL).await;
        assert_eq!(given_up, PaymentLookup::Unreachable);
    }
}
