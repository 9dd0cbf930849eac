//! A process that is killed while Stripe confirms a payment: the next one finds the payment by its recorded id, and no
//! second one is made.

use reqwest::Client;
use serde_json::{Value, json};
use wire::CreatedCharge;

use super::localstripe::STRIPE_KEY;
use super::peer::{Peer, ScriptedAnswer, cancellation, card_made, confirmation, look, payment, payment_made};
use super::{APPROVED, declined, whats};
use crate::process::{Process, add_merchant};
use crate::world::{Answer, card, new_charge, send};

/// The press after the restart, when the payment is in the state `found`.
async fn pressed_again(peer: &Peer, found: Vec<(&'static str, ScriptedAnswer)>) -> Answer {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("stripe-key"), STRIPE_KEY).unwrap();
    let serve = [
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--provider",
        "stripe",
        "--provider-url",
        &peer.url,
        "--provider-key-file",
        "stripe-key",
    ];
    let http = Client::builder().no_proxy().build().unwrap();
    let added = add_merchant(dir.path());
    let merchant: Value = serde_json::from_slice(&added.stdout).unwrap();
    let first = Process::start(dir.path(), &serve, "info");
    let create = http
        .post(format!("{}/v1/charges", first.url()))
        .json(&new_charge());
    let created = send(create.bearer_auth(merchant["secret_key"].as_str().unwrap())).await;
    let charge: CreatedCharge = serde_json::from_value(created.body).unwrap();
    let press = |service: &Process| {
        http.post(format!("{}/v1/pub/direct/charges", service.url()))
            .bearer_auth(&charge.client_secret)
            .header("partner-id", merchant["partner_id"].as_str().unwrap())
            .json(&card(&charge, APPROVED))
    };
    peer.plays([card_made(), payment_made(), confirmation(ScriptedAnswer::Silence)]);
    let lost = tokio::spawn(press(&first).send());
    peer.was_asked(3).await;
    first.kill();
    assert!(lost.await.unwrap().is_err());
    peer.asked();

    peer.plays(found);
    let second = Process::start(dir.path(), &serve, "info");
    // This press waits until the reconciler has looked the payment up.
    let answer = send(press(&second)).await;
    let asked = peer.asked();
    assert!(
        whats(&asked).iter().all(|what| what.contains("/pi_1")),
        "no other payment is made: {:?}",
        whats(&asked)
    );
    answer
}

#[tokio::test]
async fn a_confirmed_payment_is_found_after_the_kill() {
    let peer = Peer::start().await;
    let answer = pressed_again(&peer, vec![look(payment("succeeded", json!({})))]).await;
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
        look(payment("requires_confirmation", json!({}))),
        cancellation(payment("canceled", json!({}))),
    ];
    assert_eq!(
        declined(&pressed_again(&peer, found).await),
        (402, "processing_error")
    );
}
