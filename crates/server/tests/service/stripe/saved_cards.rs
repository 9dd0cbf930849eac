//! Saved cards at Stripe: attached after they have paid, and detached after removal, without delaying payments.

use std::sync::Arc;

use payments::charges::reconciler::reconcile;
use payments::saved_cards::at_provider::{self, tell_provider};
use protocol::SaveCardUsage;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::localstripe::Localstripe;
use super::peer::{
    Peer, ScriptedAnswer, card_error, card_made, confirmation, payment, payment_made, refusal,
};
use super::{APPROVED, DECLINED, declined, request_lines, world};
use crate::cards::{SHOPPER, card_to_save, id, saved};
use crate::merchant_payments::with_card;
use crate::waiting::in_time;
use crate::world::{SECRET_KEY, send};

/// The customer of a card at Stripe, found by its payment.
async fn customer_of(stripe: &Localstripe, payment: &Value) -> Value {
    let card = payment["payment_method"].as_str().unwrap();
    stripe.get(&format!("/v1/payment_methods/{card}")).await["customer"].take()
}

#[tokio::test]
async fn a_saved_card_is_attached_and_after_removal_detached() {
    let stripe = Localstripe::start();
    let world = world(&stripe.url).await;
    let card = world.save(SHOPPER, APPROVED).await;
    assert_eq!(tell_provider(&world.service.app.saved_cards).await.unwrap(), 1);
    let first = stripe.payments().await.remove(0);
    let customer = first["customer"].clone();
    assert!(customer.as_str().unwrap().starts_with("cus_"), "{first}");
    assert_eq!(customer_of(&stripe, &first).await, customer);

    // The number from the vault pays, with the security code that the shopper typed.
    let again = world.saving_charge(SHOPPER).await;
    let press = world.press(&again, "press-1", &saved(&again, SHOPPER, id(&card), "123"));
    assert_eq!(send(press).await.status_code(), "succeeded");
    assert_eq!(tell_provider(&world.service.app.saved_cards).await.unwrap(), 0);

    // A paid charge gives no access to saved cards any more.
    let later = world.saving_charge(SHOPPER).await;
    assert_eq!(world.remove(&later, id(&card), SHOPPER).await.status, 204);
    assert!(world.cards(&later, SHOPPER).await.is_empty());
    assert_eq!(tell_provider(&world.service.app.saved_cards).await.unwrap(), 1);
    assert_eq!(customer_of(&stripe, &first).await, Value::Null);
    assert_eq!(tell_provider(&world.service.app.saved_cards).await.unwrap(), 0);
}

#[tokio::test]
async fn a_resaved_card_is_attached_once_and_a_declined_one_never() {
    let stripe = Localstripe::start();
    let world = world(&stripe.url).await;
    world.save(SHOPPER, APPROVED).await;
    world.save(SHOPPER, APPROVED).await;
    let charge = world.saving_charge(SHOPPER).await;
    let press = world.press(&charge, "press-1", &card_to_save(&charge, SHOPPER, DECLINED));
    assert_eq!(declined(&send(press).await), (402, "generic_decline"));
    // The second card is attached, and the first is detached, although it was not attached yet.
    assert_eq!(tell_provider(&world.service.app.saved_cards).await.unwrap(), 2);
    let payments = stripe.payments().await;
    let customer = payments[0]["customer"].clone();
    assert_eq!(payments[1]["customer"], customer, "a shopper is one customer");
    let mut of = Vec::new();
    for payment in &payments {
        of.push(customer_of(&stripe, payment).await);
    }
    assert_eq!(of.iter().filter(|owner| **owner == customer).count(), 1, "{of:?}");
    assert_eq!(of.iter().filter(|owner| owner.is_null()).count(), 2, "{of:?}");
    assert_eq!(customer_of(&stripe, &payments[1]).await, customer);
}

