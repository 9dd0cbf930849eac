//! Checks that all records of a charge agree, to the cent: the provider's ledger, the merchant's view, and the answers that the
//! shopper and the merchant got.

use std::collections::HashMap;

use harness::receiver::ReceivedEvent;
use harness::shop::{AMOUNT, CreatedTrialCharge};
use serde_json::Value;
use thiserror::Error;

use crate::shopper::UNSETTLED;

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
    /// Whether the merchant has asked to capture or release what is held.
    pub(crate) hold_ends: bool,
    /// The answers to refunds that were taken.
    pub(crate) refunds: Vec<Value>,
    /// How many refunds were refused.
    pub(crate) refused_refunds: usize,
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

    /// Whether nothing changes by itself any more: neither the charge nor one of its refunds.
    pub(crate) fn is_settled(&self) -> bool {
        let is_over =
            !(UNSETTLED.contains(&self.status()) || self.hold_ends && self.status() == "authorized");
        let refunds = self.merchant["refunds"].as_array();
        let mut refunds = refunds.into_iter().flatten();
        is_over && refunds.all(|refund| ["succeeded", "failed"].iter().any(|end| refund["status"] == *end))
    }

    /// Whether a card paid, or its money was held, even if it was released later.
    pub(crate) fn card_was_taken(&self) -> bool {
        ["succeeded", "authorized"].contains(&self.status()) || self.was_told("authorized")
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

/// The money of a charge, in cents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Money {
    captured: u64,
    capturable: u64,
    pub(crate) refunded: u64,
}

impl Money {
    /// In a view of a charge, or in an entry of the provider.
    pub(crate) fn of(record: &Value) -> Self {
        let sum = |name: &str| record[name].as_str().map_or(0, cents);
        Self {
            captured: sum("amount_captured"),
            capturable: sum("amount_capturable"),
            refunded: sum("amount_refunded"),
        }
    }

    fn and(self, more: Self) -> Self {
        Self {
            captured: self.captured + more.captured,
            capturable: self.capturable + more.capturable,
            refunded: self.refunded + more.refunded,
        }
    }
}

/// The cents of a decimal text such as 12.50.
pub(crate) fn cents(text: &str) -> u64 {
    text.replace('.', "").parse().unwrap_or_default()
}

/// All contradictions, one line each.
pub(crate) fn contradictions(charges: &[ChargeRecords], ledger: &[Value]) -> Vec<String> {
    let mut found = Vec::new();
    // How often the provider took or holds money of each charge, and how much.
    let mut taken: HashMap<&str, (usize, Money)> = charges
        .iter()
        .map(|charge| (charge.charge_id.as_str(), Default::default()))
        .collect();
    for entry in ledger {
        let id = entry["charge_id"].as_str().unwrap_or_default();
        let is_amount = entry["amount_value"] == AMOUNT.0 && entry["amount_currency"] == AMOUNT.1;
        let known = taken.get_mut(id);
        if known.is_none() || !is_amount {
            found.push(format!(
                "the provider has a charge that does not exist here: {entry}"
            ));
        }
        if let Some((count, sum)) = known {
            let money = Money::of(entry);
            *count += usize::from(money.captured + money.capturable > 0);
            *sum = sum.and(money);
        }
    }
    for charge in charges {
        let (id, status) = (&charge.charge_id, charge.status());
        let expected = match status {
            "succeeded" | "authorized" => 1,
            "created" | "failed" | "canceled" | "expired" => 0,
            _ => {
                found.push(format!("{id} is still {status}"));
                continue;
            }
        };
        let (count, there) = taken[id.as_str()];
        let here = Money::of(&charge.merchant);
        if count != expected {
            found.push(format!("{id} is {status} and the provider took it {count} times"));
        } else if there != here {
            found.push(format!("{id} has {here:?}, and at the provider {there:?}"));
        }
        found.extend(wrong_refunds(charge, here));
        if expected == 1 && !charge.could_pay {
            found.push(format!("{id} is paid, and no card was tried that pays"));
        }
        if status == "succeeded" && charge.merchant["capture_method"] == "manual" && !charge.hold_ends {
            found.push(format!("{id} was to be held, and was captured by itself"));
        }
        if ["created", "failed"].contains(&status) && charge.was_told("authorized") {
            found.push(format!(
                "{id} is {status}, and its shopper was told that it is held"
            ));
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

/// The errors in the refunds of a charge: their sum, and a refund that the merchant was told of and that is not there.
fn wrong_refunds(charge: &ChargeRecords, here: Money) -> Vec<String> {
    let id = &charge.charge_id;
    let refunds = charge.merchant["refunds"].as_array();
    let refunds: &[Value] = refunds.map_or(&[], Vec::as_slice);
    let succeeded = refunds.iter().filter(|refund| refund["status"] == "succeeded");
    let sum: u64 = succeeded
        .filter_map(|refund| refund["amount_value"].as_str())
        .map(cents)
        .sum();
    let mut found = Vec::new();
    if sum != here.refunded || sum > here.captured {
        found.push(format!("{id} has {here:?}, and its refunds are {sum}"));
    }
    for told in &charge.refunds {
        let is_there =
            |refund: &&Value| refund["id"] == told["id"] && refund["amount_value"] == told["amount_value"];
        match refunds.iter().find(is_there) {
            None => found.push(format!("{id} lacks a refund that was accepted: {told}")),
            Some(refund) if told["status"] == "succeeded" && refund["status"] != "succeeded" => {
                found.push(format!(
                    "{id} has another end of a refund than was told: {told} {refund}"
                ));
            }
            Some(_) => {}
        }
    }
    found
}

#[cfg(test)]
mod tests;
