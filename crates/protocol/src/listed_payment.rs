//! How a payment ended, and a payment in a provider's list.

use crate::DeclineCode;

use crate::ToldCharge;

/// How an attempt ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttemptOutcome {
    /// The provider accepted the card; with the provider's reference.
    Succeeded(String),
    /// The provider refused it.
    Declined(DeclineCode),
}

impl AttemptOutcome {
    /// Why it was declined.
    pub fn decline_code(&self) -> Option<&'static str> {
        match self {
            Self::Succeeded(_) => None,
            Self::Declined(code) => Some(code.as_str()),
        }
    }
}

/// A payment as the provider knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedPayment {
    /// The idempotency key that the provider got.
    pub provider_key: String,
    /// The provider's reference, if payments are looked up by it.
    pub reference: Option<String>,
    /// The charge that it pays.
    pub charge_id: String,
    /// A decimal string in the currency's major unit.
    pub amount_value: String,
    /// ISO 4217.
    pub amount_currency: String,
    /// What the provider was told of the charge; absent for a payment of an earlier version.
    pub told: Option<ToldCharge>,
    /// When it was made, in unix milliseconds.
    pub at: i64,
    /// How it ended; absent while that is open.
    pub outcome: Option<AttemptOutcome>,
}
