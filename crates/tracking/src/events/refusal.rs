//! Why a whole request with events is refused, in the format of Kafka's REST proxy.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use wire::ProduceError;

/// The content type of every answer.
pub(super) const CONTENT_TYPE: HeaderValue = HeaderValue::from_static("application/vnd.kafka.v2+json");

/// The reasons. Each has a stable code whose first three digits are the status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// 40401: there is no such topic.
    UnknownTopic,
    /// 405.
    MethodNotAllowed,
    /// 408: the body did not arrive completely, or not in time.
    Interrupted,
    /// 413.
    TooLarge,
    /// 415.
    ContentType,
    /// 422: the body is JSON, but not a list of records.
    NoRecords,
    /// 422: it has more records than one request may have.
    TooManyRecords,
    /// 42203: the body is not JSON.
    NotJson,
    /// 429: this client sent too many events; it may send again after this many seconds.
    TooManyEvents(u64),
}

impl Refusal {
    fn code(self) -> u32 {
        match self {
            Self::UnknownTopic => 40_401,
            Self::MethodNotAllowed => 405,
            Self::Interrupted => 408,
            Self::TooLarge => 413,
            Self::ContentType => 415,
            Self::NoRecords | Self::TooManyRecords => 422,
            Self::NotJson => 42_203,
            Self::TooManyEvents(_) => 429,
        }
    }

    fn status(self) -> StatusCode {
        match self {
            Self::UnknownTopic => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::Interrupted => StatusCode::REQUEST_TIMEOUT,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::ContentType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::NoRecords | Self::TooManyRecords | Self::NotJson => StatusCode::UNPROCESSABLE_ENTITY,
            Self::TooManyEvents(_) => StatusCode::TOO_MANY_REQUESTS,
        }
    }

    fn message(self) -> &'static str {
        match self {
            Self::UnknownTopic => "There is no such topic.",
            Self::MethodNotAllowed => "Topics take POST alone.",
            Self::Interrupted => "The body did not come whole.",
            Self::TooLarge => "The body is larger than 1048576 bytes.",
            Self::ContentType => "Send the body as content-type application/vnd.kafka.json.v2+json.",
            Self::NoRecords => {
                "The body must have records: a list of one or more, each with a value that is not null."
            }
            Self::TooManyRecords => "A request may have 1000 records.",
            Self::NotJson => "The body is not valid JSON.",
            Self::TooManyEvents(_) => {
                "There were too many events from this address. The retry-after header says when to go on."
            }
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let body = ProduceError {
            error_code: self.code(),
            message: self.message().to_owned(),
        };
        let mut response = (self.status(), axum::Json(body)).into_response();
        response.headers_mut().insert(header::CONTENT_TYPE, CONTENT_TYPE);
        if let Self::TooManyEvents(seconds) = self {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}
