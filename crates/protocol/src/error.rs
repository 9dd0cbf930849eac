//! The one format of every error answer, and its stable codes (docs/merchant-api.md#errors).

use rules::ErrorId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// `{"error": {…}}`, the body of every answer of 400 and above except a declined card's.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, TS)]
pub struct ErrorBody {
    /// What is wrong.
    pub error: ErrorDetail,
}

/// What is wrong with a request.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, TS)]
#[ts(optional_fields)]
pub struct ErrorDetail {
    /// For programs; never changes its meaning.
    pub code: ErrorCode,
    /// For the developer who reads it; may change.
    pub message: String,
    /// The path of the field at fault: `payment_method.card.number`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// For `invalid_card`: the rule that the field breaks (docs/rules.md#error-ids).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<ErrorId>,
}

/// The stable codes of error answers. Each variant's text names its HTTP status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// 400: a header, a parameter or the body is missing, malformed or too long; `field` says which.
    InvalidRequest,
    /// 401: the merchant key is missing or unknown.
    SecretKeyInvalid,
    /// 401: no client secret was sent.
    ClientSecretMissing,
    /// 401: the client secret is malformed, or not signed by this service.
    ClientSecretInvalid,
    /// 401: the client secret has expired.
    ClientSecretExpired,
    /// 403: the `partner-id` header names another partner than the client secret.
    PartnerMismatch,
    /// 403: the body names another charge, amount, currency or shopper than the client secret.
    ChargeMismatch,
    /// 403: the operator has switched the merchant off, so it accepts no payments.
    MerchantInactive,
    /// 403: the charge offers no saved cards, because it has ended or because of its flags.
    SavedCardsNotOffered,
    /// 403: the operator's key may not do this (docs/operator.md#keys-and-roles).
    OperatorForbidden,
    /// 404: no such charge of this merchant.
    ChargeNotFound,
    /// 404: no such saved card of this shopper.
    PaymentMethodNotFound,
    /// 404: no such refund of this merchant.
    RefundNotFound,
    /// 404: no such event of this merchant.
    EventNotFound,
    /// 404: no such webhook endpoint of this merchant.
    WebhookEndpointNotFound,
    /// 404: no such path.
    NotFound,
    /// 405: the path has no such method.
    MethodNotAllowed,
    /// 409: the charge is canceled or expired and cannot be paid.
    ChargeNotPayable,
    /// 409: the charge cannot be canceled, because it is paid, has expired, or a card is at the provider.
    ChargeNotCancelable,
    /// 409: the charge cannot be changed, because it is paid, has expired, was canceled, or is being paid.
    ChargeNotChangeable,
    /// 409: the charge holds no money that could be captured or released.
    ChargeNotCapturable,
    /// 409: the hold has ended, so the money cannot be captured any more.
    CaptureExpired,
    /// 409: the charge is not paid, so nothing can be given back.
    ChargeNotRefundable,
    /// 409: the shopper has not agreed that the merchant charges the saved card without the shopper.
    PaymentMethodNotReusable,
    /// 409: the saved card has expired.
    PaymentMethodExpired,
    /// 409: another capture or release of the charge is under way; ask for the charge and try again.
    OperationInProgress,
    /// 409: the idempotency key was used with another body.
    IdempotencyConflict,
    /// 413: the body is over the limit.
    PayloadTooLarge,
    /// 415: the body is not JSON.
    UnsupportedMediaType,
    /// 422: a card field breaks a rule; `field` and `reason` say which.
    InvalidCard,
    /// 422: the card's number does not have the network that the request names.
    NetworkUnavailable,
    /// 422: the sealed card cannot be opened; it was made for another charge, client secret or key.
    SealedCardUnusable,
    /// 422: the service accepts sealed cards only (`accept_plain_cards`).
    PlainCardRefused,
    /// 422: the currency cannot express the amount.
    InvalidAmount,
    /// 422: the amount is larger than what is left; the message says how much is.
    AmountTooLarge,
    /// 422: the payment provider cannot do this.
    NotSupportedByProvider,
    /// 429: too many attempts; `retry-after` says when to try again.
    TooManyRequests,
    /// 429: card networks allow no other try with this card now; `retry-after` says when.
    RetryLimit,
    /// 500: the service failed. The cause is in the log, never in the answer.
    Internal,
    /// 503: the service cannot answer now.
    Unavailable,
}

impl ErrorCode {
    /// The HTTP status that goes with the code.
    pub fn status(self) -> u16 {
        match self {
            Self::InvalidRequest => 400,
            Self::SecretKeyInvalid
            | Self::ClientSecretMissing
            | Self::ClientSecretInvalid
            | Self::ClientSecretExpired => 401,
            Self::PartnerMismatch
            | Self::ChargeMismatch
            | Self::MerchantInactive
            | Self::SavedCardsNotOffered
            | Self::OperatorForbidden => 403,
            Self::ChargeNotFound
            | Self::PaymentMethodNotFound
            | Self::RefundNotFound
            | Self::EventNotFound
            | Self::WebhookEndpointNotFound
            | Self::NotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::ChargeNotPayable
            | Self::ChargeNotCancelable
            | Self::ChargeNotChangeable
            | Self::ChargeNotCapturable
            | Self::CaptureExpired
            | Self::ChargeNotRefundable
            | Self::PaymentMethodNotReusable
            | Self::PaymentMethodExpired
            | Self::OperationInProgress
            | Self::IdempotencyConflict => 409,
            Self::PayloadTooLarge => 413,
            Self::UnsupportedMediaType => 415,
            Self::InvalidCard
            | Self::NetworkUnavailable
            | Self::SealedCardUnusable
            | Self::PlainCardRefused
            | Self::InvalidAmount
            | Self::AmountTooLarge
            | Self::NotSupportedByProvider => 422,
            Self::TooManyRequests | Self::RetryLimit => 429,
            Self::Internal => 500,
            Self::Unavailable => 503,
        }
    }
}
