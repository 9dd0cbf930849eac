//! Checks that all records of a charge agree: the provider's ledger, the merchant's view and events, and the answers
//! that the shopper got.

use serde_json::Value;
use standardwebhooks::Webhook;
use thiserror::Error;

use crate::webhook_events;
use harness::receiver::ReceivedEvent;
use harness::shop::{AMOUNT, CreatedTrialCharge};

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

    /// An error with this one.
    pub(crate) fn one(found: impl Into<String>) -> Self {
        Self(vec![found.into()])
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
    /// What `GET /v1/charges/{id}` shows at the end.
    pub(crate) merchant: Value,
    /// The events that the merchant's server received, in order.
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

    /// Adds what a press was told.
    pub(crate) fn hear(&mut self, heard: HeardStatuses) {
        self.has_lost_answers |= heard.has_lost_answers;
        self.told.extend(heard.told);
    }

    pub(crate) fn status(&self) -> &str {
        self.merchant["status"].as_str().unwrap_or_default()
    }
}

/// What a page was told by one press.
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
pub(crate) fn contradictions(charges: &[ChargeRecords], ledger: &[Value], signer: &Webhook) -> Vec<String> {
    let mut found = Vec::new();
    for charge in charges {
        let id = &charge.charge_id;
        let entries = ledger.iter().filter(|entry| entry["charge_id"] == id.as_str());
        let approvals = entries.filter(|entry| entry["outcome"] == "approved").count();
        let status = charge.status();
        let events = webhook_events::contradictions(&charge.events, &charge.merchant, signer);
        found.extend(events.into_iter().map(|complaint| format!("{id}: {complaint}")));
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
        if status == "succeeded" && !charge.could_pay {
            found.push(format!("{id} is paid, and no card was tried that pays"));
        }
        let final_ones = ["succeeded", "canceled"];
        let told_otherwise = charge
            .told
            .iter()
            .find(|told| final_ones.contains(&told.as_str()) && *told != status);
        if let Some(told) = told_otherwise {
            found.push(format!(
                "{id} is {status}, and its shopper or merchant was told that it {told}"
            ));
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
    let strangers = ledger.iter().filter(|entry| {
        let known = charges
            .iter()
            .any(|charge| entry["charge_id"] == charge.charge_id.as_str());
        !known || (entry["amount_value"] != AMOUNT.0 || entry["amount_currency"] != AMOUNT.1)
    });
    found.extend(
        strangers.map(|entry| format!("the provider has a charge that does not exist here: {entry}")),
    );
    found
}

#[cfg(test)]
mod tests;
