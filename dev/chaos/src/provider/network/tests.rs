use super::*;

#[test]
fn only_a_payment_that_waits_gets_a_challenge_page() {
    let with_page = |payment: Value| {
        let answer = with_challenge_page(payment.to_string().as_bytes(), "http://bank")?;
        serde_json::from_slice::<Value>(&answer).ok()
    };
    let action = json!({"type": "use_stripe_sdk", "use_stripe_sdk": {"stripe_js": ""}});
    let waiting = with_page(json!({"id": "pi_1", "next_action": action})).unwrap();
    assert_eq!(
        waiting["next_action"]["use_stripe_sdk"]["stripe_js"],
        "http://bank/challenge/pi_1"
    );
    assert_eq!(with_page(json!({"id": "pi_1", "next_action": null})), None);
    assert_eq!(with_page(json!({"error": {}})), None);
}