#[tokio::test]
async fn a_renewed_card_gets_its_date_at_stripe_and_an_erased_shopper_is_deleted_there() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    let paid = || confirmation(payment("succeeded", json!({})));
    peer.add_answers([customer_made(), card_made(), payment_made(), paid()]);
    let card = world.save(SHOPPER, APPROVED).await;
    peer.add_answers([("GET /v1/payment_methods/pm_1", kept(Some("cus_1")))]);
    assert_eq!(tell_provider(&world.service.app.saved_cards).await.unwrap(), 1);
    let charge = world.saving_charge(SHOPPER).await;
    let mut body = saved(&charge, SHOPPER, id(&card), "123");
    body["payment_method"]["card"]["expiration_month"] = json!("03");
    body["payment_method"]["card"]["expiration_year"] = json!("2033");
    peer.add_answers([card_made(), payment_made(), paid()]);
    assert_eq!(
        send(world.press(&charge, "press-1", &body)).await.status_code(),
        "succeeded"
    );
    peer.add_answers([("POST /v1/payment_methods/pm_1", kept(Some("cus_1")))]);
    assert_eq!(tell_provider(&world.service.app.saved_cards).await.unwrap(), 1);
    let told = peer.asked().pop().unwrap().body;
    assert!(
        told.contains("exp_month") && told.contains("=3&") && told.ends_with("=2033"),
        "{told}"
    );

    let path = format!("/v1/shoppers/{SHOPPER}");
    let erased = send(world.request(Method::DELETE, &path).bearer_auth(SECRET_KEY)).await;
    assert_eq!(erased.body["payment_methods"], 1, "{erased:?}");
    let gone = |id: &str| ScriptedAnswer::Says(200, json!({"id": id, "object": "customer", "deleted": true}));
    peer.add_answers([
        ("POST /v1/payment_methods/pm_1/detach", kept(None)),
        ("DELETE /v1/customers/cus_1", gone("cus_1")),
    ]);
    assert_eq!(tell_provider(&world.service.app.saved_cards).await.unwrap(), 2);
    assert_eq!(tell_provider(&world.service.app.saved_cards).await.unwrap(), 0);
}

#[tokio::test]
async fn a_card_that_is_renewed_before_it_is_attached_gets_its_date_at_stripe() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    let paid = || confirmation(payment("succeeded", json!({})));
    peer.add_answers([customer_made(), card_made(), payment_made(), paid()]);
    let card = world.save(SHOPPER, APPROVED).await;
    let charge = world.saving_charge(SHOPPER).await;
    let mut body = saved(&charge, SHOPPER, id(&card), "123");
    body["payment_method"]["card"]["expiration_month"] = json!("03");
    body["payment_method"]["card"]["expiration_year"] = json!("2033");
    peer.add_answers([card_made(), payment_made(), paid()]);
    let renewed = send(world.press(&charge, "press-1", &body)).await;
    assert_eq!(renewed.status_code(), "succeeded", "{renewed:?}");
    let ScriptedAnswer::Says(_, attached) = card_made().1 else {
        panic!("no card")
    };
    peer.add_answers([
        (
            "GET /v1/payment_methods/pm_1",
            ScriptedAnswer::Says(200, attached),
        ),
        ("POST /v1/payment_methods/pm_1/attach", kept(Some("cus_1"))),
        ("POST /v1/payment_methods/pm_1", kept(Some("cus_1"))),
    ]);
    assert_eq!(tell_provider(&world.service.app.saved_cards).await.unwrap(), 1);
    let told = peer.asked().pop().unwrap().body;
    assert!(told.ends_with("=2033"), "{told}");
}

pub(super) fn customer_made() -> (&'static str, ScriptedAnswer) {
    (
        "POST /v1/customers",
        ScriptedAnswer::Says(200, json!({"id": "cus_1", "object": "customer"})),
    )
}

fn kept(customer: Option<&str>) -> ScriptedAnswer {
    ScriptedAnswer::Says(
        200,
        json!({"id": "pm_1", "object": "payment_method", "customer": customer}),
    )
}

#[tokio::test]
async fn stripe_learns_what_the_shopper_agreed_to() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    let paid = confirmation(payment("succeeded", json!({})));
    peer.add_answers([customer_made(), card_made(), payment_made(), paid]);
    world.save_for(SaveCardUsage::OffSession).await;
    let made = peer.asked().swap_remove(2).body;
    assert!(
        made.contains("&customer=cus_1&setup_future_usage=off_session"),
        "{made}"
    );
}

/// Otherwise a text for the statement would cost the merchant the card.
#[tokio::test]
async fn a_refused_statement_text_does_not_refuse_the_agreement() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    let refused = |param: &str| {
        let fields = json!({"code": "parameter_invalid_string_too_long", "param": param});
        (payment_made().0, refusal(400, "invalid_request_error", fields))
    };
    peer.add_answers([
        customer_made(),
        card_made(),
        refused("statement_descriptor_suffix"),
    ]);
    peer.add_answers([payment_made(), confirmation(payment("succeeded", json!({})))]);
    let charge = world
        .charge_with(json!({
            "shopper_id": SHOPPER, "statement_descriptor": "GEM SHOP",
            "enable_save_payment_method": true, "eligible_save_payment_methods": true,
        }))
        .await;
    let press = world.press(&charge, "press-1", &card_to_save(&charge, SHOPPER, APPROVED));
    assert_eq!(send(press).await.status_code(), "succeeded");
    let made = &peer.asked()[3].body;
    assert!(!made.contains("statement_descriptor"), "{made}");
    assert!(
        made.ends_with("&customer=cus_1&setup_future_usage=on_session"),
        "{made}"
    );
}

