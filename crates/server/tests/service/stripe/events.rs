//! Stripe's webhooks: a dispute is recorded once, and what Stripe did not sign is refused.

use aws_lc_rs::hmac;
use protocol::ids::hex;
use protocol::{AttemptOutcome, SaveCardUsage, Sensitive};
use reqwest::Method;
use serde_json::{Value, json};

use super::peer::{Peer, ScriptedAnswer, card_made, confirmation, lookup, payment, payment_made};
use super::saved_cards::customer_made;
use super::{with_stripe, world};
use crate::cards::SHOPPER;
use crate::dead_process::leave_attempt;
use crate::world::{Answer, SECRET_KEY, World, send};

const EVENT_SECRET: &str = "whsec_test";

fn signature(world: &World, secret: &str, body: &str) -> String {
    let at = world.clock.now_seconds();
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let signed = hmac::sign(&key, format!("{at}.{body}").as_bytes());
    format!("t={at},v1={}", hex(signed.as_ref()))
}

async fn post(world: &World, signature: &str, body: String) -> Answer {
    let request = world.request(Method::POST, "/v1/providers/stripe/events");
    send(request.header("stripe-signature", signature).body(body)).await
}

fn dispute(status: &str) -> String {
    let object = json!({
        "id": "dp_stripe", "payment_intent": "pi_1", "amount": 1250, "currency": "usd", "reason": "fraudulent",
        "status": status, "evidence_details": {"due_by": 1_790_000_000},
    });
    json!({"type": "charge.dispute.updated", "data": {"object": object}}).to_string()
}

async fn disputes(world: &World) -> Value {
    let listed = world.request(Method::GET, "/v1/disputes").bearer_auth(SECRET_KEY);
    send(listed).await.body["items"].take()
}

#[tokio::test]
async fn a_dispute_is_told_once_and_a_stranger_tells_none() {
    let peer = Peer::start().await;
    let world = World::with(|settings| {
        with_stripe(settings, &peer.url);
        settings.provider_event_secret = Some(Sensitive::new(EVENT_SECRET.into()));
    })
    .await;
    let charge = world.charge().await;
    let attempt = leave_attempt(&world, &charge).await;
    let store = &world.service.app.store;
    let begun = store.attempt(&attempt.id).await.unwrap().unwrap();
    let paid = AttemptOutcome::Succeeded("pi_1".into());
    store
        .finish_attempt(&begun, &paid, &[], world.clock.now_ms())
        .await
        .unwrap();

    let open = dispute("needs_response");
    for wrong in [
        String::new(),
        signature(&world, "whsec_other", &open),
        signature(&world, EVENT_SECRET, "{}"),
    ] {
        let refused = post(&world, &wrong, open.clone()).await;
        assert_eq!((refused.status, refused.field()), (400, "stripe-signature"));
    }
    // Stripe cannot be asked for the payment, so it must send the event again.
    peer.add_answers([lookup(ScriptedAnswer::Says(
        404,
        json!({"error": {"type": "invalid_request_error"}}),
    ))]);
    let signed = |body: &str| signature(&world, EVENT_SECRET, body);
    assert_eq!(post(&world, &signed(&open), open.clone()).await.status, 503);
    assert_eq!(disputes(&world).await, json!([]));

    let ours = json!({"metadata": {"cardform_payment": attempt.provider_key}});
    for (status, shown) in [
        ("needs_response", "open"),
        ("under_review", "open"),
        ("lost", "lost"),
    ] {
        peer.add_answers([lookup(payment("succeeded", ours.clone()))]);
        let body = dispute(status);
        assert_eq!(post(&world, &signed(&body), body.clone()).await.status, 200);
        let told = disputes(&world).await;
        assert_eq!(told.as_array().unwrap().len(), 1);
        assert_eq!(
            (&told[0]["status"], &told[0]["amount_value"]),
            (&json!(shown), &json!("12.50"))
        );
        let view = world.view(&charge.id).await;
        assert_eq!(
            (&view["status"], &view["dispute"]["status"]),
            (&json!("succeeded"), &json!(shown))
        );
    }
}

#[tokio::test]
async fn a_service_without_the_secret_takes_no_events() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    let body = dispute("lost");
    let refused = post(&world, &signature(&world, EVENT_SECRET, &body), body).await;
    assert_eq!((refused.status, refused.code()), (404, "not_found"));
}

#[tokio::test]
async fn a_card_gets_the_date_that_the_bank_has_told_stripe() {
    let peer = Peer::start().await;
    let world = World::with(|settings| {
        with_stripe(settings, &peer.url);
        settings.provider_event_secret = Some(Sensitive::new(EVENT_SECRET.into()));
    })
    .await;
    peer.add_answers([
        customer_made(),
        card_made(),
        payment_made(),
        confirmation(payment("succeeded", json!({}))),
    ]);
    let saved = world.save_for(SaveCardUsage::OffSession).await;
    let dates = async || {
        let card = world.cards_of(SHOPPER).await[0].clone();
        (card["expiration_month"].clone(), card["expiration_year"].clone())
    };
    let before = dates().await;
    let event = |card: &str, last_four: &str, month: u64, year: u64| {
        let card = json!({"id": card, "card": {"last4": last_four, "exp_month": month, "exp_year": year}});
        json!({"type": "payment_method.automatically_updated", "data": {"object": card}}).to_string()
    };
    // Another card, another number, and no date.
    for other in [
        event("pm_2", "4242", 7, 2033),
        event("pm_1", "1111", 7, 2033),
        event("pm_1", "4242", 13, 2033),
        event("pm_1", "4242", 7, 99_999_999),
    ] {
        let signed = signature(&world, EVENT_SECRET, &other);
        assert_eq!(post(&world, &signed, other).await.status, 200);
        assert_eq!(dates().await, before);
    }
    let updated = event("pm_1", "4242", 7, 2033);
    for _ in 0..2 {
        let signed = signature(&world, EVENT_SECRET, &updated);
        assert_eq!(post(&world, &signed, updated.clone()).await.status, 200);
    }
    assert_eq!(dates().await, (json!("07"), json!("2033")));
    // An event from before, which Stripe sends again.
    for older in [event("pm_1", "4242", 12, 2032), event("pm_1", "4242", 6, 2033)] {
        let signed = signature(&world, EVENT_SECRET, &older);
        assert_eq!(post(&world, &signed, older).await.status, 200);
        assert_eq!(dates().await, (json!("07"), json!("2033")));
    }
    assert_eq!(crate::cards::id(&world.cards_of(SHOPPER).await[0]), saved);
}
