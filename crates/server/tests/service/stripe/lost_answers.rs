//! Answers of Stripe that are late, garbled or missing: retried while that is safe, and looked up afterwards.

use std::time::{Duration, Instant};

use payments::charges::reconciler::{Round, reconcile};
use protocol::CreatedCharge;
use serde_json::json;

use super::peer::{
    Peer, ScriptedAnswer, cancellation, card_made, confirmation, lookup, payment, payment_made, refusal,
};
use super::{APPROVED, declined, key, pay, request_lines, world};
use crate::other_program::OtherProgram;
use crate::world::{World, card};

#[tokio::test]
async fn an_unanswered_request_is_retried_with_the_same_key_and_body() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    let in_progress = refusal(
        409,
        "idempotency_error",
        json!({"code": "idempotency_key_in_use"}),
    );
    let too_many = refusal(429, "invalid_request_error", json!({"code": "rate_limit"}));
    peer.add_answers([
        ("POST /v1/payment_methods", ScriptedAnswer::HangsUp),
        card_made(),
        ("POST /v1/payment_intents", in_progress),
        (
            "POST /v1/payment_intents",
            ScriptedAnswer::Says(503, json!("<h1>proxy</h1>")),
        ),
        payment_made(),
        confirmation(too_many),
        confirmation(ScriptedAnswer::HangsUp),
        confirmation(payment("succeeded", json!({}))),
    ]);
    assert_eq!(pay(&world).await.1.status_code(), "succeeded");
    let asked = peer.asked();
    for again in [&asked[0..2], &asked[2..5], &asked[5..8]] {
        for asked in again {
            assert_eq!((key(asked), &asked.body), (key(&again[0]), &again[0].body));
        }
    }
}

#[tokio::test]
async fn stripe_can_forbid_a_retry() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    let no = ScriptedAnswer::SaysWith(
        "stripe-should-retry: false",
        500,
        json!({"error": {"type": "api_error"}}),
    );
    peer.add_answers([("POST /v1/payment_methods", no)]);
    assert_eq!(declined(&pay(&world).await.1), (402, "processing_error"));
    assert_eq!(peer.asked().len(), 1);
}

#[tokio::test]
async fn a_pause_that_stripe_requests_is_kept_if_there_is_time() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    let too_many = |header| ScriptedAnswer::SaysWith(header, 429, json!({"error": {"type": "api_error"}}));
    peer.add_answers([("POST /v1/payment_methods", too_many("retry-after: 3600"))]);
    assert_eq!(declined(&pay(&world).await.1), (402, "processing_error"));
    assert_eq!(peer.asked().len(), 1);
    peer.add_answers([
        ("POST /v1/payment_methods", too_many("retry-after: 1")),
        card_made(),
        payment_made(),
        confirmation(payment("succeeded", json!({}))),
    ]);
    let began = Instant::now();
    assert_eq!(pay(&world).await.1.status_code(), "succeeded");
    assert!(began.elapsed() >= Duration::from_secs(1));
    peer.asked();
}

#[tokio::test]
async fn a_refused_stripe_key_makes_no_payment() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    peer.add_answers([(
        "POST /v1/payment_methods",
        refusal(401, "invalid_request_error", json!({})),
    )]);
    assert_eq!(declined(&pay(&world).await.1), (402, "processing_error"));
    assert_eq!(peer.asked().len(), 1);
}

/// A charge whose confirmation was never answered.
async fn lost(peer: &Peer, world: &World) -> CreatedCharge {
    // A proxy's answer, after which the confirmation is not sent again.
    let garbled = ScriptedAnswer::SaysWith("stripe-should-retry: false", 502, json!("<h1>proxy</h1>"));
    peer.add_answers([card_made(), payment_made(), confirmation(garbled)]);
    let (charge, answer) = pay(world).await;
    assert_eq!(
        (answer.status, answer.status_code()),
        (201, "outcome_unknown"),
        "{answer:?}"
    );
    peer.asked();
    charge
}

