//! `GET /openapi.json`: the HTTP API described for programs, in OpenAPI 3.1.
//!
//! No library writes the document. `utoipa` needs a second derive on each type of `protocol`, which has schemas from
//! `schemars` already. `aide` would replace our routing, and describes an endpoint in a function beside its handler.
//! Here an `OPERATION` stands above each handler, and one file makes the document from the list of them.

mod document;
mod events;
pub mod operations;
mod prose;
mod schemas;
mod topics;

use std::sync::LazyLock;

use axum::http::HeaderMap;
use axum::response::Response;

use crate::fixed_answer::FixedAnswer;

/// The document. It does not depend on the installation.
static DOCUMENT: LazyLock<FixedAnswer> =
    LazyLock::new(|| FixedAnswer::new("application/json", document::document().to_string()));

/// Clients may cache the document for an hour.
const CACHE: &str = "public, max-age=3600";

/// Answers with the document. Needs no key.
pub async fn openapi(headers: HeaderMap) -> Response {
    DOCUMENT.to(&headers, CACHE)
}
