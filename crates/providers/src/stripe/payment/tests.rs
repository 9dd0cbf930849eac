use protocol::PaymentFacts;
use serde_json::json;

use super::*;

fn outcome(changes: &Value) -> ProviderOutcome {
    let mut payment = json!({"id": "pi_1", "object": "payment_intent", "next_action": null, "metadata": {}});
    let fields = changes.as_object().unwrap().clone();
    payment.as_object_mut().unwrap().extend(fields);
    serde_json::from_value::<PaymentIntent>(payment)
        .unwrap()
        .outcome()
}

#[test]
fn each_payment_status_has_one_outcome() {
    let declined = |code| ProviderOutcome::declined(code);
    let cases = [
        (
            json!({"status": "succeeded"}),
            ProviderOutcome::Approved("pi_1".into()),
        ),
        (json!({"status": "processing"}), ProviderOutcome::Unknown),
        (
            json!({"status": "requires_confirmation"}),
            ProviderOutcome::Unknown,
        ),
        (
            json!({"status": "requires_capture"}),
            ProviderOutcome::Approved(Approval {
                reference: "pi_1".into(),
                hold: Some(Hold { ends_at: None }),
                facts: Box::default(),
            }),
        ),
        (json!({"status": "of_next_year"}), ProviderOutcome::Unknown),
        (
            json!({"status": "requires_payment_method", "last_payment_error": {"code": "card_declined", "decline_code": "do_not_honor"}}),
            declined(DeclineCode::DoNotHonor),
        ),
        (
            json!({"status": "requires_payment_method", "last_payment_error": null}),
            declined(DeclineCode::GenericDecline),
        ),
        (
            json!({"status": "canceled", "cancellation_reason": null}),
            declined(DeclineCode::ProcessingError),
        ),
    ];
    for (changes, expected) in cases {
        assert_eq!(outcome(&changes), expected, "{changes}");
    }
    for why in [GiveUpReason::Canceled, GiveUpReason::TimedOut] {
        let canceled = json!({"status": "canceled", "cancellation_reason": cancellation_reason(why)});
        assert_eq!(outcome(&canceled), declined(why.decline()));
    }
}

#[test]
fn a_challenge_is_stripes_page_in_the_requested_size() {
    let waits = |next_action: Value, metadata: Value| {
        outcome(&json!({"status": "requires_action", "next_action": next_action, "metadata": metadata}))
    };
    let challenge = |url: &str, width, height| {
        ProviderOutcome::ActionRequired(ShopperAction::Challenge {
            url: url.into(),
            width,
            height,
        })
    };
    let redirect =
        json!({"type": "redirect_to_url", "redirect_to_url": {"url": "https://hooks.stripe.example/1"}});
    let ours =
        json!({"cardform_challenge_window": "500x600", "cardform_return_url": "https://pay.example/back"});
    assert_eq!(
        waits(redirect.clone(), ours.clone()),
        challenge("https://hooks.stripe.example/1", 500, 600)
    );
    assert_eq!(
        waits(redirect, json!({})),
        challenge("https://hooks.stripe.example/1", 390, 400)
    );
    let sdk = |page: &str| json!({"type": "use_stripe_sdk", "use_stripe_sdk": {"stripe_js": page}});
    assert_eq!(
        waits(sdk("https://hooks.stripe.example/2"), ours.clone()),
        challenge("https://hooks.stripe.example/2", 500, 600)
    );
    assert_eq!(
        waits(sdk(""), ours.clone()),
        challenge("https://pay.example/back", 500, 600)
    );
    assert_eq!(
        waits(sdk("javascript:alert(1)"), json!({})),
        ProviderOutcome::Unknown
    );
    assert_eq!(
        waits(json!({"type": "of_next_year"}), ours),
        ProviderOutcome::Unknown
    );
}

#[test]
fn an_expanded_charge_tells_facts_of_the_card_and_the_end_of_a_hold() {
    let card = json!({
        "funding": "debit", "country": "DE", "network": "cartes_bancaires", "network_transaction_id": "1234567890",
        "checks": {"cvc_check": "pass", "address_postal_code_check": "fail", "address_line1_check": null},
        "three_d_secure": {"result": "authenticated", "authentication_flow": "challenge"},
        "capture_before": 1_784_000_000,
    });
    let charge =
        |card: &Value| json!({"id": "ch_x", "payment_method_details": {"card": card, "type": "card"}});
    let facts = PaymentFacts {
        funding: Some("debit".into()),
        country: Some("DE".into()),
        network: Some("cb".into()),
        network_transaction_id: Some("1234567890".into()),
        security_code_check: Some("pass".into()),
        postal_code_check: Some("fail".into()),
        three_ds_outcome: Some("authenticated".into()),
        three_ds_flow: Some("challenge".into()),
        ..PaymentFacts::default()
    };
    let approved = |status: &str, capture: &str, charge: Value| {
        let payment = json!({"status": status, "capture_method": capture, "latest_charge": charge});
        match outcome(&payment) {
            ProviderOutcome::Approved(approval) => approval,
            other => panic!("{other:?}"),
        }
    };
    let held = approved("requires_capture", "manual", charge(&card));
    let ends_at = Some(1_784_000_000_000);
    assert_eq!((held.hold, &*held.facts), (Some(Hold { ends_at }), &facts));
    assert_eq!(approved("succeeded", "automatic", charge(&card)).hold, None);
    // Captured by a person at Stripe before we learnt of the hold.
    assert!(approved("succeeded", "manual", charge(&card)).hold.is_some());
    for little in [
        json!("ch_x"),
        Value::Null,
        json!({}),
        charge(&json!({"funding": "unknown"})),
        // An object that is not understood does not hide the payment.
        json!({"payment_method_details": 7}),
    ] {
        let approval = approved("succeeded", "automatic", little);
        assert_eq!(approval, "pi_1".into());
    }
}

#[test]
fn a_decline_has_the_networks_code_from_the_error_or_the_charge() {
    let network_code = |error: Value, charge: Value| {
        let error = json!({"code": "card_declined", "network_decline_code": error});
        let payment = json!({
            "status": "requires_payment_method", "last_payment_error": error, "latest_charge": charge,
        });
        match outcome(&payment) {
            ProviderOutcome::Declined(reason) => reason.network_code,
            other => panic!("{other:?}"),
        }
    };
    let charge = json!({"outcome": {"network_decline_code": "05"}});
    assert_eq!(network_code(json!("51"), charge.clone()).as_deref(), Some("51"));
    assert_eq!(network_code(Value::Null, charge).as_deref(), Some("05"));
    assert_eq!(network_code(Value::Null, json!("ch_x")), None);
}
