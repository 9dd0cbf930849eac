//! The requests and answers between a connector and the simulator.

use std::sync::Arc;

use protocol::{ChargeDescription, Sensitive};
use serde::{Deserialize, Serialize};

use crate::Authentication;

/// `error.code` of a 404: the key was never used.
pub const NOT_FOUND: &str = "payment_not_found";
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
}

/// The card of a payment.
#[derive(Debug, Deserialize)]
pub struct PaymentCard {
    /// The card number, which decides the outcome.
    pub number: Sensitive,
    /// Any value is accepted.
    pub security_code: Sensitive,
    /// 1 to 12.
    pub expiration_month: u8,
    /// Four digits.
    pub expiration_year: u16,
    /// As typed, or empty.
    pub holder_name: String,
}

/// How a payment ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PaymentOutcome {
    /// The money was taken.
    Approved,
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
    /// [`NOT_FOUND`] or [`REJECTED`].
    pub code: String,
}
