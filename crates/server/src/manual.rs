//! `GET /docs` and `GET /llms.txt`: the documentation of this version, rendered by `build.rs`. It needs no other site and no
//! key, and has nothing of this installation in it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use axum::Router;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use page::{RESOURCE_POLICY, REVALIDATE};
use protocol::ids::sha256_hex;

use web::api_error::ApiError;

/// A file as `build.rs` has made it: path, content type, content.
type ManualEntry = (&'static str, &'static str, &'static [u8]);

const BUILT: &[ManualEntry] = include!(concat!(env!("OUT_DIR"), "/manual.rs"));

/// A page may run its own script, use its own style sheet and fetch its own index, and nothing else. No site may frame it,
/// and its script makes no code or markup from text.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
     require-trusted-types-for 'script'; trusted-types 'none'";

struct ManualFile {
    kind: HeaderValue,
    etag: HeaderValue,
    bytes: &'static [u8],
}

static FILES: LazyLock<BTreeMap<&'static str, ManualFile>> = LazyLock::new(|| {
    let files = BUILT.iter().map(|&(path, kind, bytes)| {
        let mark = format!("\"{}\"", &sha256_hex(bytes)[..32]);
        let file = ManualFile {
            kind: HeaderValue::from_static(kind),
            // A hexadecimal digest is always valid in a header.
            etag: HeaderValue::from_str(&mark).unwrap_or_else(|_| HeaderValue::from_static("\"\"")),
            bytes,
        };
        (path, file)
    });
    files.collect()
});

/// The routes of the documentation.
pub fn router<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new()
        .route("/docs", get(manual))
        .route("/docs/", get(async || Redirect::permanent("/docs")))
        .route("/docs/{*path}", get(manual))
        .route("/llms.txt", get(manual))
}

async fn manual(uri: Uri, headers: HeaderMap) -> Response {
    let Some(file) = FILES.get(uri.path()) else {
        return ApiError::not_found().into_response();
    };
    let is_known = headers
        .get(header::IF_NONE_MATCH)
        .is_some_and(|value| *value == file.etag);
    let mut response = if is_known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        file.bytes.into_response()
    };
    let out = response.headers_mut();
    out.insert(header::CONTENT_TYPE, file.kind.clone());
    out.insert(header::ETAG, file.etag.clone());
    out.insert(header::CACHE_CONTROL, HeaderValue::from_static(REVALIDATE));
    out.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    out.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    out.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    out.insert(RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
    out.insert(
        "cross-origin-opener-policy",
        HeaderValue::from_static("same-origin"),
    );
    response
}
