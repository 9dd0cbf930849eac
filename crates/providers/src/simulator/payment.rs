//! The requests and answers between a connector and the simulator.

use std::sync::Arc;

use protocol::{
    CaptureMethod, ChargeDescription, MerchantPaymentReason, OperationKind, PaymentFacts, SaveCardUsage,
    Sensitive,
};
use rules::Brand;
use serde::{Deserialize, Serialize};

use crate::{Authentication, Billing};

/// `error.code` of a 404: the key was never used.
pub const NOT_FOUND: &str = "payment_not_found";
/// `error.code` of a 404: no operation has this key.
pub const OPERATION_NOT_FOUND: &str = "operation_not_found";
/// `error.code` of a 400: the request was not understood, and nothing was taken.
pub const REJECTED: &str = "invalid_request";

/// `POST /v1/payments`.
#[derive(Debug, Deserialize)]
pub struct PaymentRequest {
    /// The charge it is for.
    pub charge_id: String,
    /// A decimal string in the currency's major unit.
    pub amount_value: String,
    /// ISO 4217.
    pub amount_currency: String,
    /// The charge's description; absent from earlier versions.
    pub description: Option<Arc<ChargeDescription>>,
    /// The card.
    pub card: PaymentCard,
    /// The data for 3-D Secure; by default no return URL and a window of the usual size.
    #[serde(default)]
    pub three_ds: Authentication,
    /// Whether the money is taken now or held; an earlier version always takes it.
    #[serde(default)]
    pub capture: CaptureMethod,
    /// What the shopper's statement says besides the merchant's name.
    #[serde(default)]
    pub statement_descriptor: Option<String>,
    /// What the merchant told of the shopper.
    #[serde(default)]
    pub billing: Billing,
    /// What the shopper agreed to, if the merchant saves the card.
    #[serde(default)]
    pub setup_future_usage: Option<SaveCardUsage>,
    /// Set if the merchant pays without the shopper.
    #[serde(default)]
    pub merchant_initiated: Option<MerchantInitiated>,
}

/// A payment that a merchant makes without the shopper.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MerchantInitiated {
    /// Why.
    pub reason: MerchantPaymentReason,
    /// The card network's id of the payment at which the shopper agreed.
    pub network_transaction_id: Option<String>,
}

/// The card of a payment.
#[derive(Debug, Deserialize)]
pub struct PaymentCard {
    /// The card number, which decides the outcome.
    pub number: Sensitive,
    /// Any value is accepted; absent if the merchant pays without the shopper.
    #[serde(default)]
    pub security_code: Option<Sensitive>,
    /// 1 to 12.
    pub expiration_month: u8,
    /// Four digits.
    pub expiration_year: u16,
    /// As typed, or empty.
    pub holder_name: String,
    /// The network that the shopper chose; absent if the number has no two.
    #[serde(default)]
    pub network: Option<Brand>,
}

/// How a payment ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PaymentOutcome {
    /// The money was taken.
    Approved,
    /// The money is held until it is captured or released, or until the hold ends.
    Authorized,
    /// Nothing was taken.
    Declined,
    /// Nothing was taken yet: the shopper must pass a challenge first. Never in the ledger.
    Pending,
}

/// A payment: the answer to `POST /v1/payments` and `GET /v1/payments/{idempotency_key}`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Payment {
    /// The simulator's own reference.
    pub id: String,
    /// How it ended.
    pub outcome: PaymentOutcome,
    /// Why nothing was taken.
    pub decline_code: Option<String>,
    /// The challenge that the shopper must pass, while pending.
    pub challenge: Option<ChallengePage>,
    /// What the simulator tells of the card and of the payment.
    #[serde(default)]
    pub facts: PaymentFacts,
    /// The state of the hold; absent if the money was never held.
    #[serde(default)]
    pub hold_state: Option<HoldState>,
    /// When the hold ends by itself, in unix milliseconds.
    #[serde(default)]
    pub hold_ends_at: Option<i64>,
    /// How much was taken, a decimal string; absent if the card was not accepted.
    #[serde(default)]
    pub amount_captured: Option<String>,
}

