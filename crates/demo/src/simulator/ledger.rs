//! The payments that the simulator was asked for: one entry per idempotency key.

use std::sync::Arc;

use protocol::{ChargeDescription, PaymentFacts, SaveCardUsage};
use providers::simulator::payment::{MerchantInitiated, PaymentOutcome};
use serde::{Deserialize, Serialize};

use super::disputes::PlannedDispute;
use super::journal::{Journal, JournalEntry};

/// The file of the ledger in the data directory.
pub(super) const LEDGER_FILE: &str = "ledger.jsonl";

/// A payment as it was asked for, and what follows from its card. It contains nothing of the card.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedPayment {
    /// The idempotency key of the payment.
    pub idempotency_key: String,
    /// The charge it is for.
    pub charge_id: String,
    /// A decimal string in the currency's major unit.
    pub amount_value: String,
    /// ISO 4217.
    pub amount_currency: String,
    /// The description of the charge.
    #[serde(default)]
    pub description: Option<Arc<ChargeDescription>>,
    /// What the simulator tells of the card and of the payment.
    #[serde(default)]
    pub facts: PaymentFacts,
    /// What the shopper agreed to, if the merchant saves the card.
    #[serde(default)]
    pub setup_future_usage: Option<SaveCardUsage>,
    /// Set if the merchant pays without the shopper.
    #[serde(default)]
    pub merchant_initiated: Option<MerchantInitiated>,
    /// The dispute that follows if it pays.
    #[serde(default)]
    pub dispute: Option<PlannedDispute>,
}

/// A payment that has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// What was asked for.
    #[serde(flatten)]
    pub asked: AskedPayment,
    /// How it ended.
    pub outcome: PaymentOutcome,
    /// When it ended, RFC 3339.
    pub at: String,
    /// Why it was declined.
    pub decline_code: Option<String>,
    /// It was canceled before it was asked for: it stands for no payment, and prevents a later payment with its key.
    #[serde(default)]
    pub prevented: bool,
    /// When the hold ends by itself, in unix milliseconds; absent if the money is not held.
    #[serde(default)]
    pub hold_ends_at: Option<i64>,
}

impl JournalEntry for Entry {
    fn key(&self) -> &str {
        &self.asked.idempotency_key
    }
}

/// The payments that have ended.
pub type Ledger = Journal<Entry>;

impl Ledger {
    /// The entry of every payment, oldest first.
    pub fn entries(&self) -> Vec<Entry> {
        self.entries_where(|entry| !entry.prevented)
    }
}

#[cfg(test)]
mod tests;
