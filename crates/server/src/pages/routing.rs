//! Decides which page an address shows (docs/form.md#addresses): the form at the root and at each language's path, redirects
//! of the route rules, and the 404 page everywhere else.

use std::borrow::Cow;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use page::{
    FormQuery, LanguagePreference, PathRedirect, RouteMatch, locale_in_cookie, locale_in_front, locale_near,
};
use rules::locale::Locale;

use super::document::not_found_page;
use super::failed_pages::or_failed_page;
use super::form_document::form_document;
use super::state::ServedPages;

/// The longest path that the 404 page shows.
const SHOWN_CHARACTERS_MAX: usize = 256;

/// `GET /` and `GET /{locale}`: the form, or a redirect to it.
pub async fn form_page(State(served): State<Arc<ServedPages>>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    or_failed_page(
        &served,
        &parts.uri,
        &parts.headers,
        form_or_redirect(&served, &parts),
    )
    .await
}

async fn form_or_redirect(served: &ServedPages, parts: &Parts) -> Response {
    let (uri, headers, raw) = (&parts.uri, &parts.headers, parts.uri.query());
    if let Some(redirect) = served.settings().route_rules.redirect(uri.path()) {
        return rule_redirect(&redirect, raw);
    }
    let path = locale_in_front(uri.path());
    if path.is_none() && uri.path() != "/" {
        return match locale_near(uri.path()) {
            Some(locale) => at_nearest(served, locale, uri, headers).await,
            None => not_found(served, uri, headers).await,
        };
    }
    let query = FormQuery::read(raw.unwrap_or(""));
    let options = query.form_options();
    let locale = path.unwrap_or_else(|| {
        let preference = LanguagePreference {
            option: options.locale.as_deref(),
            ..LanguagePreference::of(headers)
        };
        preference.locale()
    });
    let routes = &served.settings().locale_routes;
    match path.map_or_else(|| routes.at_root(locale), |path| routes.at_locale(path)) {
        RouteMatch::Form => {
            let language = served.pages.language(locale);
            let mut response = form_document(served, language, &query, options, parts).await;
            // An address with a language is a choice, so it is kept. A guessed language is not.
            if path.is_some() && locale_in_cookie(headers) != path {
                remember(served, response.headers_mut(), locale);
            }
            response
        }
        RouteMatch::Elsewhere(to, status) => {
            let mut response = redirect(&with_query(&to, raw), status);
            if let Some(locale) = locale_in_front(&to) {
                remember(served, response.headers_mut(), locale);
            }
            response
        }
        RouteMatch::Nothing => not_found(served, uri, headers).await,
    }
}

/// A path with another country of a known language, such as `/fr-CA`: redirects to the nearest locale and keeps it in
/// the cookie.
async fn at_nearest(
    served: &ServedPages,
    locale: &'static Locale,
    uri: &Uri,
    headers: &HeaderMap,
) -> Response {
    let RouteMatch::Elsewhere(to, status) = served.settings().locale_routes.at_nearest(locale) else {
        return not_found(served, uri, headers).await;
    };
    let mut response = redirect(&with_query(&to, uri.query()), status);
    remember(served, response.headers_mut(), locale);
    response
}

/// Any path that no route matches.
pub async fn page_not_found(
    State(served): State<Arc<ServedPages>>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let answer = async {
        match served.settings().route_rules.redirect(uri.path()) {
            Some(redirect) => rule_redirect(&redirect, uri.query()),
            None => not_found(&served, &uri, &headers).await,
        }
    };
    or_failed_page(&served, &uri, &headers, answer).await
}

async fn not_found(served: &ServedPages, uri: &Uri, headers: &HeaderMap) -> Response {
    let preference = LanguagePreference {
        path: locale_in_front(uri.path()),
        ..LanguagePreference::of(headers)
    };
    let language = served.pages.language(preference.locale());
    not_found_page(served, language, language.not_found(&shortened_path(uri.path()))).await
}

/// The beginning of the path, if it is too long to read.
fn shortened_path(path: &str) -> Cow<'_, str> {
    match path.char_indices().nth(SHOWN_CHARACTERS_MAX) {
        Some((end, _)) => format!("{}…", &path[..end]).into(),
        None => path.into(),
    }
}

/// Redirects as the rule says. Within our site the query stays, because it contains the payload. Another site does not
/// get it.
fn rule_redirect(rule: &PathRedirect, query: Option<&str>) -> Response {
    let query = if rule.external { None } else { query };
    redirect(&with_query(&rule.to, query), rule.status)
}

fn with_query(path: &str, query: Option<&str>) -> String {
    match query {
        Some(query) if !query.is_empty() => {
            let joint = if path.contains('?') { '&' } else { '?' };
            format!("{path}{joint}{query}")
        }
        _ => path.to_owned(),
    }
}

/// A redirect that must not be cached: it depends on the reader, and its address contains the payload.
fn redirect(to: &str, status: StatusCode) -> Response {
    let Ok(location) = HeaderValue::from_str(to) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let mut response = status.into_response();
    let headers = response.headers_mut();
    headers.insert(header::LOCATION, location);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::VARY, HeaderValue::from_static("accept-language, cookie"));
    response
}

/// Keeps the language in the cookie.
fn remember(served: &ServedPages, headers: &mut HeaderMap, locale: &'static Locale) {
    headers.append(header::SET_COOKIE, served.pages.language(locale).cookie.clone());
}
