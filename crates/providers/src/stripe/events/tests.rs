//! Which events count as Stripe's, and what they mean.

use protocol::ids::hex;
use serde_json::json;

use super::*;

const NOW: i64 = 1_700_000_000;

fn secret() -> EventSecret {
    EventSecret::read(&SecretSource::Setting(Sensitive::new(" whsec_test\n".into()))).unwrap()
}

fn signed(body: &str, at: i64) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, b"whsec_test");
    let signature = hmac::sign(&key, format!("{at}.{body}").as_bytes());
    format!("t={at},v0=00,v1=00ff,v1={}", hex(signature.as_ref()))
}

#[test]
fn only_a_fresh_signature_of_the_body_counts() {
    let body = json!({ "type": "x", "data": { "object": {} } }).to_string();
    let read = |signature: &str, body: &str| read(&secret(), signature, body.as_bytes(), NOW);
    assert_eq!(read(&signed(&body, NOW), &body), Ok(ProviderEvent::Other));
    assert_eq!(read(&signed(&body, NOW - 300), &body), Ok(ProviderEvent::Other));
    let refused = Err(EventRefusal::Signature);
    for signature in [
        String::new(),
        "t=1".into(),
        format!("t={NOW},v1="),
        format!("t={NOW},v1=zz"),
        signed(&body, NOW - 301),
        signed(&body, NOW + 301),
        signed(&body, NOW).replace("v1=", "v2="),
    ] {
        assert_eq!(read(&signature, &body), refused, "{signature}");
    }
    assert_eq!(read(&signed(&body, NOW), &body.replace('x', "y")), refused);
    assert_eq!(read(&signed("no", NOW), "no"), Err(EventRefusal::Unreadable));
}

#[test]
fn an_event_names_what_has_changed() {
    let meaning = |kind: &str, object: Value| {
        let body = json!({ "type": kind, "data": { "object": object } }).to_string();
        read(&secret(), &signed(&body, NOW), body.as_bytes(), NOW).unwrap()
    };
    let refund = json!({ "id": "re_1", "metadata": { "cardform_refund": "re_ours" } });
    for kind in ["refund.updated", "refund.failed", "charge.refund.updated"] {
        let changed = ProviderEvent::Operation { id: "re_ours".into() };
        assert_eq!(meaning(kind, refund.clone()), changed, "{kind}");
    }
    let payment = json!({ "id": "pi_1", "metadata": { "cardform_payment": "stripe_pay_1" } });
    assert_eq!(
        meaning("payment_intent.canceled", payment),
        ProviderEvent::Payment {
            key: "stripe_pay_1".into()
        }
    );
    // Objects that are not ours.
    for kind in [
        "refund.updated",
        "payment_intent.canceled",
        "charge.dispute.created",
        "invoice.paid",
    ] {
        assert_eq!(
            meaning(kind, json!({ "id": "x" })),
            ProviderEvent::Other,
            "{kind}"
        );
    }
}

#[test]
fn a_dispute_has_its_amount_and_its_end() {
    let told = |status: &str| {
        let object = json!({
            "id": "dp_1", "payment_intent": "pi_1", "amount": 1250, "currency": "usd", "reason": "fraudulent",
            "status": status, "evidence_details": { "due_by": 1_700_600_000 },
        });
        let event = StripeEvent {
            kind: "charge.dispute.updated".into(),
            data: EventData { object },
        };
        match event.meaning() {
            ProviderEvent::Dispute { payment, dispute } => {
                assert_eq!(
                    (payment.as_str(), dispute.amount_value.as_str()),
                    ("pi_1", "12.50")
                );
                assert_eq!(dispute.respond_before, Some(1_700_600_000_000));
                dispute.status
            }
            other => panic!("{other:?}"),
        }
    };
    for (status, ours) in [
        ("needs_response", DisputeStatus::Open),
        ("under_review", DisputeStatus::Open),
        ("warning_needs_response", DisputeStatus::Open),
        ("won", DisputeStatus::Won),
        ("warning_closed", DisputeStatus::Won),
        ("lost", DisputeStatus::Lost),
    ] {
        assert_eq!(told(status), ours, "{status}");
    }
}
