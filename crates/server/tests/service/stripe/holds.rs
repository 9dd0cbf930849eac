//! Holds whose end Stripe tells late, or ends late.

use protocol::CreatedCharge;
use serde_json::{Value, json};

use super::peer::{Peer, ScriptedAnswer, card_made, confirmation, lookup, payment, payment_made};
use super::{APPROVED, world};
use crate::world::{World, send};

const HOUR_MS: i64 = 3_600_000;

fn held(fields: Value) -> ScriptedAnswer {
    payment("requires_capture", fields)
}

/// The fields of a hold that ends in this many hours.
fn ends_in(world: &World, hours: i64) -> Value {
    let at = world.clock.now_seconds() + hours * 3_600;
    json!({"latest_charge": {"payment_method_details": {"card": {"capture_before": at}}}})
}

async fn hold(world: &World, peer: &Peer, fields: Value, answer: Value) -> CreatedCharge {
    peer.add_answers([card_made(), payment_made(), confirmation(held(answer))]);
    let charge = world.charge_with(fields).await;
    let paid = send(world.press(&charge, "press-1", &crate::world::card(&charge, APPROVED))).await;
    assert_eq!(paid.status, 201, "{paid:?}");
    peer.asked();
    charge
}

#[tokio::test]
async fn a_hold_whose_end_is_learned_late_is_captured_before_its_end() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    let fields = json!({"capture_method": "manual", "capture_after_hours": 168});
    let charge = hold(&world, &peer, fields, json!({})).await;
    world.clock.advance_ms(24 * HOUR_MS);
    peer.add_answers([lookup(held(ends_in(&world, 5)))]);
    world.settle().await;
    world.clock.advance_ms(3 * HOUR_MS - 1);
    world.settle().await;
    assert_eq!(peer.asked().len(), 1);
    assert!(world.view(&charge.id).await["capture_before"].is_string());
    world.clock.advance_ms(1);
    let captured = payment("succeeded", json!({"amount_received": 1250}));
    peer.add_answers([("POST /v1/payment_intents/pi_1/capture", captured)]);
    world.settle().await;
    assert_eq!(world.view(&charge.id).await["status"], "succeeded");
    peer.asked();
}

#[tokio::test]
async fn a_hold_that_stripe_ends_late_is_looked_at_again_soon() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    let fields = json!({"capture_method": "manual"});
    let answer = ends_in(&world, 168);
    let charge = hold(&world, &peer, fields, answer.clone()).await;
    world.clock.advance_ms(168 * HOUR_MS);
    peer.add_answers([lookup(held(answer))]);
    world.settle().await;
    world.clock.advance_ms(HOUR_MS / 6);
    peer.add_answers([lookup(payment("canceled", json!({})))]);
    world.settle().await;
    assert_eq!(world.view(&charge.id).await["status"], "expired");
    peer.asked();
}
