//! A process is killed while Stripe confirms a payment. The next process finds the payment by its recorded id, and
//! makes no second payment.

use serde_json::json;

use super::localstripe::STRIPE_KEY;
use super::peer::{
    Peer, ScriptedAnswer, cancellation, card_made, confirmation, lookup, payment, payment_made,
};
use super::{APPROVED, declined, request_lines};
use crate::process::Process;
use crate::process_merchant::ProcessMerchant;
use crate::world::{Answer, card, send};

/// The press after the restart, when the payment is in the state `found`.
async fn pressed_again(peer: &Peer, found: Vec<(&'static str, ScriptedAnswer)>) -> Answer {
    let merchant = ProcessMerchant::new();
    std::fs::write(merchant.dir.path().join("stripe-key"), STRIPE_KEY).unwrap();
    let with_stripe = [
        "--provider",
        "stripe",
        "--provider-url",
        &peer.url,
        "--provider-key-file",
        "stripe-key",
    ];
    let first = merchant.serve(&with_stripe, "info");
    let charge = merchant.charge(&first).await;
    let body = card(&charge, APPROVED);
    let press = |service: &Process| merchant.press(&merchant.http, service, &charge, &body);
    peer.add_answers([card_made(), payment_made(), confirmation(ScriptedAnswer::Silence)]);
    let lost = tokio::spawn(press(&first).send());
    peer.was_asked(3).await;
    first.kill();
    assert!(lost.await.unwrap().is_err());
    peer.asked();

    peer.add_answers(found);
    let second = merchant.serve(&with_stripe, "info");
    // This press waits until the reconciler has looked the payment up.
    let answer = send(press(&second)).await;
    let asked = peer.asked();
    assert!(
        request_lines(&asked).iter().all(|what| what.contains("/pi_1")),
        "no other payment is made: {:?}",
        request_lines(&asked)
    );
    answer
}

#[tokio::test]
async fn a_confirmed_payment_is_found_after_the_kill() {
    let peer = Peer::start().await;
    let answer = pressed_again(&peer, vec![lookup(payment("succeeded", json!({})))]).await;
    assert_eq!(
        (answer.status, answer.status_code()),
        (201, "succeeded"),
        "{answer:?}"
    );
}

#[tokio::test]
async fn an_unconfirmed_payment_is_canceled_after_the_kill() {
    let peer = Peer::start().await;
    let found = vec![
        lookup(payment("requires_confirmation", json!({}))),
        cancellation(payment("canceled", json!({}))),
    ];
    assert_eq!(
        declined(&pressed_again(&peer, found).await),
        (402, "processing_error")
    );
}
