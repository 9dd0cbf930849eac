//! `GET /docs` and `GET /llms.txt`: the documentation of this version, rendered by `build.rs`. It needs no other site and no
//! key, and does not depend on the installation.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use page::{RESOURCE_POLICY, REVALIDATE};

use crate::fixed_answer::FixedAnswer;
use web::ApiError;

/// A file as `build.rs` has made it: path, content type, content.
type ManualEntry = (&'static str, &'static str, &'static [u8]);

const BUILT: &[ManualEntry] = include!(concat!(env!("OUT_DIR"), "/manual.rs"));

/// A page may run its own script, use its own style sheet and fetch its own index, and nothing else. No site may frame it,
/// and its script makes no code or markup from text.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
     require-trusted-types-for 'script'; trusted-types 'none'";

static FILES: LazyLock<BTreeMap<&'static str, FixedAnswer>> = LazyLock::new(|| {
    let files = BUILT.iter();
    files
        .map(|&(path, kind, bytes)| (path, FixedAnswer::new(kind, with_integrity(bytes))))
        .collect()
});

/// The SDK's packages. The pages have `{integrity of NAME}` for their hashes, which only the whole build has.
const PACKAGES: [&str; 3] = ["cardform-js.tgz", "cardform-react.tgz", "cardform-testing.tgz"];

/// The file with the hashes of this build's packages.
fn with_integrity(file: &'static [u8]) -> Bytes {
    let mut text = String::from_utf8_lossy(file);
    for package in PACKAGES {
        let place = format!("{{integrity of {package}}}");
        if text.contains(&place) {
            let hash = page::package_integrity(package).unwrap_or_else(|| "not built".to_owned());
            text = text.replace(&place, &hash).into();
        }
    }
    match text {
        Cow::Owned(text) => text.into(),
        Cow::Borrowed(_) => file.into(),
    }
}

/// The routes of the documentation.
pub fn router<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new()
        .route("/docs", get(manual))
        .route("/docs/", get(async || Redirect::permanent("/docs")))
        .route("/docs/{*path}", get(manual))
        .route("/llms.txt", get(manual))
}

/// The page for a path that is not there.
const MISSING: &str = "/docs/404";

async fn manual(uri: Uri, headers: HeaderMap) -> Response {
    let accepted = headers
        .get(header::ACCEPT)
        .map_or(&b""[..], HeaderValue::as_bytes);
    let is_browser = accepted.starts_with(b"text/html");
    let mut response = match (FILES.get(uri.path()), FILES.get(MISSING)) {
        (Some(file), _) => file.to(&headers, REVALIDATE),
        (None, Some(page)) if is_browser => {
            // Without the request's headers: a browser that has this page must not get a 304 without a text.
            (StatusCode::NOT_FOUND, page.to(&HeaderMap::new(), REVALIDATE)).into_response()
        }
        _ => return ApiError::not_found().into_response(),
    };
    let out = response.headers_mut();
    out.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    out.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    out.insert(RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
    out.insert(
        "cross-origin-opener-policy",
        HeaderValue::from_static("same-origin"),
    );
    response
}
