use super::*;
use serde_json::json;

fn charge(merchant: &str, told: &[&str]) -> [ChargeRecords; 1] {
    [ChargeRecords {
        charge_id: "ch_1".into(),
        told: told.iter().map(|told| (*told).to_owned()).collect(),
        could_pay: true,
        merchant: json!({"id": "ch_1", "status": merchant}),
        ..ChargeRecords::default()
    }]
}

fn found(charges: &[ChargeRecords], ledger: &[Value]) -> Vec<String> {
    contradictions(charges, ledger)
}

fn entry(charge_id: &str, outcome: &str, amount: &str) -> Value {
    json!({"charge_id": charge_id, "outcome": outcome, "amount_value": amount, "amount_currency": "USD"})
}

#[test]
fn records_that_agree_have_no_contradictions() {
    let declined = entry("ch_1", "declined", "12.50");
    let approved = entry("ch_1", "approved", "12.50");
    assert!(
        found(
            &charge("succeeded", &["processing", "succeeded"]),
            &[declined.clone(), approved]
        )
        .is_empty()
    );
    assert!(found(&charge("failed", &["failed"]), &[declined]).is_empty());
    assert!(found(&charge("canceled", &[]), &[]).is_empty());
}

#[test]
fn every_contradiction_is_named() {
    let approved = || entry("ch_1", "approved", "12.50");
    for (charges, ledger) in [
        (charge("succeeded", &[]), vec![]),
        (charge("succeeded", &[]), vec![approved(), approved()]),
        (charge("failed", &[]), vec![approved()]),
        (charge("canceled", &[]), vec![approved()]),
        (charge("processing", &[]), vec![]),
        (charge("waiting_for_shopper_action", &[]), vec![]),
        (charge("outcome_unknown", &[]), vec![approved()]),
        (charge("failed", &["succeeded"]), vec![]),
        (
            charge("succeeded", &[]),
            vec![approved(), entry("ch_2", "approved", "12.50")],
        ),
        (charge("succeeded", &[]), vec![entry("ch_1", "approved", "99.00")]),
    ] {
        assert_eq!(found(&charges, &ledger).len(), 1, "{charges:?} {ledger:?}");
    }
}

#[test]
fn a_paid_charge_whose_shopper_heard_failed_is_named() {
    let approved = [entry("ch_1", "approved", "12.50")];
    let told_failed = charge("succeeded", &["outcome_unknown", "failed"]);
    assert_eq!(found(&told_failed, &approved).len(), 1);
    let declined_first = charge("succeeded", &["failed", "succeeded"]);
    assert!(found(&declined_first, &approved).is_empty());
    let [mut pressed_again] = told_failed;
    pressed_again.has_lost_answers = true;
    assert!(found(&[pressed_again], &approved).is_empty());
}

#[test]
fn a_paid_charge_with_a_failed_challenge_is_named() {
    let [mut abandoned] = charge("succeeded", &["waiting_for_shopper_action"]);
    abandoned.could_pay = false;
    let ledger = [entry("ch_1", "approved", "12.50")];
    assert_eq!(found(&[abandoned], &ledger).len(), 1);
}
