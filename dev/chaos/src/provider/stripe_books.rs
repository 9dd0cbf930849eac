//! What localstripe knows at the end of a trial, and what it must not know.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Value, json};

use super::localstripe::LocalstripeProcess;
use crate::shopper::accounts::AccountRecords;
use harness::TrialError;

/// States of a payment in which nobody can take money with it any more, or never could: one that was not confirmed has a
/// card, and only the process that made it could have confirmed it.
const OVER: [&str; 4] = [
    "succeeded",
    "canceled",
    "requires_payment_method",
    "requires_confirmation",
];

/// Everything that localstripe has of a trial.
#[derive(Debug, Default)]
pub(super) struct StripeBooks {
    /// `PaymentIntent`s.
    payments: Vec<Value>,
    /// Stripe's `Charge`s: each time that a card was asked for money.
    takings: Vec<Value>,
    /// How many cards are attached, by the merchant's id of the shopper.
    cards: BTreeMap<String, usize>,
}

impl StripeBooks {
    pub(super) async fn read(server: &LocalstripeProcess) -> Result<Self, TrialError> {
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
            let outcome = if taking["status"] == "succeeded" {
                "approved"
            } else {
                "declined"
            };
            let cents = taking["amount"].as_u64().unwrap_or_default();
            let currency = taking["currency"].as_str().unwrap_or_default();
            json!({
                "charge_id": payment.map(|payment| &payment["metadata"]["cardform_charge"]),
                "outcome": outcome,
                "amount_value": format!("{}.{:02}", cents / 100, cents % 100),
                "amount_currency": currency.to_ascii_uppercase(),
            })
        };
        self.takings.iter().map(entry).collect()
    }

    /// The errors at Stripe alone, one line each: a payment that could still be made, and cards that are not those that
    /// the shoppers have saved.
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
            let (taken, expected) = (taken.count(), usize::from(status == "succeeded"));
            if taken != expected {
                found.push(format!(
                    "Stripe's payment {id} is {status} and took money {taken} times"
                ));
            }
        }
        for account in accounts {
            let attached = self.cards.get(account.shopper_id()).copied().unwrap_or_default();
            if attached != account.saved() {
                found.push(format!(
                    "{} has {attached} cards at Stripe, and {} here",
                    account.shopper_id(),
                    account.saved()
                ));
            }
        }
        found
    }
}

/// The POSTs that came, by their idempotency keys. Stripe refuses a key that comes with another request, and a payment
/// that is confirmed under two keys is confirmed twice.
#[derive(Debug, Default)]
pub(super) struct StripeRequests {
    /// What each key came with: path, and a hash of the body, which may have a card number.
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
            // Localstripe refuses a parameter that Stripe knows, and is asked again without it, under a key of its own.
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
mod tests {
    use super::*;

    fn books(status: &str, takings: &[&str]) -> StripeBooks {
        let taking = |status: &&str| json!({"id": "ch_9", "payment_intent": "pi_1", "status": status, "amount": 1250, "currency": "usd"});
        StripeBooks {
            payments: vec![json!({"id": "pi_1", "status": status, "metadata": {"cardform_charge": "ch_1"}})],
            takings: takings.iter().map(taking).collect(),
            cards: BTreeMap::from([("shopper-1".to_owned(), 1)]),
        }
    }

    #[test]
    fn a_taking_is_an_entry_of_its_charge() {
        let entry = |outcome| {
            json!({
                "charge_id": "ch_1", "outcome": outcome, "amount_value": "12.50", "amount_currency": "USD",
            })
        };
        let entries = books("succeeded", &["failed", "succeeded"]).entries();
        assert_eq!(entries, [entry("declined"), entry("approved")]);
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
            ("canceled", &["succeeded"], 1),
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
}
