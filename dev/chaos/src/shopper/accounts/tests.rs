use super::*;

fn charges(status: &str) -> [ChargeRecords; 1] {
    [ChargeRecords {
        charge_id: "ch_1".to_owned(),
        merchant: json!({"id": "ch_1", "status": status}),
        ..ChargeRecords::default()
    }]
}

fn account(last_fours: &[&str]) -> AccountRecords {
    let cards = last_fours.iter().map(|four| json!({"last_four": four}));
    AccountRecords {
        listed: Some(cards.collect()),
        ..AccountRecords::new("shopper-1".to_owned(), "ch_1".to_owned())
    }
}

#[test]
fn a_card_is_saved_only_if_its_charge_is_paid() {
    for (status, cards, wrong) in [
        ("succeeded", &["4242"][..], 0),
        ("succeeded", &["3220"], 0),
        ("failed", &[], 0),
        ("succeeded", &[], 1),
        ("succeeded", &["4242", "3220"], 1),
        ("succeeded", &["9995"], 1),
        ("failed", &["4242"], 1),
    ] {
        let found = account(cards).contradictions(&charges(status), false);
        assert_eq!(found.len(), wrong, "{status} {cards:?}: {found:?}");
    }
    let unread = AccountRecords::new("shopper-1".to_owned(), "ch_1".to_owned());
    assert_eq!(unread.contradictions(&charges("failed"), true).len(), 1);
}

#[test]
fn a_removed_card_must_be_gone() {
    let removed = |cards: &[&str]| AccountRecords {
        is_removed: true,
        ..account(cards)
    };
    assert!(
        removed(&[])
            .contradictions(&charges("succeeded"), false)
            .is_empty()
    );
    assert_eq!(
        removed(&["4242"])
            .contradictions(&charges("succeeded"), true)
            .len(),
        1
    );
}

#[test]
fn a_failing_database_may_lose_a_card_but_makes_none() {
    assert!(
        account(&[])
            .contradictions(&charges("succeeded"), true)
            .is_empty()
    );
    assert_eq!(
        account(&["4242"]).contradictions(&charges("failed"), true).len(),
        1
    );
}
