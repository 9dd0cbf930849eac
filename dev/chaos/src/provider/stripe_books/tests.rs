use super::*;

fn books(status: &str, takings: &[&str]) -> StripeBooks {
    let taking = |status: &&str| json!({"id": "ch_9", "payment_intent": "pi_1", "status": status, "amount": 1250, "currency": "usd", "captured": true});
    StripeBooks {
        payments: vec![json!({"id": "pi_1", "status": status, "metadata": {"cardform_charge": "ch_1"}})],
        takings: takings.iter().map(taking).collect(),
        refunds: vec![
            json!({"charge": "ch_9", "amount": 205}),
            json!({"charge": "ch_8", "amount": 1}),
        ],
        cards: BTreeMap::from([("shopper-1".to_owned(), 1)]),
    }
}

#[test]
fn a_taking_is_an_entry_of_its_charge() {
    let entry = |captured| {
        json!({
            "charge_id": "ch_1", "amount_value": "12.50", "amount_currency": "USD", "amount_captured": captured,
            "amount_capturable": "0.00", "amount_refunded": "2.05",
        })
    };
    let entries = books("succeeded", &["failed", "succeeded"]).entries();
    assert_eq!(entries, [entry("0.00"), entry("12.50")]);
    let mut held = books("requires_capture", &["failed", "succeeded"]);
    held.takings[1]["captured"] = json!(false);
    let entries = held.entries();
    let sums = entries
        .iter()
        .map(|entry| (&entry["amount_captured"], &entry["amount_capturable"]));
    let (nothing, all) = (json!("0.00"), json!("12.50"));
    assert_eq!(sums.collect::<Vec<_>>(), [(&nothing, &nothing), (&nothing, &all)]);
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
        ("canceled", &["succeeded"], 0),
        ("canceled", &["succeeded", "succeeded"], 1),
        ("requires_capture", &["succeeded"], 0),
        ("requires_capture", &[], 1),
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
