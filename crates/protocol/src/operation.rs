//! What happens to the money of a charge after its payment (docs/merchant-api.md#after-the-payment).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::Metadata;
use crate::limits::{METADATA_ENTRIES_MAX, TEXT_CHARACTERS_MAX};
use crate::patterns::{AMOUNT, PLAIN, bounded_metadata};

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum OperationKind {
    /// Gives money back.
    Refund,
    /// Takes held money.
    Capture,
    /// Lets held money go.
    Release,
}

/// The status of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum OperationStatus {
    /// The provider is being asked.
    Processing,
    /// The provider accepted it, and its result follows.
    Pending,
    /// The money moved. The provider can still report days later that a refund failed.
    Succeeded,
    /// No money moved.
    Failed,
    /// The provider's answer was lost. The service asks until it knows the result.
    OutcomeUnknown,
}

impl OperationStatus {
    /// Whether it moved money or may still do so.
    pub fn counts(self) -> bool {
        self != Self::Failed
    }

    /// Whether the provider has not told its result yet.
    pub fn is_under_way(self) -> bool {
        !matches!(self, Self::Succeeded | Self::Failed)
    }

    /// Whether an operation of this status can get that one. Only refunds fail after they have succeeded.
    pub fn can_become(self, to: Self, kind: OperationKind) -> bool {
        match (self, to) {
            (Self::Processing, to) => to != Self::Processing,
            (Self::OutcomeUnknown, to) => !matches!(to, Self::Processing | Self::OutcomeUnknown),
            (Self::Pending, to) => matches!(to, Self::Succeeded | Self::Failed),
            (Self::Succeeded, to) => to == Self::Failed && kind == OperationKind::Refund,
            (Self::Failed, _) => false,
        }
    }
}

/// The status of a dispute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum DisputeStatus {
    /// The merchant can answer, or the bank decides.
    Open,
    /// The merchant keeps the money.
    Won,
    /// The shopper has the money back.
    Lost,
}

/// A dispute as the provider tells it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderDispute {
    /// The provider's reference of the dispute.
    pub reference: String,
    /// The status.
    pub status: DisputeStatus,
    /// A decimal string.
    pub amount_value: String,
    /// ISO 4217.
    pub amount_currency: String,
    /// The reason, in the provider's words.
    pub reason: Option<String>,
    /// Until when the merchant can answer, in unix milliseconds.
    pub respond_before: Option<i64>,
}

/// A dispute for the merchant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Dispute {
    /// `dp_…`.
    pub id: String,
    /// The charge whose payment the bank asks back.
    pub charge_id: String,
    /// `open`, `won` or `lost`.
    pub status: DisputeStatus,
    /// A decimal string.
    pub amount_value: String,
    /// ISO 4217.
    pub amount_currency: String,
    /// The network's reason, in the provider's words.
    pub reason: Option<String>,
    /// Until when the merchant can answer, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub respond_before: Option<String>,
    /// The provider's reference of the dispute.
    pub provider_reference: String,
    /// Told at, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub created_at: String,
    /// Changed at, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub updated_at: String,
}

/// `GET /v1/disputes`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct DisputeList {
    /// The disputes, newest first.
    pub items: Vec<Dispute>,
    /// For `after`, to get the next page; null on the last one.
    pub next: Option<String>,
}

/// `POST /v1/charges/{id}/refunds`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateRefund {
    /// A decimal string in the charge's currency. Without it, all that is left.
    #[schemars(pattern(AMOUNT), example = &"2.50")]
    pub amount_value: Option<String>,
    /// Why, in the merchant's words.
    #[schemars(length(max = TEXT_CHARACTERS_MAX), pattern(PLAIN))]
    pub reason: Option<String>,
    /// Names and texts of the merchant's own.
    #[schemars(length(max = METADATA_ENTRIES_MAX), transform = bounded_metadata)]
    pub metadata: Option<Metadata>,
}

/// `POST /v1/charges/{id}/capture`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CaptureCharge {
    /// A decimal string in the charge's currency, at most what is held. Without it, all of it.
    #[schemars(pattern(AMOUNT), example = &"12.50")]
    pub amount_value: Option<String>,
}

/// A refund for the merchant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RefundView {
    /// `re_…`.
    pub id: String,
    /// The charge whose money it gives back.
    pub charge_id: String,
    /// The refund's status.
    pub status: OperationStatus,
    /// A decimal string.
    pub amount_value: String,
    /// ISO 4217.
    pub amount_currency: String,
    /// Why, in the merchant's words.
    pub reason: Option<String>,
    /// Why it failed.
    pub failure_code: Option<String>,
    /// The provider's reference of the refund.
    pub provider_reference: Option<String>,
    /// The merchant's own names and texts.
    pub metadata: Metadata,
    /// Created at, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub created_at: String,
    /// Changed at, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub updated_at: String,
}

/// `GET /v1/charges/{id}/refunds`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RefundList {
    /// The refunds, the oldest first.
    pub items: Vec<RefundView>,
}
