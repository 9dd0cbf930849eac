//! The page to which a 3-D Secure challenge returns. It only tells the window that shows the challenge that it is over.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use page::{escape, frame_ancestors};

use super::state::ServedPages;

/// The page. It may be framed by the merchant's origins and our own, and contains no data of the charge.
pub(crate) fn challenge_return_page(served: &ServedPages, allowed_origins: &[String]) -> Response {
    // The page is visible for a moment only; the form then says the rest in the shopper's language.
    let language = served.pages.language(rules::locale::default());
    let text = language.plain_text("outcome_checking").unwrap_or_default();
    let html = format!(
        "<!doctype html>\n<html lang=\"{lang}\" dir=\"{dir}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"robots\" content=\"noindex\">\n<title>{text}</title>\n<link rel=\"icon\" href=\"data:,\">\n\
         <script type=\"module\" src=\"{script}\" integrity=\"{integrity}\"></script>\n</head>\n<body>\n<p>{text}</p>\n</body>\n</html>\n",
        lang = escape(language.locale.iso),
        dir = escape(language.locale.dir.as_str()),
        text = escape(text),
        script = served.pages.assets().challenge_return_script(),
        integrity = served.pages.assets().challenge_return_integrity(),
    );
    let ancestors = match frame_ancestors(allowed_origins).as_str() {
        "*" => "*".to_owned(),
        "'none'" => "'self'".to_owned(),
        origins => format!("'self' {origins}"),
    };
    let policy = format!(
        "default-src 'none'; script-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; \
         frame-ancestors {ancestors}; require-trusted-types-for 'script'; trusted-types 'none'"
    );
    let mut response = (StatusCode::OK, Html(html)).into_response();
    let headers = response.headers_mut();
    let policy = HeaderValue::from_str(&policy)
        .unwrap_or_else(|_| HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"));
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}