/// Requests for the setup `seti_1` and the answers with these fields.
fn setup_answers<const N: usize>(
    asked: [(&'static str, &str, Value); N],
) -> [(&'static str, ScriptedAnswer); N] {
    asked.map(|(request, status, fields)| {
        let ScriptedAnswer::Says(_, mut body) = payment(status, fields) else {
            panic!("no answer")
        };
        body["id"] = json!("seti_1");
        for of_payments in ["amount", "currency", "last_payment_error"] {
            body.as_object_mut().unwrap().remove(of_payments);
        }
        (request, ScriptedAnswer::Says(200, body))
    })
}

const SETUPS: &str = "POST /v1/setup_intents";
const CONFIRM: &str = "POST /v1/setup_intents/seti_1/confirm";
const SETUP: &str = "GET /v1/setup_intents/seti_1?expand[]=latest_attempt";

#[tokio::test]
async fn a_setup_is_a_setup_intent_and_attaches_the_card() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    peer.add_answers([customer_made(), card_made()]);
    let attempt = json!({"latest_attempt": {"payment_method_details": {"card": {
        "country": "DE", "checks": {"cvc_check": "pass"},
    }}}});
    peer.add_answers(setup_answers([
        (SETUPS, "requires_confirmation", json!({})),
        (CONFIRM, "succeeded", attempt),
    ]));
    let setup = world.setup("off_session").await;
    let answer = world.set_up(&setup, "press-1", APPROVED).await;
    assert_eq!(answer.status_code(), "succeeded", "{answer:?}");
    let asked = peer.asked();
    let made = &asked[2].body;
    assert!(made.contains("payment_method=pm_1"), "{made}");
    assert!(made.contains("usage=off_session"), "{made}");
    assert!(made.contains("&customer=cus_1"), "{made}");
    assert!(
        made.contains("metadata[cardform_charge]=ch_") || made.contains("cardform_charge%5D=ch_"),
        "{made}"
    );
    for never in ["amount", "currency", "capture_method", "setup_future_usage"] {
        assert!(!made.contains(never), "{never}: {made}");
    }
    assert!(asked[3].body.contains("latest_attempt"), "{}", asked[3].body);
    let view = world.view(&setup.id).await;
    assert_eq!(view["provider"]["reference"], "seti_1");
    assert_eq!(view["paid_with"]["country"], "DE");
    assert_eq!(view["paid_with"]["checks"]["security_code"], "pass");
    peer.add_answers([("GET /v1/payment_methods/pm_1", kept(Some("cus_1")))]);
    assert_eq!(tell_provider(&world.service.app.saved_cards).await.unwrap(), 1);
}

#[tokio::test]
async fn a_setup_at_stripe_is_declined_or_looked_up_like_a_payment() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    peer.add_answers([customer_made(), card_made()]);
    peer.add_answers(setup_answers([(SETUPS, "requires_confirmation", json!({}))]));
    peer.add_answers([(CONFIRM, card_error("card_declined", Some("insufficient_funds")))]);
    let setup = world.setup("on_session").await;
    let answer = world.set_up(&setup, "press-1", DECLINED).await;
    assert_eq!(declined(&answer), (402, "insufficient_funds"));

    // The answer is lost. Stripe knows that the bank refused.
    peer.add_answers([card_made()]);
    peer.add_answers(setup_answers([(SETUPS, "requires_confirmation", json!({}))]));
    let no_retry = "stripe-should-retry: false";
    let failure = json!({"error": {"type": "api_error"}});
    peer.add_answers([(CONFIRM, ScriptedAnswer::SaysWith(no_retry, 500, failure))]);
    let answer = world.set_up(&setup, "press-2", DECLINED).await;
    assert_eq!(answer.status_code(), "outcome_unknown", "{answer:?}");
    let refused = json!({"last_setup_error": {"type": "card_error", "code": "expired_card"}});
    peer.add_answers(setup_answers([
        (SETUP, "requires_payment_method", refused),
        ("POST /v1/setup_intents/seti_1/cancel", "canceled", json!({})),
    ]));
    world.clock.advance_ms(3_600_000);
    let round = reconcile(&world.service.app.charges).await.unwrap();
    assert_eq!((round.resolved, round.open), (1, 0), "{:?}", peer.asked());
    assert_eq!(world.view(&setup.id).await["decline_code"], "expired_card");
    assert!(world.cards_of(SHOPPER).await.is_empty());
    peer.asked();
}

#[tokio::test]
async fn a_payment_without_the_shopper_uses_the_card_that_stripe_keeps() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    let paid = || confirmation(payment("succeeded", json!({})));
    peer.add_answers([customer_made(), card_made(), payment_made(), paid()]);
    let card = world.save_for(SaveCardUsage::OffSession).await;
    peer.asked();
    let charge = world.charge_of_shopper(SHOPPER).await;
    let pay = || {
        let request = world.request(Method::POST, &format!("/v1/charges/{}/pay", charge.id));
        let body = json!({"payment_method_id": card, "initiated_by": "merchant", "reason": "installment"});
        request
            .bearer_auth(SECRET_KEY)
            .header("idempotency-key", "part-2")
            .json(&body)
    };
    // The bank wants the shopper. The charge can still be paid at its address.
    let wants_shopper = || card_error("authentication_required", Some("authentication_required"));
    peer.add_answers([payment_made(), confirmation(wants_shopper())]);
    let answer = send(pay()).await;
    assert_eq!(
        (
            answer.status,
            &answer.body["status"],
            &answer.body["decline_code"]
        ),
        (200, &json!("failed"), &json!("authentication_required")),
        "{answer:?}"
    );
    let asked = peer.asked();
    assert_eq!(asked.len(), 2, "no number is sent: {asked:?}");
    assert!(
        asked[0].body.contains("&payment_method=pm_1"),
        "{}",
        asked[0].body
    );
    assert!(asked[0].body.contains("&customer=cus_1"), "{}", asked[0].body);
    assert!(!asked[0].body.contains("setup_future_usage"), "{}", asked[0].body);
    assert!(asked[1].body.contains("off_session=true"), "{}", asked[1].body);
}