/// What became of held money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HoldState {
    /// It is held.
    Held,
    /// It was taken, the whole or a part.
    Captured,
    /// The merchant let it go.
    Released,
    /// It was not captured in time.
    Ended,
}

/// `POST /v1/payments/{idempotency_key}/capture`, `…/release` and `…/refunds`.
#[derive(Debug, Serialize, Deserialize)]
pub struct OperationRequest {
    /// The operation's id at the merchant's service.
    pub id: String,
    /// A decimal string in the currency's major unit.
    pub amount_value: String,
    /// ISO 4217.
    pub amount_currency: String,
    /// Why, in the merchant's words.
    #[serde(default)]
    pub reason: Option<String>,
}

/// An operation as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedOperation {
    /// The idempotency key of the operation.
    pub idempotency_key: String,
    /// The operation's id at the merchant's service.
    pub id: String,
    /// What it does.
    pub kind: OperationKind,
    /// The idempotency key of the payment.
    pub payment_key: String,
    /// The charge of the payment.
    pub charge_id: String,
    /// A decimal string in the currency's major unit.
    pub amount_value: String,
    /// ISO 4217.
    pub amount_currency: String,
    /// Why, in the merchant's words.
    pub reason: Option<String>,
}

/// An operation in its present state: the answer to its POST, to `GET /v1/operations/{idempotency_key}`, and an entry of
/// `GET /operations`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// The simulator's own reference.
    pub reference: String,
    /// What was asked for.
    #[serde(flatten)]
    pub asked: AskedOperation,
    /// Its present status.
    pub status: SimulatedStatus,
    /// Why it failed.
    pub failure_code: Option<String>,
    /// When it was received, RFC 3339.
    pub at: String,
}

/// The status of an operation at the simulator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SimulatedStatus {
    /// Accepted; the money moves later.
    Pending,
    /// The money moved.
    Succeeded,
    /// No money moved, or it came back.
    Failed,
}

/// A challenge's page.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ChallengePage {
    /// Its address.
    pub url: String,
    /// CSS pixels.
    pub width: u32,
    /// CSS pixels.
    pub height: u32,
}

/// `GET /v1/payments`: a page of the payments since a time.
#[derive(Debug, Serialize, Deserialize)]
pub struct PaymentPage {
    /// The payments, in the order in which they were made.
    pub payments: Vec<ListedEntry>,
    /// The position of the next page's first payment; absent on the last page.
    pub next: Option<usize>,
}

/// A payment in the list.
#[derive(Debug, Serialize, Deserialize)]
pub struct ListedEntry {
    /// The idempotency key of the payment.
    pub idempotency_key: String,
    /// The charge it is for.
    pub charge_id: String,
    /// A decimal string in the currency's major unit.
    pub amount_value: String,
    /// ISO 4217.
    pub amount_currency: String,
    /// The charge's description.
    pub description: Option<Arc<ChargeDescription>>,
    /// When it ended, in unix milliseconds; for a pending payment, when the list was made.
    pub at: i64,
    /// The payment.
    pub payment: Payment,
}

/// `POST /v1/payments/{idempotency_key}/cancel`.
#[derive(Debug, Deserialize)]
pub struct Cancellation {
    /// The decline code that a pending payment gets.
    pub reason: String,
}

/// An answer of 400 or 404.
#[derive(Debug, Serialize, Deserialize)]
pub struct PaymentRefusal {
    /// What is wrong.
    pub error: PaymentRefusalDetail,
}

/// What is wrong with a request.
#[derive(Debug, Serialize, Deserialize)]
pub struct PaymentRefusalDetail {
    /// [`NOT_FOUND`], [`OPERATION_NOT_FOUND`] or [`REJECTED`].
    pub code: String,
}
