//! The answer to every error: `protocol::ErrorBody` with the status of its code. Causes are logged and never sent.

use axum::Json;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use protocol::{ErrorBody, ErrorCode, ErrorDetail};
use rules::ErrorId;

use protocol::ids::NoRandomness;
use store::StoreError;

use crate::request_ids;

/// The `retry-after` of an answer while the database is out of order, in seconds.
const OUTAGE_RETRY_SECONDS: u64 = 2;

/// An error answer. Its message never contains text of the client.
#[derive(Debug, Clone)]
pub struct ApiError {
    detail: Box<ErrorDetail>,
    retry_after_seconds: Option<u64>,
}

impl ApiError {
    /// An error with a code and a message for the developer who reads it.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            detail: Box::new(ErrorDetail {
                code,
                message: message.into(),
                field: None,
                reason: None,
            }),
            retry_after_seconds: None,
        }
    }

    /// 400: names the field, parameter or header, and the error in it.
    pub fn invalid(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidRequest, message).at(field)
    }

    /// 422: names the card field that breaks a rule, and the rule.
    pub fn invalid_card(field: &'static str, reason: ErrorId) -> Self {
        let message = "The card cannot be used: this field breaks a rule.";
        let mut error = Self::new(ErrorCode::InvalidCard, message).at(field);
        error.detail.reason = Some(reason);
        error
    }

    /// 404: the path does not exist.
    pub fn not_found() -> Self {
        Self::new(ErrorCode::NotFound, "There is nothing at this path.")
    }

    /// 404: this merchant has no such charge.
    pub fn charge_not_found() -> Self {
        Self::new(ErrorCode::ChargeNotFound, "There is no such charge.")
    }

    /// 429: `message` names what there were too many of. The next request is allowed after `wait_ms` milliseconds.
    pub fn too_many_requests(wait_ms: i64, message: &'static str) -> Self {
        Self::too_many(ErrorCode::TooManyRequests, wait_ms, message)
    }

    /// A 429 of this code, like [`Self::too_many_requests`].
    pub fn too_many(code: ErrorCode, wait_ms: i64, message: &'static str) -> Self {
        let mut error = Self::new(code, message);
        error.retry_after_seconds = Some(u64::try_from(wait_ms).unwrap_or_default().div_ceil(1_000).max(1));
        error
    }

    /// 500. The cause is only logged.
    pub fn internal(cause: &dyn std::fmt::Display) -> Self {
        log_failure("a request failed", cause);
        Self::new(ErrorCode::Internal, "Something went wrong here. Try again later.")
    }

    /// The same error with the field that is wrong.
    #[must_use]
    pub fn at(mut self, field: impl Into<String>) -> Self {
        self.detail.field = Some(field.into());
        self
    }

    /// The part that becomes the body.
    pub fn detail(&self) -> &ErrorDetail {
        &self.detail
    }
}

/// For the operator's command line: the field and the message.
impl std::fmt::Display for ApiError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.detail.field {
            Some(field) => write!(f, "{field}: {}", self.detail.message),
            None => f.write_str(&self.detail.message),
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status =
            StatusCode::from_u16(self.detail.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, Json(ErrorBody { error: *self.detail })).into_response();
        if status == StatusCode::UNAUTHORIZED {
            let scheme = HeaderValue::from_static("Bearer");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, scheme);
        }
        if let Some(seconds) = self.retry_after_seconds {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}

/// Logs the cause with the ids of the request.
fn log_failure(what: &'static str, cause: &dyn std::fmt::Display) {
    let ids = request_ids::current();
    let (partner_id, charge_id, attempt_id) = (ids.partner(), ids.charge(), ids.attempt());
    let trace_id = ids.trace_id();
    tracing::error!(%cause, trace_id, partner_id, charge_id, attempt_id, "{what}");
}

/// 503 when the database is out of order, 500 for a fault of the service itself.
impl From<StoreError> for ApiError {
    fn from(cause: StoreError) -> Self {
        if !cause.is_outage() {
            return Self::internal(&cause);
        }
        log_failure("the database failed a request", &cause);
        let mut error = Self::new(
            ErrorCode::Unavailable,
            "The service cannot answer now. The retry-after header says when to try again.",
        );
        error.retry_after_seconds = Some(OUTAGE_RETRY_SECONDS);
        error
    }
}

impl From<NoRandomness> for ApiError {
    fn from(cause: NoRandomness) -> Self {
        Self::internal(&cause)
    }
}

impl From<BytesRejection> for ApiError {
    fn from(rejection: BytesRejection) -> Self {
        if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
            Self::new(ErrorCode::PayloadTooLarge, "The body is too large.")
        } else {
            Self::new(ErrorCode::InvalidRequest, "The body could not be read.")
        }
    }
}
