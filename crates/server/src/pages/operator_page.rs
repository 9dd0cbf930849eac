//! `GET /operator`: the operator's page and its files. The page itself contains no data; it asks for the key and
//! fetches the report with it.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use page::IMMUTABLE;

use merchants::operators::Operators;
use web::Named;
use web::built_file::file;

use super::{ServedPages, page_not_found};

/// The page may run its own script, use its own style sheet and call this service, and nothing else. No site may frame
/// it, and its script makes no code or markup from text.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
     require-trusted-types-for 'script'; trusted-types 'none'";

/// The page; 404 if no key is set.
pub(crate) async fn operator_page(
    State(operators): State<Arc<Operators>>,
    State(served): State<Arc<ServedPages>>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    if !operators.has_keys() {
        return page_not_found(State(served), uri, headers).await;
    }
    let mut response = file("operator/index.html", &headers, "no-store");
    let out = response.headers_mut();
    out.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    out.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    out.insert(
        "cross-origin-opener-policy",
        HeaderValue::from_static("same-origin"),
    );
    out.insert("x-robots-tag", HeaderValue::from_static("noindex"));
    response
}

/// A file of the page; 404 if no key is set.
pub(crate) async fn operator_asset(
    State(operators): State<Arc<Operators>>,
    Named(path): Named<String>,
    headers: HeaderMap,
) -> Response {
    if !operators.has_keys() {
        return StatusCode::NOT_FOUND.into_response();
    }
    file(&format!("operator/assets/{path}"), &headers, IMMUTABLE)
}
