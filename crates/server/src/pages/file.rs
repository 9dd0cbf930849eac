//! The built files that are served unchanged.

use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use page::{RESOURCE_POLICY, REVALIDATE};

use crate::http::api_error::ApiError;
use crate::http::path_id::Named;

/// A file below `dist/`, as in [`page::file`]; 404 if it does not exist.
pub(crate) fn file(path: &str, headers: &HeaderMap, cache: &'static str) -> Response {
    page::file(path, headers, cache).unwrap_or_else(|| ApiError::not_found().into_response())
}

/// `GET /sdk/{*path}`: the SDK for merchants' pages. Pages of any origin may load it as a module.
pub(crate) async fn sdk_asset(Named(path): Named<String>, headers: HeaderMap) -> Response {
    let mut response = file(&format!("sdk/{path}"), &headers, REVALIDATE);
    response
        .headers_mut()
        .insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    response
        .headers_mut()
        .insert(RESOURCE_POLICY, HeaderValue::from_static("cross-origin"));
    response
}
