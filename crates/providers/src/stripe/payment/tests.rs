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
        (json!({"status": "requires_capture"}), ProviderOutcome::Unknown),
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