#[tokio::test]
async fn a_lost_answer_is_looked_up_and_recorded_once() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    let unexpected = || {
        refusal(
            400,
            "invalid_request_error",
            json!({"code": "payment_intent_unexpected_state"}),
        )
    };
    let declined = || {
        payment(
            "requires_payment_method",
            json!({"last_payment_error": {"code": "card_declined", "decline_code": "do_not_honor"}}),
        )
    };
    let unconfirmed = || payment("requires_confirmation", json!({}));
    let paid = || payment("succeeded", json!({}));
    for (script, status, code) in [
        (vec![lookup(paid())], "succeeded", None),
        // Another node could ask for a challenge still, so the payment is canceled.
        (
            vec![lookup(declined()), cancellation(payment("canceled", json!({})))],
            "failed",
            Some("do_not_honor"),
        ),
        // The answer of such a cancellation was lost.
        (
            vec![lookup(payment(
                "canceled",
                json!({"last_payment_error": {"code": "card_declined", "decline_code": "do_not_honor"}}),
            ))],
            "failed",
            Some("do_not_honor"),
        ),
        // It has paid after a challenge meanwhile.
        (
            vec![lookup(declined()), cancellation(unexpected()), lookup(paid())],
            "succeeded",
            None,
        ),
        // The request never arrived, and can no longer arrive.
        (
            vec![
                lookup(unconfirmed()),
                cancellation(payment("canceled", json!({}))),
            ],
            "failed",
            Some("processing_error"),
        ),
        // It arrived between the look-up and the cancellation.
        (
            vec![lookup(unconfirmed()), cancellation(unexpected()), lookup(paid())],
            "succeeded",
            None,
        ),
    ] {
        let charge = lost(&peer, &world).await;
        peer.add_answers(script);
        let round = reconcile(&world.service.app.charges).await.unwrap();
        assert_eq!(round, Round { resolved: 1, open: 0 });
        let view = world.view(&charge.id).await;
        assert_eq!(
            (&view["status"], view["decline_code"].as_str()),
            (&json!(status), code)
        );
        assert!(peer.asked().iter().all(|asked| !asked.what.ends_with("/confirm")));
    }
}

#[tokio::test]
async fn an_unfinished_or_foreign_payment_stays_unknown() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    let charge = lost(&peer, &world).await;
    for play in [
        payment("processing", json!({})),
        payment("of_next_year", json!({})),
        refusal(404, "invalid_request_error", json!({"code": "resource_missing"})),
        refusal(401, "invalid_request_error", json!({})),
        ScriptedAnswer::Says(404, json!("<h1>proxy</h1>")),
    ] {
        peer.add_answers([lookup(play)]);
        assert_eq!(
            reconcile(&world.service.app.charges).await.unwrap(),
            Round { resolved: 0, open: 1 }
        );
        assert_eq!(world.view(&charge.id).await["status"], "outcome_unknown");
        world.clock.advance_ms(3_600_000);
        peer.asked();
    }
    peer.add_answers([lookup(payment("succeeded", json!({})))]);
    reconcile(&world.service.app.charges).await.unwrap();
    assert_eq!(world.view(&charge.id).await["status"], "succeeded");
}

#[tokio::test]
async fn a_confirmation_after_a_cancellation_takes_no_money() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    let unexpected = refusal(
        400,
        "invalid_request_error",
        json!({"code": "payment_intent_unexpected_state"}),
    );
    peer.add_answers([
        card_made(),
        payment_made(),
        confirmation(unexpected),
        lookup(payment("canceled", json!({}))),
    ]);
    assert_eq!(declined(&pay(&world).await.1), (402, "processing_error"));
    peer.asked();
}

#[tokio::test]
async fn a_shopper_who_leaves_before_the_answer_pays_once() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    let charge = world.charge().await;
    peer.add_answers([
        card_made(),
        payment_made(),
        confirmation(payment("succeeded", json!({}))),
    ]);
    let gone = tokio::spawn(world.press(&charge, "press-1", &card(&charge, APPROVED)).send());
    peer.was_asked(1).await;
    gone.abort();
    // The same press again waits for the first press's outcome.
    assert_eq!(
        world.pay(&charge, "press-1", APPROVED).await.status_code(),
        "succeeded"
    );
    assert_eq!(peer.asked().len(), 3);
}

/// Another node took the attempt over while the payment was prepared here, and its charge may be paid again.
#[tokio::test]
async fn a_payment_that_was_given_up_while_it_was_prepared_is_not_confirmed() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("books.db");
    let peer = Peer::start().await;
    let world = World::with(|settings| {
        super::with_stripe(settings, &peer.url);
        settings.database = Some(format!("sqlite:{}", file.display()));
    })
    .await;
    let other_node = OtherProgram::connect(world.database()).await;
    let gives_up = "CREATE TRIGGER gives_up AFTER INSERT ON attempts BEGIN \
        UPDATE attempts SET provider_reference = 'never_made' WHERE id = NEW.id; END";
    other_node.run(gives_up).await.unwrap();
    peer.add_answers([card_made(), payment_made()]);
    assert_eq!(pay(&world).await.1.status_code(), "outcome_unknown");
    let asked = peer.asked();
    assert_eq!(
        request_lines(&asked),
        ["POST /v1/payment_methods", "POST /v1/payment_intents"]
    );
}
