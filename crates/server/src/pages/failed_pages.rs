//! When the handler of a page panics, the reader gets the page of status 500.

use std::panic::AssertUnwindSafe;

use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::Response;
use futures_util::FutureExt;
use page::{LanguagePreference, locale_in_front};

use super::document::error_page;
use super::state::ServedPages;

/// The answer that a page's handler works on, for a request to this address with these headers. If the handler panics,
/// the page of status 500 in the reader's language. Not a layer: that would cost every page some memory and time.
pub async fn or_failed_page(
    served: &ServedPages,
    uri: &Uri,
    headers: &HeaderMap,
    answer: impl Future<Output = Response>,
) -> Response {
    let Ok(answer) = AssertUnwindSafe(answer).catch_unwind().await else {
        // The panic's message may contain a value, so it is not logged.
        tracing::error!("the handler of a page panicked");
        let preference = LanguagePreference {
            path: locale_in_front(uri.path()),
            ..LanguagePreference::of(headers)
        };
        let language = served.pages.language(preference.locale());
        return error_page(served, language, StatusCode::INTERNAL_SERVER_ERROR, None).await;
    };
    answer
}
