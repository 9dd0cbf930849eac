//! When the handler of a page panics, the reader gets the page of status 500.

use std::panic::AssertUnwindSafe;

use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::Response;
use futures_util::FutureExt;
use page::{LanguagePreference, locale_in_front};

use super::document::error_page;
use super::state::ServedPages;

/// The answer of a page's handler to a request to this address with these headers. If the handler panics, it is the page of
/// status 500 in the reader's language. Not a tower layer, because a layer allocates for every page. Not an `async fn`,
/// because its future would reserve memory for `answer` twice.
pub fn or_failed_page<'a>(
    served: &'a ServedPages,
    uri: &'a Uri,
    headers: &'a HeaderMap,
    answer: impl Future<Output = Response> + 'a,
) -> impl Future<Output = Response> + 'a {
    let answer = AssertUnwindSafe(answer).catch_unwind();
    answer.then(async move |answer| {
        let Ok(answer) = answer else {
            // The panic's message may contain a value, so it is not logged.
            tracing::error!("the handler of a page panicked");
            return failed_page(served, uri, headers).await;
        };
        answer
    })
}

async fn failed_page(served: &ServedPages, uri: &Uri, headers: &HeaderMap) -> Response {
    let preference = LanguagePreference {
        path: locale_in_front(uri.path()),
        ..LanguagePreference::of(headers)
    };
    let language = served.pages.language(preference.locale());
    error_page(served, language, StatusCode::INTERNAL_SERVER_ERROR, None).await
}
