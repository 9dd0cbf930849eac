//! Whether the books agree: what the provider took, what the merchant is told, and what the shopper was told.

use serde_json::Value;

use crate::shop::AMOUNT;

/// What is known of a charge at the end of a trial. Another witness, such as the webhooks that arrived, is another
/// field here and another question in [`complaints`].
#[derive(Debug, Clone)]
pub(crate) struct Witnesses {
    pub(crate) charge_id: String,
    /// The statuses that the shopper's page and the cancelling merchant were told, in order.
    pub(crate) told: Vec<String>,
    /// What `GET /v1/charges/{id}` says at the end.
    pub(crate) merchant: String,
}

/// Everything that does not agree, one line each.
pub(crate) fn complaints(charges: &[Witnesses], ledger: &[Value]) -> Vec<String> {
    let mut found = Vec::new();
    for charge in charges {
        let id = &charge.charge_id;
        let entries = ledger.iter().filter(|entry| entry["charge_id"] == id.as_str());
        let approvals = entries.filter(|entry| entry["outcome"] == "approved").count();
        let status = charge.merchant.as_str();
        let expected = match status {
            "succeeded" => 1,
            "created" | "failed" | "canceled" | "expired" => 0,
            _ => {
                found.push(format!("{id} is still {status}"));
                continue;
            }
        };
        if approvals != expected {
            found.push(format!(
                "{id} is {status} and the provider took it {approvals} times"
            ));
        }
        let final_ones = ["succeeded", "canceled"];
        let told_otherwise = charge
            .told
            .iter()
            .find(|told| final_ones.contains(&told.as_str()) && *told != status);
        if let Some(told) = told_otherwise {
            found.push(format!("{id} is {status}, and somebody was told that it {told}"));
        }
    }
    let strangers = ledger.iter().filter(|entry| {
        let known = charges
            .iter()
            .any(|charge| entry["charge_id"] == charge.charge_id.as_str());
        !known || (entry["amount_value"] != AMOUNT.0 || entry["amount_currency"] != AMOUNT.1)
    });
    found.extend(strangers.map(|entry| format!("the provider has what nobody asked for: {entry}")));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn charge(merchant: &str, told: &[&str]) -> [Witnesses; 1] {
        [Witnesses {
            charge_id: "ch_1".into(),
            told: told.iter().map(|told| (*told).to_owned()).collect(),
            merchant: merchant.into(),
        }]
    }

    fn entry(charge_id: &str, outcome: &str, amount: &str) -> Value {
        json!({"charge_id": charge_id, "outcome": outcome, "amount_value": amount, "amount_currency": "USD"})
    }

    #[test]
    fn books_that_agree_are_not_complained_about() {
        let declined = entry("ch_1", "declined", "12.50");
        let approved = entry("ch_1", "approved", "12.50");
        assert!(
            complaints(
                &charge("succeeded", &["processing", "succeeded"]),
                &[declined.clone(), approved]
            )
            .is_empty()
        );
        assert!(complaints(&charge("failed", &["failed"]), &[declined]).is_empty());
        assert!(complaints(&charge("canceled", &[]), &[]).is_empty());
    }

    #[test]
    fn every_disagreement_is_named() {
        let approved = || entry("ch_1", "approved", "12.50");
        for (charges, ledger) in [
            (charge("succeeded", &[]), vec![]),
            (charge("succeeded", &[]), vec![approved(), approved()]),
            (charge("failed", &[]), vec![approved()]),
            (charge("canceled", &[]), vec![approved()]),
            (charge("processing", &[]), vec![]),
            (charge("outcome_unknown", &[]), vec![approved()]),
            (charge("failed", &["succeeded"]), vec![]),
            (
                charge("succeeded", &[]),
                vec![approved(), entry("ch_2", "approved", "12.50")],
            ),
            (charge("succeeded", &[]), vec![entry("ch_1", "approved", "99.00")]),
        ] {
            assert_eq!(complaints(&charges, &ledger).len(), 1, "{charges:?} {ledger:?}");
        }
    }
}
