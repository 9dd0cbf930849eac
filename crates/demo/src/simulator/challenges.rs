//! The 3-D Secure challenges of payments that wait for the shopper. A payment with an entry in the ledger no longer
//! waits.

use protocol::CaptureMethod;
use serde::{Deserialize, Serialize};

use super::journal::{Journal, JournalEntry};
use super::ledger::AskedPayment;

/// The file of the challenges in the data directory.
pub(super) const CHALLENGES_FILE: &str = "challenges.jsonl";

/// A payment that waits for its shopper.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Challenge {
    /// The page is at `/challenge/{token}`; the token cannot be guessed.
    pub token: String,
    /// What was asked for.
    #[serde(flatten)]
    pub asked: AskedPayment,
    /// The address to which the page redirects.
    pub return_url: String,
    /// The width of the page, in CSS pixels.
    pub width: u32,
    /// The height of the page, in CSS pixels.
    pub height: u32,
    /// Why the payment is declined after the shopper has approved it; `None` if it pays.
    pub decline_code: Option<String>,
    /// Whether the money is taken or held after the challenge.
    #[serde(default)]
    pub capture: CaptureMethod,
}

impl JournalEntry for Challenge {
    fn key(&self) -> &str {
        &self.asked.idempotency_key
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
