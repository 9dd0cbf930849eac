//! What happens to the money of a payment after it was made, and the events that a provider sends about it.

use protocol::{Hold, OperationKind, ProviderDispute};
use rules::Month;
use serde::{Deserialize, Serialize};

use super::PaymentRef;

/// What happens to the money of a payment after it was made.
#[derive(Debug, Clone, Copy)]
pub struct ProviderOperation<'a> {
    /// What it does.
    pub kind: OperationKind,
    /// Our id of the operation: `re_…` or `op_…`.
    pub id: &'a str,
    /// The payment.
    pub payment: PaymentRef<'a>,
    /// The provider moves money at most once per key.
    pub idempotency_key: &'a str,
    /// How much, a decimal string in the currency's major unit.
    pub amount_value: &'a str,
    /// ISO 4217.
    pub amount_currency: &'a str,
    /// The provider's own reference of the operation, if it is known.
    pub reference: Option<&'a str>,
    /// Why, in the merchant's words.
    pub reason: Option<&'a str>,
}

/// The result of an operation at the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperationOutcome {
    /// The money moved; with the provider's reference of the operation, if it has one.
    Succeeded(Option<String>),
    /// The provider accepted it, and its result follows.
    Pending(Option<String>),
    /// No money moved, or it came back.
    Failed {
        /// The reason, for the merchant: `expired_or_canceled_card`, `insufficient_funds`, `hold_ended`, …
        code: String,
        /// The provider's reference of the operation, if it has one.
        reference: Option<String>,
    },
    /// The outcome is unknown, because the connection failed, the call timed out, or the answer is not understood.
    Unknown,
}

impl OperationOutcome {
    /// A failure without a reference at the provider.
    pub fn failed(code: &str) -> Self {
        Self::Failed {
            code: code.to_owned(),
            reference: None,
        }
    }
}

/// The `failure_code` of a capture or a release that comes after the hold has ended.
pub const HOLD_ENDED: &str = "hold_ended";

/// The result of looking an operation up at the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperationLookup {
    /// The provider knows the operation.
    Known(OperationOutcome),
    /// The provider certainly does not know it yet.
    NeverReceived,
    /// The provider is unavailable.
    Unreachable,
}

/// The result of looking a hold up at the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HoldLookup {
    /// The money is still held.
    Held(Hold),
    /// The money was taken, by us or by a person at the provider; the amount is a decimal string.
    Captured(String),
    /// The hold was released, or has ended by itself.
    Ended,
    /// The provider is unavailable.
    Unreachable,
}

/// How a dispute began, changed or ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DisputeChange {
    /// When, in unix milliseconds.
    pub at: i64,
    /// Our idempotency key of the payment.
    pub provider_key: String,
    /// The dispute after the change.
    pub dispute: ProviderDispute,
}

/// What an event of the provider says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderEvent {
    /// Something about this operation has changed.
    Operation {
        /// Our id.
        id: String,
    },
    /// Something about this payment has changed.
    Payment {
        /// Our idempotency key.
        key: String,
    },
    /// A dispute was opened, changed or closed.
    Dispute {
        /// The provider's reference of the payment.
        payment: String,
        /// The dispute.
        dispute: ProviderDispute,
    },
    /// The bank has given a kept card another date.
    Card(CardUpdate),
    /// Nothing that concerns us.
    Other,
}

/// The new date of a card that the provider keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardUpdate {
    /// The provider's reference of the card.
    pub card: String,
    /// The last four digits. If they are other ones, the bank has given the card another number, too.
    pub last_four: String,
    /// The last month in which it can pay.
    pub expiry: Month,
}

/// Why an event is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventRefusal {
    /// The service takes no events of this provider.
    NotTaken,
    /// The signature is missing, wrong or too old.
    Signature,
    /// The body is no event.
    Unreadable,
}
