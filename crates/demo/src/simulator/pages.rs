//! Shared by the simulator's pages: the policy, their files, and the escaping of text.

use axum::extract::Path;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

const CHALLENGE_STYLE: &str = include_str!("challenge.css");
const FRAUD_SCRIPT: &str = include_str!("fraud.js");
const COLLECT_SCRIPT: &str = include_str!("collect.js");

/// `GET /pages/{file}`.
pub(super) async fn page_file(Path(name): Path<String>) -> Response {
    let (kind, content) = match name.as_str() {
        "challenge.css" => ("text/css; charset=utf-8", CHALLENGE_STYLE),
        "collect.js" => ("text/javascript; charset=utf-8", COLLECT_SCRIPT),
        _ => return StatusCode::NOT_FOUND.into_response(),
    };
    file(kind, content)
}

/// `GET /fraud/{site_id}/script.js`: stands in for the script of a fraud prevention; the same for every site.
pub(super) async fn fraud_script() -> Response {
    file("text/javascript; charset=utf-8", FRAUD_SCRIPT)
}

fn file(kind: &'static str, content: &'static str) -> Response {
    (
        [
            (header::CONTENT_TYPE, kind),
            (header::CACHE_CONTROL, "public, no-cache"),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        ],
        content,
    )
        .into_response()
}

/// Adds this content security policy to an answer, and keeps it out of caches.
pub(super) fn with_policy(mut response: Response, policy: &str) -> Response {
    let policy = HeaderValue::from_str(policy).unwrap_or(HeaderValue::from_static("default-src 'none'"));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    response
}

/// Escapes `text` for element content and double-quoted attributes.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
