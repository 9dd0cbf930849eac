//! What is at an address of the page (specification, point 2): the form at the root and at each language's path, the
//! rules' redirects, and the 404 page everywhere else.

use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use rules::locale::Locale;

use super::document::{error_page, form_document};
use super::locale_routes::{At, locale_in_front};
use super::query::FormQuery;
use super::route_rules::Redirect;
use super::wish::{LANGUAGE_COOKIE, Wish, cookie, cookie_attributes};
use crate::app::{App, SharedApp};

/// `GET /` and `GET /{locale}`: the form, or where the form is.
pub async fn form_page(
    State(app): State<SharedApp>,
    RawQuery(raw): RawQuery,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    if let Some(redirect) = app.config.route_rules.redirect(uri.path()) {
        return led_by_rule(&redirect, raw.as_deref());
    }
    let path = locale_in_front(uri.path());
    if path.is_none() && uri.path() != "/" {
        return not_found(&app, &uri, &headers).await;
    }
    let query: FormQuery = serde_urlencoded::from_str(raw.as_deref().unwrap_or("")).unwrap_or_default();
    let options = query.form_options();
    let wish = Wish {
        path,
        option: options.locale.as_deref(),
        ..Wish::of(&headers)
    };
    let locale = wish.locale();
    let routes = &app.config.locale_routes;
    match path.map_or_else(|| routes.at_root(locale), |path| routes.at_locale(path)) {
        At::Form => {
            let language = app.pages.languages.of(locale);
            let mut response = form_document(&app, language, &query, options, &headers).await;
            // An address with a language is a choice; what was only guessed is not kept.
            if path.is_some() && cookie(&headers) != path {
                remember(&app, response.headers_mut(), locale);
            }
            response
        }
        At::Elsewhere(to, status) => {
            let mut response = redirect(&with_query(&to, raw.as_deref()), status);
            if let Some(locale) = locale_in_front(&to) {
                remember(&app, response.headers_mut(), locale);
            }
            response
        }
        At::Nothing => not_found(&app, &uri, &headers).await,
    }
}

/// Any path that no route matches.
pub async fn page_not_found(State(app): State<SharedApp>, uri: Uri, headers: HeaderMap) -> Response {
    match app.config.route_rules.redirect(uri.path()) {
        Some(redirect) => led_by_rule(&redirect, uri.query()),
        None => not_found(&app, &uri, &headers).await,
    }
}

async fn not_found(app: &App, uri: &Uri, headers: &HeaderMap) -> Response {
    let wish = Wish {
        path: locale_in_front(uri.path()),
        ..Wish::of(headers)
    };
    let description = format!("Page not found: {}", uri.path());
    let language = app.pages.languages.of(wish.locale());
    error_page(app, language, StatusCode::NOT_FOUND, Some(description)).await
}

/// The query goes along within our site: it holds the payload. Another site gets nothing of it.
fn led_by_rule(rule: &Redirect, query: Option<&str>) -> Response {
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

/// A redirect that no cache keeps: it depends on the reader, and its address holds the payload.
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
fn remember(app: &App, headers: &mut HeaderMap, locale: &'static Locale) {
    let attributes = cookie_attributes(app);
    if let Ok(value) = HeaderValue::from_str(&format!("{LANGUAGE_COOKIE}={}; {attributes}", locale.code)) {
        headers.append(header::SET_COOKIE, value);
    }
}
