//! A merchant steers 3-D Secure at Stripe.

use serde_json::json;

use super::peer::{Peer, card_made, confirmation, payment, payment_made, refusal};
use super::{APPROVED, world};
use crate::world::new_charge;

#[tokio::test]
async fn stripe_is_asked_for_a_challenge_and_takes_no_exemption() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    let mut body = new_charge();
    body["exemption"] = json!("low_value");
    let answer = world.create(&body, None).await;
    assert_eq!(
        (answer.status, answer.code(), answer.field()),
        (422, "not_supported_by_provider", "exemption")
    );
    let mut body = new_charge();
    body["three_ds"] = json!("challenge");
    let charge = serde_json::from_value(world.create(&body, None).await.body).unwrap();
    peer.add_answers([
        card_made(),
        payment_made(),
        confirmation(payment("succeeded", json!({}))),
    ]);
    world.pay(&charge, "press-1", APPROVED).await;
    let confirmed = peer.asked().swap_remove(2).body;
    assert!(
        confirmed.contains("request_three_d_secure%5D=challenge")
            || confirmed.contains("request_three_d_secure]=challenge"),
        "{confirmed}"
    );
}

#[tokio::test]
async fn a_soft_decline_of_stripe_is_confirmed_with_a_challenge() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    let soft = || {
        let card = json!({"id": "pm_1", "object": "payment_method"});
        let fields = json!({"code": "authentication_required", "decline_code": "authentication_required", "payment_method": card});
        confirmation(refusal(402, "card_error", fields))
    };
    let action = json!({"next_action": {"type": "redirect_to_url", "redirect_to_url": {"url": "https://bank.example/3ds"}}});
    let charge = world.charge().await;
    peer.add_answers([
        card_made(),
        payment_made(),
        soft(),
        confirmation(payment("requires_action", action)),
    ]);
    let answer = world.pay(&charge, "press-1", APPROVED).await;
    assert_eq!(answer.status_code(), "waiting_for_shopper_action", "{answer:?}");
    let asked = peer.asked();
    assert!(asked[3].body.contains("payment_method=pm_1"), "{}", asked[3].body);

    // If Stripe refuses to confirm the payment again, the decline counts.
    let charge = world.charge().await;
    let refused = confirmation(refusal(
        400,
        "invalid_request_error",
        json!({"param": "payment_method"}),
    ));
    peer.add_answers([card_made(), payment_made(), soft(), refused]);
    let answer = world.pay(&charge, "press-1", APPROVED).await;
    assert_eq!(
        (answer.status, &answer.body["decline_code"]),
        (402, &json!("authentication_required"))
    );
}
