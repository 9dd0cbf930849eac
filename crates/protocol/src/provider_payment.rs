//! A payment at the provider: its charge's description, its stored card, its outcome, and its entry in the provider's list.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

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
    /// The provider accepted the card: it took the money or holds it.
    Succeeded(Approval),
    /// The provider refused it.
    Declined(DeclineReason),
}

impl AttemptOutcome {
    /// Why it was declined.
    pub fn decline_code(&self) -> Option<&'static str> {
        match self {
            Self::Succeeded(_) => None,
            Self::Declined(reason) => Some(reason.code.as_str()),
        }
    }
}

/// A card that the provider accepted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Approval {
    /// The provider's reference of the payment.
    pub reference: String,
    /// The hold, if the money is not taken yet.
    pub hold: Option<Hold>,
    /// What the provider told of the card and of the payment.
    pub facts: Box<PaymentFacts>,
}

/// An approval of which only the reference is known; the money was taken.
impl From<String> for Approval {
    fn from(reference: String) -> Self {
        Self {
            reference,
            ..Self::default()
        }
    }
}

impl From<&str> for Approval {
    fn from(reference: &str) -> Self {
        reference.to_owned().into()
    }
}

/// Money that the issuer holds for the merchant, until it is captured or released.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hold {
    /// When it ends by itself, in unix milliseconds, if the provider tells it.
    pub ends_at: Option<i64>,
}

/// What a provider told of a payment; absent parts were not told.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PaymentFacts {
    /// Whether the money was held, and not taken at once.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub held: bool,
    /// `credit`, `debit` or `prepaid`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub funding: Option<String>,
    /// The issuer's country, ISO 3166-1 alpha-2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    /// The card network that carried the payment, by the brand's name if we know the network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// The card network's id of the payment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_transaction_id: Option<String>,
    /// The check of the security code: `pass`, `fail`, `unavailable` or `unchecked`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub security_code_check: Option<String>,
    /// The check of the postal code, with the same words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub postal_code_check: Option<String>,
    /// The result of 3-D Secure: `authenticated`, `attempt_acknowledged`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub three_ds_outcome: Option<String>,
    /// `challenge` or `frictionless`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub three_ds_flow: Option<String>,
    /// The card network's own code of a decline: "51".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_code: Option<String>,
}

/// Why a card was declined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclineReason {
    /// Our code.
    pub code: DeclineCode,
    /// The card network's own code, if the provider tells it: "51".
    pub network_code: Option<String>,
}

impl From<DeclineCode> for DeclineReason {
    fn from(code: DeclineCode) -> Self {
        Self {
            code,
            network_code: None,
        }
    }
}

/// When the money of a charge is taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum CaptureMethod {
    /// When the shopper pays.
    #[default]
    Automatic,
    /// When the merchant captures it. Until then the issuer holds it.
    Manual,
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
