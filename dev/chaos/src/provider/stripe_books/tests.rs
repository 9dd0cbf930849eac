use super::*;

fn books(status: &str, takings: &[&str]) -> StripeBooks {
    let taking = |status: &&str| json!({"id": "ch_9", "payment_intent": "pi_1", "status": status, "amount": 1250, "currency": "usd"});
    StripeBooks {
        payments: vec![json!({"id": "pi_1", "status": status, "metadata": {"cardform_charge": "ch_1"}})],
        takings: takings.iter().map(taking).collect(),
        cards: BTreeMap::from([("shopper-1".to_owned(), 1)]),
    }
}

#[test]
fn a_taking_is_an_entry_of_its_charge() {
    let entry = |outcome| {
        json!({
            "charge_id": "ch_1", "outcome": outcome, "amount_value": "12.50", "amount_currency": "USD",
        })
    };
    let entries = books("succeeded", &["failed", "succeeded"]).entries();
    assert_eq!(entries, [entry("declined"), entry("approved")]);
    let mut of_others = books("succeeded", &["succeeded"]);
    of_others.payments.clear();
    assert_eq!(of_others.entries()[0]["charge_id"], Value::Null);
}

#[test]
fn a_payment_is_over_and_took_money_once_or_never() {
    for (status, takings, wrong) in [
        ("succeeded", &["succeeded"][..], 0),
        ("requires_payment_method", &["failed"], 0),
        ("requires_confirmation", &[], 0),
        ("canceled", &[], 0),
        ("succeeded", &["succeeded", "succeeded"], 1),
        ("canceled", &["succeeded"], 1),
        ("requires_action", &[], 1),
        ("processing", &[], 1),
    ] {
        let found = books(status, takings).contradictions(&[]);
        assert_eq!(found.len(), wrong, "{status} {takings:?}: {found:?}");
    }
}

#[test]
fn each_shopper_has_the_same_cards_at_stripe() {
    let account = |shopper: &str| AccountRecords::new(shopper.to_owned(), "ch_1".to_owned());
    let books = books("succeeded", &["succeeded"]);
    assert_eq!(books.contradictions(&[account("shopper-1")]).len(), 1);
    assert_eq!(books.contradictions(&[account("shopper-2")]).len(), 0);
}

#[test]
fn an_idempotency_key_belongs_to_one_request() {
    let complaints = |requests: &[(&str, Option<&str>, &str)]| {
        let mut seen = StripeRequests::default();
        for (path, key, body) in requests {
            seen.add(path, *key, body.as_bytes());
        }
        seen.complaints().len()
    };
    let confirm = "/v1/payment_intents/pi_1/confirm";
    let sent_again = [("/a", Some("k"), "x"), ("/a", Some("k"), "x")];
    let plain = [(confirm, Some("k"), "x"), (confirm, Some("k-plain"), "")];
    assert_eq!((complaints(&sent_again), complaints(&plain)), (0, 0));
    for wrong in [
        &[("/a", None, "x")][..],
        &[("/a", Some("k"), "x"), ("/a", Some("k"), "y")],
        &[("/a", Some("k"), "x"), ("/b", Some("k"), "x")],
        &[(confirm, Some("k"), "x"), (confirm, Some("l"), "x")],
    ] {
        assert_eq!(complaints(wrong), 1, "{wrong:?}");
    }
}
