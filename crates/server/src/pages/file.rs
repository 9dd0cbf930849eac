//! The built files that are served unchanged.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use page::{IMMUTABLE, RESOURCE_POLICY, REVALIDATE, messages_path};
use rules::locale;

use super::state::ServedPages;
use web::built_file::file;
use web::{ApiError, Named};

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

/// `GET /locales/{build_id}/{tag}.json`: the texts of the nearest locale; 404 if there is none. A page of another
/// build, during an upgrade, gets this build's texts and must not cache them.
pub(crate) async fn locale_messages(
    State(served): State<Arc<ServedPages>>,
    Named((build_id, name)): Named<(String, String)>,
    headers: HeaderMap,
) -> Response {
    let Some(locale) = name.strip_suffix(".json").and_then(locale::nearest) else {
        return ApiError::not_found().into_response();
    };
    let is_current = build_id == served.pages.assets().build_id;
    file(
        &messages_path(locale),
        &headers,
        if is_current { IMMUTABLE } else { REVALIDATE },
    )
}