#[tokio::test]
async fn a_card_that_stripe_does_not_attach_is_paid_with_its_number() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    let paid = || confirmation(payment("succeeded", json!({})));
    peer.add_answers([customer_made(), card_made(), payment_made(), paid()]);
    let card = world.save_for(SaveCardUsage::OffSession).await;
    let state = || ("GET /v1/payment_methods/pm_1", kept(None));
    let attach = |status| {
        let answer = refusal(status, "invalid_request_error", json!({}));
        ("POST /v1/payment_methods/pm_1/attach", answer)
    };
    // A wrong key of ours says nothing of the card.
    let wrong_key = refusal(401, "invalid_request_error", json!({}));
    peer.add_answers([(state().0, wrong_key)]);
    assert_eq!(tell_provider(&world.service.app.saved_cards).await.unwrap(), 0);
    world.clock.advance_ms(20_000);
    peer.add_answers([state(), attach(400)]);
    assert_eq!(tell_provider(&world.service.app.saved_cards).await.unwrap(), 1);
    peer.asked();
    let charge = world.charge_of_shopper(SHOPPER).await;
    peer.add_answers([card_made(), payment_made(), paid()]);
    let answer = world.pay_without_shopper(&charge, "k", &with_card(&card)).await;
    assert_eq!(answer.body["status"], "succeeded", "{answer:?}");
    let asked = peer.asked();
    assert!(asked[0].body.contains("4242424242424242"), "{}", asked[0].body);
    assert!(!asked[1].body.contains("customer="), "{}", asked[1].body);
}

/// Its number was changed, so its saved date stays the old one.
#[tokio::test]
async fn a_card_that_stripe_keeps_is_charged_after_its_saved_date() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    let paid = || confirmation(payment("succeeded", json!({})));
    peer.add_answers([customer_made(), card_made(), payment_made(), paid()]);
    let card = world.save_for(SaveCardUsage::OffSession).await;
    world.clock.advance_ms(5 * 365 * 24 * 3_600_000);
    let charge = world.charge_of_shopper(SHOPPER).await;
    peer.add_answers([payment_made(), paid()]);
    let answer = world.pay_without_shopper(&charge, "k", &with_card(&card)).await;
    assert_eq!(
        (answer.status, &answer.body["status"]),
        (200, &json!("succeeded")),
        "{answer:?}"
    );
    assert_eq!(peer.asked().len(), 6);
}

