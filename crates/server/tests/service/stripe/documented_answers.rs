//! Features in Stripe's documentation that `localstripe` does not have: challenges by redirect, decline reasons, keys.

use std::time::Duration;

use protocol::CreatedCharge;
use reqwest::Method;
use serde_json::json;

use super::localstripe::STRIPE_KEY;
use super::peer::{
    Peer, ScriptedAnswer, cancellation, card_error, card_made, confirmation, lookup, payment, payment_made,
};
use super::{APPROVED, RETURN_PAUSE_MS, declined, key, pay, world};
use crate::world::{card, new_charge, send};

const PAGE: &str = "https://hooks.stripe.example/redirect/authenticate/src_1";

#[tokio::test]
async fn every_stripe_call_has_authorization_version_and_its_own_key() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    peer.add_answers([
        card_made(),
        payment_made(),
        confirmation(payment("succeeded", json!({}))),
    ]);
    let (charge, answer) = pay(&world).await;
    assert_eq!(answer.status_code(), "succeeded", "{answer:?}");
    let asked = peer.asked();
    for asked in &asked {
        assert_eq!(
            asked.header("authorization"),
            Some(&*format!("Bearer {STRIPE_KEY}"))
        );
        assert_eq!(asked.header("stripe-version"), Some("2024-06-20"));
    }
    // All three are made from the key that is stored with the attempt.
    let attempt = key(&asked[0]).strip_suffix("-card").unwrap();
    assert!(attempt.starts_with("stripe_pay_"), "{attempt}");
    assert_eq!(
        [key(&asked[1]), key(&asked[2])],
        [format!("{attempt}-payment"), format!("{attempt}-confirm")]
    );
    let card = "type=card&card%5Bnumber%5D=4242424242424242&card%5Bexp_month%5D=12&card%5Bexp_year%5D=2030\
         &card%5Bcvc%5D=123&billing_details%5Bname%5D=Ana";
    assert!(asked[0].body.starts_with(card), "{}", asked[0].body);
    let payment = &asked[1].body;
    for field in [
        "amount=1250&currency=usd&payment_method=pm_1",
        &format!("&metadata%5Bcardform_charge%5D={}", charge.id),
        &format!("&metadata%5Bcardform_payment%5D={attempt}"),
    ] {
        assert!(payment.contains(field), "{field} is not in {payment}");
    }
    assert!(
        !payment.contains("confirm=") && !payment.contains("customer="),
        "{payment}"
    );
    let back = format!("%2Fv1%2Fpub%2Fcharges%2F{}%2Freturn%3Flocale%3Den", charge.id);
    assert!(
        asked[2].body.starts_with("return_url=http%3A%2F%2F127.0.0.1%3A"),
        "{}",
        asked[2].body
    );
    let back = format!("{back}&expand%5B%5D=latest_charge");
    assert!(asked[2].body.ends_with(&back), "{}", asked[2].body);
}

#[tokio::test]
async fn stripe_gets_the_chosen_network_and_tells_the_one_that_paid() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    let charge = world.charge().await;
    let over = |number: &str, network: &str| {
        let mut body = card(&charge, number);
        body["payment_method"]["card"]["network"] = json!(network);
        world.press(&charge, "press-1", &body)
    };
    // Stripe cannot carry a payment over Dankort, so there is no choice.
    let refused = send(over("4571000000000001", "dankort")).await;
    assert_eq!((refused.status, refused.code()), (422, "network_unavailable"));
    let networks = world.request(Method::POST, "/v1/pub/card-networks");
    let networks = networks.bearer_auth(&charge.client_secret);
    let answer = send(networks.json(&json!({"prefix": "45710000"}))).await;
    assert_eq!(
        answer.body,
        json!({"ranges": [{"length": 16, "networks": ["visa"]}]})
    );

    let told = json!({"payment_method_details": {"card": {"network": "cartes_bancaires"}}});
    peer.add_answers([
        card_made(),
        payment_made(),
        confirmation(payment("succeeded", json!({"latest_charge": told}))),
    ]);
    let paid = send(over("4000002500001001", "cb")).await;
    assert_eq!(paid.status_code(), "succeeded", "{paid:?}");
    let asked = peer.asked();
    let network = "payment_method_options%5Bcard%5D%5Bnetwork%5D=cartes_bancaires";
    assert!(asked[2].body.contains(network), "{}", asked[2].body);
    assert!(!asked[1].body.contains("network"), "{}", asked[1].body);
    assert_eq!(world.view(&charge.id).await["paid_with"]["network"], "cb");
}

