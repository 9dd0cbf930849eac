//! `GET /demo`: the shop's page, the theme playground, the plain page, and their files.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use page::{IMMUTABLE, REVALIDATE, style_source};

use super::Demo;
use web::Named;
use web::built_file::file;

/// The shop's page. Like every merchant's page, its policy must allow Cardform and the provider's challenges in
/// `frame-src`; style sheets and scripts are only its own.
pub(super) async fn shop_page(State(demo): State<Arc<Demo>>, headers: HeaderMap) -> Response {
    page_of_demo("demo/index.html", &demo, &headers)
}

/// The theme playground. It has the shop's policy: its frames are the form and the gallery.
pub(super) async fn theme_page(State(demo): State<Arc<Demo>>, headers: HeaderMap) -> Response {
    page_of_demo("demo/theme.html", &demo, &headers)
}

/// The shop in one plain file, to copy. Its policy allows the script and the style in it by their hashes.
pub(super) async fn plain_page(State(demo): State<Arc<Demo>>, headers: HeaderMap) -> Response {
    const FILE: &str = "demo/plain.html";
    let document = page::text(FILE).unwrap_or_default();
    let source = |tag| style_source(element_text(&document, tag).unwrap_or_default());
    page_with(FILE, &demo, &headers, &source("script"), &source("style"))
}

/// The text of the document's first element with this name.
fn element_text<'a>(document: &'a str, tag: &str) -> Option<&'a str> {
    let (_, rest) = document.split_once(&format!("<{tag}"))?;
    let (_, rest) = rest.split_once('>')?;
    let (text, _) = rest.split_once(&format!("</{tag}>"))?;
    Some(text)
}

fn page_of_demo(path: &str, demo: &Demo, headers: &HeaderMap) -> Response {
    page_with(path, demo, headers, "'self'", "'self'")
}

fn page_with(path: &str, demo: &Demo, headers: &HeaderMap, scripts: &str, styles: &str) -> Response {
    let policy = format!(
        "default-src 'none'; script-src {scripts}; style-src {styles}; img-src 'self' data:; connect-src 'self'; \
         frame-src 'self' {} {}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        demo.public_url, demo.challenge_sources
    );
    with_policy(file(path, headers, REVALIDATE), &policy)
}

/// Adds this content security policy to an answer, whose type no browser may guess.
pub(super) fn with_policy(mut response: Response, policy: &str) -> Response {
    if let Ok(policy) = HeaderValue::from_str(policy) {
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
        headers.insert(
            header::X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        );
    }
    response
}

/// A file of the shop's page.
pub(super) async fn shop_asset(Named(path): Named<String>, headers: HeaderMap) -> Response {
    file(&format!("demo/assets/{path}"), &headers, IMMUTABLE)
}
