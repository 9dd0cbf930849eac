//! The 3-D Secure challenges of payments that wait for the shopper. A payment with an entry in the ledger no longer
//! waits.

use std::sync::Arc;

use protocol::{CaptureMethod, ChargeDescription, PaymentFacts, SaveCardUsage};
use providers::simulator::payment::MerchantInitiated;
use serde::{Deserialize, Serialize};

use super::disputes::PlannedDispute;
use super::journal::{Journal, JournalEntry};

/// The file of the challenges in the data directory.
pub(super) const CHALLENGES_FILE: &str = "challenges.jsonl";

/// A payment that waits for its shopper. It contains nothing of the card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Challenge {
    /// The page is at `/challenge/{token}`; the token cannot be guessed.
    pub token: String,
    /// The idempotency key of the payment.
    pub idempotency_key: String,
    /// The charge it is for.
    pub charge_id: String,
    /// A decimal string in the currency's major unit.
    pub amount_value: String,
    /// ISO 4217.
    pub amount_currency: String,
    /// The address to which the page redirects.
    pub return_url: String,
    /// The width of the page, in CSS pixels.
    pub width: u32,
    /// The height of the page, in CSS pixels.
    pub height: u32,
    /// Why the payment is declined after the shopper has approved it; `None` if it pays.
    pub decline_code: Option<String>,
    /// The description of the charge.
    #[serde(default)]
    pub description: Option<Arc<ChargeDescription>>,
    /// Whether the money is taken or held after the challenge.
    #[serde(default)]
    pub capture: CaptureMethod,
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

impl JournalEntry for Challenge {
    fn key(&self) -> &str {
        &self.idempotency_key
    }
}

/// All challenges, also of payments that have ended.
pub type Challenges = Journal<Challenge>;

impl Challenges {
    /// The challenge with this token.
    pub fn with_token(&self, token: &str) -> Option<Challenge> {
        self.entries_where(|challenge| challenge.token == token).pop()
    }
}
