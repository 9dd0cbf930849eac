//! `GET /openapi.json`: the HTTP API described for programs, in OpenAPI 3.1.
//!
//! We write the document ourselves. `utoipa` needs a second derive on each type of `wire`, which has schemas from
//! `schemars` already. `aide` would replace our routing, and describes an endpoint in a function beside its handler.
//! Here an `OPERATION` stands above each handler, and one file turns the list into the document.

mod document;
mod events;
pub mod operations;
mod prose;
mod schemas;
mod topics;

use std::sync::LazyLock;

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use protocol::ids::sha256_hex;

/// The document and its etag. It does not depend on the installation, so it is the same until the next release.
struct Description {
    json: Bytes,
    etag: HeaderValue,
}

static DESCRIPTION: LazyLock<Description> = LazyLock::new(|| {
    let json = document::document().to_string();
    let mark = &sha256_hex(json.as_bytes())[..32];
    Description {
        // A hexadecimal digest is always valid in a header.
        etag: HeaderValue::from_str(&format!("\"{mark}\""))
            .unwrap_or_else(|_| HeaderValue::from_static("\"\"")),
        json: json.into(),
    }
});

/// How long a client may use what it has without asking: an hour.
const CACHE: HeaderValue = HeaderValue::from_static("public, max-age=3600");

/// Answers with the document, or with 304 if the client has it. Needs no key.
pub async fn openapi(headers: HeaderMap) -> Response {
    let description = &*DESCRIPTION;
    let known = headers
        .get(header::IF_NONE_MATCH)
        .is_some_and(|value| *value == description.etag);
    let mut response = if known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        description.json.clone().into_response()
    };
    let out = response.headers_mut();
    out.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    out.insert(header::ETAG, description.etag.clone());
    out.insert(header::CACHE_CONTROL, CACHE);
    out.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    response
}