#[tokio::test]
async fn a_network_that_stripe_refuses_does_not_stop_the_payment() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    let charge = world.charge().await;
    let mut body = card(&charge, "4000002500001001");
    body["payment_method"]["card"]["network"] = json!("cb");
    let refusal = json!({"error": {
        "type": "invalid_request_error", "code": "payment_intent_invalid_parameter",
        "param": "payment_method_options[card][network]",
    }});
    let visa = json!({"payment_method_details": {"card": {"network": "visa"}}});
    let (confirm, _) = confirmation(payment("succeeded", json!({})));
    peer.add_answers([
        card_made(),
        payment_made(),
        (confirm, ScriptedAnswer::Says(400, refusal)),
        confirmation(payment("succeeded", json!({"latest_charge": visa}))),
    ]);
    let paid = send(world.press(&charge, "press-1", &body)).await;
    assert_eq!(paid.status_code(), "succeeded", "{paid:?}");
    let asked = peer.asked();
    let again = &asked[3].body;
    assert!(!again.contains("network"), "{again}");
    assert!(again.starts_with("return_url=http"), "{again}");
    assert!(again.ends_with("&expand%5B%5D=latest_charge"), "{again}");
    assert_eq!(key(&asked[3]), format!("{}-plain", key(&asked[2])));
    assert_eq!(world.view(&charge.id).await["paid_with"]["network"], "visa");
}

#[tokio::test]
async fn a_challenge_is_stripes_page_and_the_return_asks_its_outcome() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    let waits = || {
        payment(
            "requires_action",
            json!({"next_action": {"type": "redirect_to_url", "redirect_to_url": {"url": PAGE, "return_url": "https://pay.example"}}}),
        )
    };
    peer.add_answers([card_made(), payment_made(), confirmation(waits())]);
    let (charge, answer) = pay(&world).await;
    assert_eq!(answer.status_code(), "waiting_for_shopper_action");
    assert_eq!(
        answer.body["shopper_action"],
        json!({"type": "challenge", "url": PAGE, "width": 390, "height": 400})
    );
    peer.add_answers([lookup(waits()), lookup(payment("succeeded", json!({})))]);
    let back = format!("/v1/pub/charges/{}/return", charge.id);
    for status in ["waiting_for_shopper_action", "succeeded"] {
        send(world.request(Method::GET, &back)).await;
        assert_eq!(world.view(&charge.id).await["status"], status);
        world.clock.advance_ms(RETURN_PAUSE_MS);
    }
    peer.asked();
}

#[tokio::test]
async fn the_payment_page_may_frame_any_bank_and_collects_no_device_data() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    let charge = world.charge().await;
    let page = |destination: &'static str| {
        let url = charge.url.split('#').next().unwrap().to_owned();
        world.http.get(url).header("sec-fetch-dest", destination).send()
    };
    let policy = |answer: &reqwest::Response| {
        let policy = answer.headers()["content-security-policy"].to_str();
        policy.unwrap().to_owned()
    };
    let standalone = page("document").await.unwrap();
    let said = policy(&standalone);
    assert!(
        said.contains("frame-src 'self' https:;") && said.contains("form-action 'none';"),
        "{said}"
    );
    assert!(
        said.contains("script-src 'self';") && said.contains("connect-src 'self';"),
        "{said}"
    );
    let text = standalone.text().await.unwrap();
    assert!(text.contains(r#""device_data_timeout_ms":null"#));
    let framed = policy(&page("iframe").await.unwrap());
    assert!(
        framed.contains("frame-src 'none';"),
        "the merchant's page shows the challenge: {framed}"
    );
    let none = world.request(Method::POST, "/v1/pub/device-data/initiate");
    let answer = send(none.bearer_auth(&charge.client_secret)).await;
    assert_eq!((answer.status, answer.body), (200, json!({})));
}

#[tokio::test]
async fn decline_reasons_are_exact_for_merchants_and_safe_for_shoppers() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    for (code, reason, told, shown) in [
        (
            "card_declined",
            Some("insufficient_funds"),
            "insufficient_funds",
            "insufficient_funds",
        ),
        (
            "card_declined",
            Some("generic_decline"),
            "generic_decline",
            "generic_decline",
        ),
        ("card_declined", Some("lost_card"), "lost_card", "generic_decline"),
        (
            "card_declined",
            Some("stolen_card"),
            "stolen_card",
            "generic_decline",
        ),
        (
            "card_declined",
            Some("merchant_blacklist"),
            "fraudulent",
            "generic_decline",
        ),
        (
            "card_declined",
            Some("do_not_try_again"),
            "do_not_honor",
            "do_not_honor",
        ),
        (
            "card_declined",
            Some("issuer_not_available"),
            "issuer_unavailable",
            "issuer_unavailable",
        ),
        (
            "card_declined",
            Some("nobody_knows_this"),
            "generic_decline",
            "generic_decline",
        ),
        (
            "authentication_required",
            Some("authentication_required"),
            "authentication_required",
            "authentication_required",
        ),
        (
            "expired_card",
            Some("expired_card"),
            "expired_card",
            "expired_card",
        ),
        (
            "incorrect_cvc",
            Some("incorrect_cvc"),
            "incorrect_cvc",
            "incorrect_cvc",
        ),
        (
            "processing_error",
            Some("processing_error"),
            "processing_error",
            "processing_error",
        ),
    ] {
        peer.add_answers([
            card_made(),
            payment_made(),
            confirmation(card_error(code, reason)),
        ]);
        let (charge, answer) = pay(&world).await;
        assert_eq!(declined(&answer), (402, shown), "{code} {reason:?}");
        assert_eq!(
            world.view(&charge.id).await["decline_code"],
            told,
            "{code} {reason:?}"
        );
        assert_eq!(peer.asked().len(), 3);
    }
    // Stripe refuses the card itself: no payment is made.
    for code in ["incorrect_number", "invalid_expiry_year", "invalid_cvc"] {
        peer.add_answers([("POST /v1/payment_methods", card_error(code, None))]);
        assert_eq!(declined(&pay(&world).await.1), (402, code));
        assert_eq!(peer.asked().len(), 1);
    }
}