/// A mandate belongs to the card with which the shopper gave it.
#[tokio::test]
async fn a_card_saved_again_for_less_keeps_the_card_with_the_mandate() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    let paid = || confirmation(payment("succeeded", json!({})));
    peer.add_answers([customer_made(), card_made(), payment_made(), paid()]);
    let card = world.save_for(SaveCardUsage::OffSession).await;
    peer.add_answers([("GET /v1/payment_methods/pm_1", kept(Some("cus_1")))]);
    assert_eq!(tell_provider(&world.service.app.saved_cards).await.unwrap(), 1);
    let second = ScriptedAnswer::Says(200, json!({"id": "pm_2", "object": "payment_method"}));
    peer.add_answers([("POST /v1/payment_methods", second), payment_made(), paid()]);
    assert_eq!(world.save_for(SaveCardUsage::OnSession).await, card);
    peer.asked();
    peer.add_answers([
        ("POST /v1/payment_methods/pm_2/detach", kept(None)),
        ("POST /v1/payment_methods/pm_1", kept(Some("cus_1"))),
    ]);
    assert_eq!(tell_provider(&world.service.app.saved_cards).await.unwrap(), 2);
    peer.asked();
    let charge = world.charge_of_shopper(SHOPPER).await;
    peer.add_answers([payment_made(), paid()]);
    let answer = world.pay_without_shopper(&charge, "k", &with_card(&card)).await;
    assert_eq!(answer.body["status"], "succeeded", "{answer:?}");
    let asked = peer.asked();
    assert!(
        asked[0].body.contains("&payment_method=pm_1"),
        "{}",
        asked[0].body
    );
}

#[tokio::test]
async fn a_removal_does_not_wait_for_stripe() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    let paid = || confirmation(payment("succeeded", json!({})));
    peer.add_answers([customer_made(), card_made(), payment_made(), paid()]);
    let saved = world.save(SHOPPER, APPROVED).await;
    let asked = peer.asked();
    assert!(
        asked[2]
            .body
            .contains("&customer=cus_1&setup_future_usage=on_session"),
        "{}",
        asked[2].body
    );
    peer.add_answers([("GET /v1/payment_methods/pm_1", kept(Some("cus_1")))]);
    assert_eq!(tell_provider(&world.service.app.saved_cards).await.unwrap(), 1);
    assert_eq!(peer.asked().len(), 1, "it is attached already");

    let charge = world.saving_charge(SHOPPER).await;
    assert_eq!(world.remove(&charge, id(&saved), SHOPPER).await.status, 204);
    assert_eq!(peer.asked().len(), 0);
    let detach = |play: ScriptedAnswer| ("POST /v1/payment_methods/pm_1/detach", play);
    let broken = || {
        ScriptedAnswer::SaysWith(
            "stripe-should-retry: false",
            500,
            json!({"error": {"type": "api_error"}}),
        )
    };
    for _ in 0..2 {
        peer.add_answers([detach(broken())]);
        assert_eq!(tell_provider(&world.service.app.saved_cards).await.unwrap(), 0);
        assert_eq!(
            tell_provider(&world.service.app.saved_cards).await.unwrap(),
            0,
            "not again at once"
        );
        assert_eq!(peer.asked().len(), 1);
        world.clock.advance_ms(20_000);
    }
    peer.add_answers([detach(kept(None))]);
    assert_eq!(tell_provider(&world.service.app.saved_cards).await.unwrap(), 1);
    world.clock.advance_ms(3_600_000);
    assert_eq!(tell_provider(&world.service.app.saved_cards).await.unwrap(), 0);
    peer.asked();
}

#[tokio::test]
async fn a_stopping_node_sends_stripe_no_more_changes() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    for (shopper, card) in [(SHOPPER, "pm_1"), ("shopper_2", "pm_2")] {
        let made = ScriptedAnswer::Says(200, json!({"id": card, "object": "payment_method"}));
        let paid = confirmation(payment("succeeded", json!({})));
        peer.add_answers([
            customer_made(),
            ("POST /v1/payment_methods", made),
            payment_made(),
            paid,
        ]);
        world.save(shopper, APPROVED).await;
    }
    peer.asked();
    peer.add_answers([("GET /v1/payment_methods/pm_1", ScriptedAnswer::Silence)]);
    let (stop, stopped) = watch::channel(false);
    let telling = tokio::spawn(at_provider::run(
        Arc::clone(&world.service.app.saved_cards),
        stopped,
    ));
    peer.was_asked(9).await;
    stop.send_replace(true);
    in_time("the end of the task", telling).await.unwrap();
    assert_eq!(peer.asked().len(), 1);
}

