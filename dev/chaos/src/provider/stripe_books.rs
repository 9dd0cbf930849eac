//! The records of localstripe at the end of a drill, and errors in them.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use anyhow::Result;
use serde_json::{Value, json};

use super::localstripe::Localstripe;
use crate::shopper::accounts::AccountRecords;

/// States in which a payment can take no more money by itself. Only the process that made a payment can confirm it, so a payment
/// that was not confirmed stays so.
const OVER: [&str; 5] = [
    "succeeded",
    "requires_capture",
    "canceled",
    "requires_payment_method",
    "requires_confirmation",
];

/// All objects of a drill at localstripe.
#[derive(Debug, Default)]
pub(super) struct StripeBooks {
    /// `PaymentIntent`s.
    payments: Vec<Value>,
    /// Stripe's `Charge`s: each time that a card was asked for money.
    takings: Vec<Value>,
    refunds: Vec<Value>,
    /// How many cards are attached, by the merchant's id of the shopper.
    cards: BTreeMap<String, usize>,
}

impl StripeBooks {
    pub(super) async fn read(server: &Localstripe) -> Result<Self> {
        let mut cards = BTreeMap::new();
        for customer in server.list("customers", "").await? {
            let id = customer["id"].as_str().unwrap_or_default();
            let filter = format!("&customer={id}&type=card");
            let attached = server.list("payment_methods", &filter).await?.len();
            let shopper = customer["metadata"]["cardform_shopper"].as_str();
            *cards.entry(shopper.unwrap_or_default().to_owned()).or_default() += attached;
        }
        Ok(Self {
            payments: server.list("payment_intents", "").await?,
            takings: server.list("charges", "").await?,
            refunds: server.list("refunds", "").await?,
            cards,
        })
    }

    /// An entry for each time that a card was asked for money, as in the simulator's ledger.
    pub(super) fn entries(&self) -> Vec<Value> {
        let entry = |taking: &Value| {
            let payment = self
                .payments
                .iter()
                .find(|payment| payment["id"] == taking["payment_intent"]);
            let cents = taking["amount"].as_u64().unwrap_or_default();
            let is_held = payment.is_some_and(|payment| payment["status"] == "requires_capture");
            let if_taken = |is_it: bool| {
                decimal(if is_it && taking["status"] == "succeeded" {
                    cents
                } else {
                    0
                })
            };
            let refunds = self
                .refunds
                .iter()
                .filter(|refund| refund["charge"] == taking["id"]);
            let refunded = refunds.filter_map(|refund| refund["amount"].as_u64()).sum();
            let currency = taking["currency"].as_str().unwrap_or_default();
            json!({
                "charge_id": payment.map(|payment| &payment["metadata"]["cardform_charge"]),
                "amount_value": decimal(cents),
                "amount_captured": if_taken(taking["captured"] == true),
                "amount_capturable": if_taken(is_held),
                "amount_refunded": decimal(refunded),
                "amount_currency": currency.to_ascii_uppercase(),
            })
        };
        self.takings.iter().map(entry).collect()
    }

    /// The errors at Stripe, one line each: a payment that could still take money, and a shopper with another number of cards than
    /// here.
    pub(super) fn contradictions(&self, accounts: &[AccountRecords]) -> Vec<String> {
        let mut found = Vec::new();
        for payment in &self.payments {
            let (id, status) = (&payment["id"], payment["status"].as_str().unwrap_or_default());
            if !OVER.contains(&status) {
                found.push(format!("Stripe's payment {id} is still {status}"));
            }
            let taken = self
                .takings
                .iter()
                .filter(|taking| taking["payment_intent"] == *id && taking["status"] == "succeeded");
            // A hold that was released was taken, too.
            let expected = match status {
                "succeeded" | "requires_capture" => 1..=1,
                "canceled" => 0..=1,
                _ => 0..=0,
            };
            let taken = taken.count();
            if !expected.contains(&taken) {
                found.push(format!(
                    "Stripe's payment {id} is {status} and took money {taken} times"
                ));
            }
        }
        for account in accounts {
            let attached = self.cards.get(&account.shopper_id).copied().unwrap_or_default();
            if attached != account.saved() {
                found.push(format!(
                    "{} has {attached} cards at Stripe, and {} here",
                    account.shopper_id,
                    account.saved()
                ));
            }
        }
        found
    }
}

/// An amount of cents as our API writes it.
fn decimal(cents: u64) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}

/// The received POSTs by their idempotency keys. Stripe refuses a key with another request, and a payment that is confirmed under
/// two keys is confirmed twice.
#[derive(Debug, Default)]
pub(super) struct StripeRequests {
    /// Path and hash of the body of each key's first request. The body itself may have a card number.
    by_key: BTreeMap<String, (String, u64)>,
    /// The keys under which each payment was confirmed.
    confirmed: BTreeMap<String, BTreeSet<String>>,
    complaints: Vec<String>,
}

impl StripeRequests {
    pub(super) fn add(&mut self, path: &str, key: Option<&str>, body: &[u8]) {
        let Some(key) = key else {
            self.complaints
                .push(format!("{path} came without an idempotency key"));
            return;
        };
        let mut hasher = DefaultHasher::new();
        body.hash(&mut hasher);
        let now = (path.to_owned(), hasher.finish());
        let first = self.by_key.entry(key.to_owned()).or_insert_with(|| now.clone());
        if *first != now {
            self.complaints
                .push(format!("{path} came with a key of another request"));
        }
        if path.ends_with("/confirm") {
            // Localstripe refuses a parameter that Stripe accepts, so the connector repeats the request without it, under another key.
            let key = key.trim_end_matches("-plain").to_owned();
            self.confirmed.entry(path.to_owned()).or_default().insert(key);
        }
    }

    pub(super) fn complaints(&self) -> Vec<String> {
        let twice = self.confirmed.iter().filter(|(_, keys)| keys.len() > 1);
        let twice = twice.map(|(path, keys)| format!("{path} came under {} keys", keys.len()));
        self.complaints.iter().cloned().chain(twice).collect()
    }
}

#[cfg(test)]
mod tests;