#[tokio::test]
async fn a_shopper_who_cancels_is_canceled_at_stripe_with_the_reason() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    let waits = payment(
        "requires_action",
        json!({"next_action": {"type": "redirect_to_url", "redirect_to_url": {"url": PAGE}}}),
    );
    peer.add_answers([card_made(), payment_made(), confirmation(waits)]);
    let (charge, _) = pay(&world).await;
    peer.asked();
    let canceled = payment(
        "canceled",
        json!({"cancellation_reason": "requested_by_customer"}),
    );
    peer.add_answers([cancellation(ScriptedAnswer::Silence), cancellation(canceled)]);
    let path = format!("/v1/pub/charges/{}/cancel-shopper-action", charge.id);
    let cancel = || {
        send(
            world
                .request(Method::POST, &path)
                .bearer_auth(&charge.client_secret),
        )
    };
    let unheard = cancel().await;
    assert_eq!((unheard.status, unheard.code()), (503, "unavailable"));
    assert_eq!(cancel().await.body["decline_code"], "authentication_canceled");
    let asked = peer.asked();
    assert_eq!(asked[0].body, "cancellation_reason=requested_by_customer");
    assert_ne!(
        key(&asked[0]),
        key(&asked[1]),
        "an answer of before would say nothing of now"
    );
}

#[tokio::test]
async fn amounts_are_sent_in_stripes_unit_or_refused_at_creation() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    for (value, currency, expected) in [
        ("500", "JPY", Some("amount=500&currency=jpy&")),
        ("1.230", "KWD", Some("amount=1230&currency=kwd&")),
        ("5", "ISK", Some("amount=500&currency=isk&")),
        ("1.234", "KWD", None),
        ("5", "UGX", None),
        ("5.000", "LYD", None),
        ("500.20", "MGA", None),
    ] {
        let mut body = new_charge();
        body["amount_value"] = json!(value);
        body["amount_currency"] = json!(currency);
        let created = world.create(&body, None).await;
        let Some(amount) = expected else {
            assert_eq!(
                (created.status, created.code(), created.field()),
                (422, "invalid_amount", "amount_value"),
                "{value} {currency}"
            );
            continue;
        };
        let charge: CreatedCharge = serde_json::from_value(created.body).unwrap();
        let mut press = card(&charge, APPROVED);
        press["amount_value"] = json!(value);
        press["amount_currency"] = json!(currency);
        peer.add_answers([
            card_made(),
            payment_made(),
            confirmation(payment("succeeded", json!({}))),
        ]);
        assert_eq!(send(world.press(&charge, "press-1", &press)).await.status, 201);
        let asked = peer.asked();
        assert!(asked[1].body.starts_with(amount), "{}", asked[1].body);
    }
}

#[tokio::test]
async fn connections_that_carried_a_card_are_closed() {
    let peer = Peer::start().await;
    let world = world(&peer.url).await;
    let card = json!({"id": "pm_1", "object": "payment_method"});
    let refused = json!({"error": {"type": "invalid_request_error", "code": "amount_too_small"}});
    peer.add_answers([
        (
            "POST /v1/payment_methods",
            ScriptedAnswer::SaysAndStays(200, card),
        ),
        (
            "POST /v1/payment_intents",
            ScriptedAnswer::Says(400, refused.clone()),
        ),
    ]);
    assert_eq!(declined(&pay(&world).await.1), (402, "transaction_not_allowed"));
    assert!(
        peer.is_closed_by_client(Duration::from_secs(5)).await,
        "a buffer of it may hold the number"
    );
    peer.asked();
    peer.add_answers([
        card_made(),
        (
            "POST /v1/payment_intents",
            ScriptedAnswer::SaysAndStays(400, refused),
        ),
    ]);
    assert_eq!(declined(&pay(&world).await.1), (402, "transaction_not_allowed"));
    assert!(!peer.is_closed_by_client(Duration::from_millis(200)).await);
}
