//! The built files that are served unchanged.

use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
pub use page::is_known;

use crate::api_error::ApiError;

/// A file below `dist/`, as in [`page::file`]; 404 if it does not exist.
pub fn file(path: &str, headers: &HeaderMap, cache: &'static str) -> Response {
    page::file(path, headers, cache).unwrap_or_else(|| ApiError::not_found().into_response())
}
