//! Checks that all records of a charge agree: the provider's ledger, the merchant's view, and the answers that the shopper
//! got.

use std::collections::HashMap;

use harness::receiver::ReceivedEvent;
use harness::shop::{AMOUNT, CreatedTrialCharge};
use serde_json::Value;
use thiserror::Error;

/// Records that do not agree, one line each.
#[derive(Debug, Error)]
#[error("the books do not agree:\n{}", .0.join("\n"))]
pub struct Contradictions(Vec<String>);

impl Contradictions {
    /// An error if there are any.
    pub(crate) fn none(found: Vec<String>) -> Result<(), Self> {
        if found.is_empty() {
            Ok(())
        } else {
            Err(Self(found))
        }
    }
}

/// The records of a charge at the end of a drill.
#[derive(Debug, Clone, Default)]
pub(crate) struct ChargeRecords {
    pub(crate) charge_id: String,
    /// The statuses that the shopper's page and the canceling merchant got, in order.
    pub(crate) told: Vec<String>,
    /// Whether a press got no answer at all, so that its outcome is unknown.
    pub(crate) has_lost_answers: bool,
    /// Whether a card was tried that pays, and its challenge passed if it has one.
    pub(crate) could_pay: bool,
    /// Whether the shopper paid with a saved card.
    pub(crate) has_saved_card: bool,
    /// The answer of `GET /v1/charges/{id}` at the end.
    pub(crate) merchant: Value,
    /// The events that the merchant's server received, in order of arrival.
    pub(crate) events: Vec<ReceivedEvent>,
}

impl ChargeRecords {
    /// Of a new charge.
    pub(crate) fn of(charge: &CreatedTrialCharge) -> Self {
        Self {
            charge_id: charge.id.clone(),
            ..Self::default()
        }
    }

    /// Adds the answers to a press.
    pub(crate) fn hear(&mut self, heard: HeardStatuses) {
        self.has_lost_answers |= heard.has_lost_answers;
        self.told.extend(heard.told);
    }

    pub(crate) fn status(&self) -> &str {
        self.merchant["status"].as_str().unwrap_or_default()
    }

    /// Whether the shopper or the merchant was told this status.
    pub(crate) fn was_told(&self, status: &str) -> bool {
        self.told.iter().any(|told| told == status)
    }
}

/// The answers to one press.
#[derive(Debug, Default)]
pub(crate) struct HeardStatuses {
    /// The statuses, in order.
    pub(crate) told: Vec<String>,
    /// Whether the press itself got no answer, so that its outcome is unknown.
    pub(crate) has_lost_answers: bool,
}

impl HeardStatuses {
    /// A press is answered with `status_code`, a look with `status`.
    pub(crate) fn hear(&mut self, body: &Value) {
        let status = body["status_code"].as_str().or(body["status"].as_str());
        self.told.extend(status.map(str::to_owned));
    }
}

/// All contradictions, one line each.
pub(crate) fn contradictions(charges: &[ChargeRecords], ledger: &[Value]) -> Vec<String> {
    let mut found = Vec::new();
    // How often the provider approved each charge.
    let mut approvals: HashMap<&str, usize> = charges
        .iter()
        .map(|charge| (charge.charge_id.as_str(), 0))
        .collect();
    for entry in ledger {
        let id = entry["charge_id"].as_str().unwrap_or_default();
        let is_amount = entry["amount_value"] == AMOUNT.0 && entry["amount_currency"] == AMOUNT.1;
        let count = approvals.get_mut(id);
        if count.is_none() || !is_amount {
            found.push(format!(
                "the provider has a charge that does not exist here: {entry}"
            ));
        }
        if let Some(count) = count {
            *count += usize::from(entry["outcome"] == "approved");
        }
    }
    for charge in charges {
        let (id, status) = (&charge.charge_id, charge.status());
        let expected = match status {
            "succeeded" => 1,
            "created" | "failed" | "canceled" | "expired" => 0,
            _ => {
                found.push(format!("{id} is still {status}"));
                continue;
            }
        };
        let taken = approvals[id.as_str()];
        if taken != expected {
            found.push(format!("{id} is {status} and the provider took it {taken} times"));
        }
        if status == "succeeded" && !charge.could_pay {
            found.push(format!("{id} is paid, and no card was tried that pays"));
        }
        for told in ["succeeded", "canceled"] {
            if told != status && charge.was_told(told) {
                found.push(format!(
                    "{id} is {status}, and its shopper or merchant was told that it {told}"
                ));
            }
        }
        // A shopper who reads "failed" pays elsewhere. The last press decides, because an earlier card may have been declined.
        if status == "succeeded"
            && charge.told.last().is_some_and(|told| told == "failed")
            && !charge.has_lost_answers
        {
            found.push(format!(
                "{id} is paid, and its shopper was told in the end that it failed"
            ));
        }
    }
    found
}

#[cfg(test)]
mod tests;
