//! An answer that stays the same until the next release, with an etag, so that a client gets it only once.

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use protocol::ids::sha256_hex;

pub(crate) struct FixedAnswer {
    content_type: &'static str,
    etag: HeaderValue,
    body: Bytes,
}

impl FixedAnswer {
    pub(crate) fn new(content_type: &'static str, body: impl Into<Bytes>) -> Self {
        let body = body.into();
        let etag = format!("\"{}\"", &sha256_hex(&body)[..32]);
        Self {
            content_type,
            // A hexadecimal digest is always valid in a header.
            etag: HeaderValue::from_str(&etag).unwrap_or_else(|_| HeaderValue::from_static("\"\"")),
            body,
        }
    }

    /// Answers a request with these headers: with the body, or with 304 if the client has it.
    pub(crate) fn to(&self, request: &HeaderMap, cache: &'static str) -> Response {
        let headers = [
            (header::CONTENT_TYPE, HeaderValue::from_static(self.content_type)),
            (header::ETAG, self.etag.clone()),
            (header::CACHE_CONTROL, HeaderValue::from_static(cache)),
            (
                header::X_CONTENT_TYPE_OPTIONS,
                HeaderValue::from_static("nosniff"),
            ),
        ];
        if self.etag.to_str().is_ok_and(|etag| page::is_known(request, etag)) {
            (StatusCode::NOT_MODIFIED, headers).into_response()
        } else {
            (headers, self.body.clone()).into_response()
        }
    }
}
