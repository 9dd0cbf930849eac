//! The texts of a language, for a page whose language changes.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use page::{IMMUTABLE, REVALIDATE, messages_path};
use rules::locale;

use super::file::file;
use super::state::ServedPages;
use crate::http::api_error::ApiError;
use crate::http::path_id::Named;

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
    let is_current = build_id == served.pages.assets().build_id();
    file(
        &messages_path(locale),
        &headers,
        if is_current { IMMUTABLE } else { REVALIDATE },
    )
}
