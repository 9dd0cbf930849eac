use super::*;

#[test]
fn a_prevented_key_is_no_payment_and_stays_prevented() {
    let data = tempfile::tempdir().unwrap();
    let path = data.path().join(LEDGER_FILE);
    let prevented = Entry {
        asked: AskedPayment {
            idempotency_key: "a".to_owned(),
            charge_id: "ch_1".to_owned(),
            amount_value: "12.50".to_owned(),
            amount_currency: "USD".to_owned(),
            ..AskedPayment::default()
        },
        outcome: PaymentOutcome::Declined,
        at: "2026-01-02T03:04:05Z".to_owned(),
        decline_code: None,
        prevented: true,
        hold_ends_at: None,
    };
    let approved = Entry {
        outcome: PaymentOutcome::Approved,
        prevented: false,
        ..prevented.clone()
    };
    Ledger::open(&path)
        .unwrap()
        .entry("a", || prevented.clone())
        .unwrap();
    let ledger = Ledger::open(&path).unwrap();
    assert_eq!(ledger.entry("a", || approved).unwrap(), prevented);
    assert_eq!(ledger.entries(), []);
}

#[test]
fn an_entry_of_an_earlier_version_is_read() {
    let line = r#"{"idempotency_key":"a","charge_id":"ch_1","amount_value":"12.50","amount_currency":"USD","outcome":"approved","at":"2026-01-02T03:04:05Z","decline_code":null}"#;
    let entry: Entry = serde_json::from_str(line).unwrap();
    assert_eq!(entry.asked.facts, PaymentFacts::default());
    assert_eq!((entry.hold_ends_at, entry.prevented), (None, false));
}
