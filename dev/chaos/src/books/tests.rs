use super::*;
use serde_json::json;

fn charge(merchant: &str, told: &[&str]) -> [ChargeRecords; 1] {
    [ChargeRecords {
        charge_id: "ch_1".into(),
        told: told.iter().map(|told| (*told).to_owned()).collect(),
        could_pay: true,
        merchant: view(merchant),
        ..ChargeRecords::default()
    }]
}

fn found(charges: &[ChargeRecords], ledger: &[Value]) -> Vec<String> {
    contradictions(charges, ledger)
}

fn view(status: &str) -> Value {
    let captured = if status == "succeeded" { "12.50" } else { "0.00" };
    json!({"id": "ch_1", "status": status, "amount_captured": captured, "refunds": []})
}

fn entry(charge_id: &str, outcome: &str, amount: &str) -> Value {
    let captured = if outcome == "approved" { amount } else { "0.00" };
    json!({
        "charge_id": charge_id, "outcome": outcome, "amount_value": amount, "amount_currency": "USD",
        "amount_captured": captured, "amount_capturable": "0.00", "amount_refunded": "0.00",
    })
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
        (charge("failed", &["authorized"]), vec![]),
    ] {
        assert_eq!(found(&charges, &ledger).len(), 1, "{charges:?} {ledger:?}");
    }
}

#[test]
fn a_payment_of_another_amount_is_named() {
    let [other, different] = &found(&charge("succeeded", &[]), &[entry("ch_1", "approved", "99.00")])[..]
    else {
        panic!("two lines");
    };
    assert!(other.contains("does not exist here"), "{other}");
    assert!(different.contains("captured: 9900"), "{different}");
}

#[test]
fn refunds_agree_to_the_cent() {
    let paid = |refunded: &str, refunds: Value| {
        let [mut charge] = charge("succeeded", &[]);
        charge.merchant["amount_refunded"] = json!(refunded);
        charge.merchant["refunds"] = refunds;
        charge
    };
    let refund =
        |id: &str, status: &str, amount: &str| json!({"id": id, "status": status, "amount_value": amount});
    let mut ledger = [entry("ch_1", "approved", "12.50")];
    ledger[0]["amount_refunded"] = json!("2.50");
    let right = json!([
        refund("re_1", "succeeded", "2.50"),
        refund("re_2", "failed", "12.50")
    ]);
    let mut charge = paid("2.50", right.clone());
    charge.refunds = vec![
        refund("re_1", "processing", "2.50"),
        refund("re_2", "outcome_unknown", "12.50"),
    ];
    assert_eq!(found(&[charge.clone()], &ledger), [] as [&str; 0]);
    for wrong in [
        // At the provider one cent less, or more than was captured.
        paid("2.51", json!([refund("re_1", "succeeded", "2.51")])),
        paid("2.50", json!([refund("re_1", "succeeded", "2.40")])),
        ChargeRecords {
            refunds: vec![refund("re_3", "processing", "1.00")],
            ..charge.clone()
        },
        ChargeRecords {
            refunds: vec![refund("re_2", "succeeded", "12.50")],
            ..charge
        },
    ] {
        assert_eq!(found(std::slice::from_ref(&wrong), &ledger).len(), 1, "{wrong:?}");
    }
}

#[test]
fn a_hold_is_held_at_the_provider_too() {
    let [mut held] = charge("authorized", &["authorized"]);
    held.merchant["amount_capturable"] = json!("12.50");
    let mut ledger = [entry("ch_1", "authorized", "12.50")];
    ledger[0]["amount_capturable"] = json!("12.50");
    assert_eq!(found(&[held.clone()], &ledger), [] as [&str; 0]);
    assert!(held.is_settled());
    held.hold_ends = true;
    assert!(!held.is_settled());
    let [mut captured] = charge("succeeded", &["authorized"]);
    captured.merchant["capture_method"] = json!("manual");
    assert_eq!(
        found(&[captured.clone()], &[entry("ch_1", "approved", "12.50")]).len(),
        1
    );
    captured.hold_ends = true;
    assert_eq!(found(&[captured], &[entry("ch_1", "approved", "12.50")]).len(), 0);
    assert_eq!(found(&charge("canceled", &["authorized"]), &ledger).len(), 1);
    assert_eq!(found(&[held], &[]).len(), 1);
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