/// The request to attach it may still arrive; after a detachment it would have the last word.
#[tokio::test]
async fn a_card_with_a_lost_attachment_is_detached_last() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    let paid = confirmation(payment("succeeded", json!({})));
    peer.add_answers([customer_made(), card_made(), payment_made(), paid]);
    let saved = world.save(SHOPPER, APPROVED).await;
    peer.asked();
    let lost = || ("POST /v1/payment_methods/pm_1/attach", ScriptedAnswer::HangsUp);
    peer.add_answers([
        ("GET /v1/payment_methods/pm_1", kept(None)),
        lost(),
        lost(),
        lost(),
    ]);
    assert_eq!(tell_provider(&world.service.app.saved_cards).await.unwrap(), 0);
    peer.asked();

    let charge = world.saving_charge(SHOPPER).await;
    assert_eq!(world.remove(&charge, id(&saved), SHOPPER).await.status, 204);
    assert_eq!(tell_provider(&world.service.app.saved_cards).await.unwrap(), 0);
    assert_eq!(request_lines(&peer.asked()), [""; 0]);
    world.clock.advance_ms(10_000);
    peer.add_answers([("POST /v1/payment_methods/pm_1/detach", kept(None))]);
    assert_eq!(tell_provider(&world.service.app.saved_cards).await.unwrap(), 1);
    peer.asked();
}

#[tokio::test]
async fn a_payment_needs_no_stripe_customer() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    let paid = || confirmation(payment("succeeded", json!({})));
    // First no customer can be created; later one is created, but no card may be stored for it.
    for first in [
        vec![
            (
                "POST /v1/customers",
                refusal(403, "invalid_request_error", json!({})),
            ),
            card_made(),
        ],
        vec![
            customer_made(),
            card_made(),
            (
                "POST /v1/payment_intents",
                refusal(400, "invalid_request_error", json!({"code": "parameter_invalid"})),
            ),
        ],
    ] {
        peer.add_answers(first);
        peer.add_answers([payment_made(), paid()]);
        let charge = world.saving_charge(SHOPPER).await;
        let press = world.press(&charge, "press-1", &card_to_save(&charge, SHOPPER, APPROVED));
        assert_eq!(send(press).await.status_code(), "succeeded");
        assert_eq!(world.cards_of(SHOPPER).await.len(), 1);
        let asked = peer.asked();
        let payment = &asked[asked.len() - 2];
        assert!(!payment.body.contains("customer="), "{:?}", request_lines(&asked));
        assert_eq!(tell_provider(&world.service.app.saved_cards).await.unwrap(), 0);
    }
}

#[tokio::test]
async fn a_customer_that_was_deleted_at_stripe_is_made_anew() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    let paid = || confirmation(payment("succeeded", json!({})));
    let missing = || {
        refusal(
            400,
            "invalid_request_error",
            json!({"code": "resource_missing", "param": "customer"}),
        )
    };
    let pay = async || {
        let charge = world.saving_charge(SHOPPER).await;
        let press = world.press(&charge, "press-1", &card_to_save(&charge, SHOPPER, APPROVED));
        assert_eq!(send(press).await.status_code(), "succeeded");
        let asked = peer.asked();
        asked[asked.len() - 2].body.clone()
    };
    let made_anew = ScriptedAnswer::Says(200, json!({"id": "cus_2", "object": "customer"}));
    peer.add_answers([
        customer_made(),
        card_made(),
        ("POST /v1/payment_intents", missing()),
    ]);
    peer.add_answers([("POST /v1/customers", made_anew), payment_made(), paid()]);
    assert!(pay().await.contains("&customer=cus_2&"));
    // The next payment is for the new customer at once.
    peer.add_answers([card_made(), payment_made(), paid()]);
    assert!(pay().await.contains("&customer=cus_2&"));
    // If a new one is gone, too, or none can be made, the payment needs none.
    peer.add_answers([card_made(), ("POST /v1/payment_intents", missing())]);
    let none = refusal(403, "invalid_request_error", json!({}));
    peer.add_answers([("POST /v1/customers", none), payment_made(), paid()]);
    assert!(!pay().await.contains("customer="));
}
