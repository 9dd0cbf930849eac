//! The one way an error leaves the service: `wire::ErrorBody` with the code's status. Causes are logged, never sent.

use axum::Json;
use axum::extract::rejection::BytesRejection;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use rules::ErrorId;
use wire::{ErrorBody, ErrorCode, ErrorDetail};

use crate::ids::NoRandomness;
use crate::store::StoreError;

/// An error answer. Its message never repeats what the client sent.
#[derive(Debug, Clone)]
pub struct ApiError(Box<ErrorDetail>);

impl ApiError {
    /// An error with a code and words for the developer who reads it.
    pub fn new(code: ErrorCode, message: &'static str) -> Self {
        Self(Box::new(ErrorDetail {
            code,
            message: message.to_owned(),
            field: None,
            reason: None,
        }))
    }

    /// 400: the field, parameter or header at fault, and what is wrong with it.
    pub fn invalid(field: impl Into<String>, message: &'static str) -> Self {
        Self::new(ErrorCode::InvalidRequest, message).at(field)
    }

    /// 422: the card field that breaks a rule, and the rule.
    pub fn invalid_card(field: &'static str, reason: ErrorId) -> Self {
        let mut error = Self::new(
            ErrorCode::InvalidCard,
            "The card cannot be used: this field breaks a rule.",
        );
        error.0.field = Some(field.to_owned());
        error.0.reason = Some(reason);
        error
    }

    /// 404: no such path.
    pub fn not_found() -> Self {
        Self::new(ErrorCode::NotFound, "There is nothing at this path.")
    }

    /// 404: no such charge of this merchant.
    pub fn charge_not_found() -> Self {
        Self::new(ErrorCode::ChargeNotFound, "There is no such charge.")
    }

    /// 500, with the cause in the log alone.
    pub fn internal(cause: &dyn std::fmt::Display) -> Self {
        tracing::error!(%cause, "a request failed");
        Self::new(ErrorCode::Internal, "Something went wrong here. Try again later.")
    }

    /// The same error, naming the field at fault.
    #[must_use]
    pub fn at(mut self, field: impl Into<String>) -> Self {
        self.0.field = Some(field.into());
        self
    }

    /// What is sent.
    pub fn detail(&self) -> &ErrorDetail {
        &self.0
    }
}

/// For the operator's command line: the words and the field.
impl std::fmt::Display for ApiError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0.field {
            Some(field) => write!(f, "{field}: {}", self.0.message),
            None => f.write_str(&self.0.message),
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        (status, Json(ErrorBody { error: *self.0 })).into_response()
    }
}

impl From<StoreError> for ApiError {
    fn from(cause: StoreError) -> Self {
        Self::internal(&cause)
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
