//! What is said between a connector and the simulator.

use serde::{Deserialize, Serialize};
use wire::Sensitive;

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
    /// The card.
    pub card: PaymentCard,
}

/// The card of a payment.
#[derive(Debug, Deserialize)]
pub struct PaymentCard {
    /// Decides the outcome; see [`super::cards`].
    pub number: Sensitive,
    /// Any will do.
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
pub enum Outcome {
    /// The money was taken.
    Approved,
    /// Nothing was taken.
    Declined,
}

/// A payment that was asked for: the answer to `POST /v1/payments` and `GET /v1/payments/{idempotency_key}`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Payment {
    /// The simulator's own reference.
    pub id: String,
    /// How it ended.
    pub outcome: Outcome,
    /// Why nothing was taken.
    pub decline_code: Option<String>,
}

/// An answer of 400 or 404.
#[derive(Debug, Serialize, Deserialize)]
pub struct Refusal {
    /// What is wrong.
    pub error: RefusalDetail,
}

/// What is wrong with a request.
#[derive(Debug, Serialize, Deserialize)]
pub struct RefusalDetail {
    /// [`NOT_FOUND`] or [`REJECTED`].
    pub code: String,
}
