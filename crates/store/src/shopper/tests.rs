use super::*;

#[test]
fn a_refund_loses_the_merchants_words_and_a_dispute_keeps_the_providers() {
    let reason_of = |kind: &str| {
        let event = json!({
            "type": kind,
            "data": { "reason": "fraudulent", "metadata": { "who": "Ana" }, "charge": { "shopper_id": "ana" } },
        });
        let body: Value = serde_json::from_str(&without_shopper(&event.to_string()).unwrap()).unwrap();
        assert_eq!(body.pointer("/data/charge/shopper_id"), Some(&Value::Null));
        assert_eq!(body.pointer("/data/metadata"), Some(&json!({})));
        body["data"]["reason"].clone()
    };
    assert_eq!(reason_of("refund.succeeded"), Value::Null);
    assert_eq!(reason_of("dispute.open"), "fraudulent");
}
