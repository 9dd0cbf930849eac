//! A payment at the provider: its charge's description, its stored card, its outcome, and its entry in the provider's list.

use serde::{Deserialize, Serialize};

use crate::DeclineCode;

/// The description of a charge that its provider stores. If an old backup of the database is restored, the charge is
/// recreated from it. It has nothing of the shopper.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChargeDescription {
    /// The merchant.
    pub partner_id: String,
    /// The merchant's reference.
    pub partner_reference: String,
    /// The merchant's code of the item.
    pub item_code: String,
    /// The item's name.
    pub item_name: String,
}

/// A card that a provider stores for a customer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptCard {
    /// The provider's reference of the card.
    pub card: String,
    /// The provider's reference of the customer.
    pub customer: String,
}

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
    /// The charge's description; absent for a payment of an earlier version.
    pub description: Option<ChargeDescription>,
    /// When it was made, in unix milliseconds.
    pub at: i64,
    /// How it ended; absent while the outcome is open.
    pub outcome: Option<AttemptOutcome>,
}
