//! A page of ours as a document: its headers, and the error pages that stand in for the form.

use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use serde_json::value::RawValue;
use wire::{ColorMode, ErrorPage, Page, PageContext, PayloadError};

use super::Pages;
use super::html::Document;
use super::language::Language;
use super::language_preference::cookie_attributes;
use super::policy::{lock_down, policy_text};
use super::templates::Body;
use crate::app::App;
use crate::config::Config;

pub(super) async fn unusable_payload(app: &App, language: &Language, error: PayloadError) -> Response {
    let status = match error {
        PayloadError::Missing | PayloadError::NotBase64 => StatusCode::BAD_REQUEST,
        PayloadError::TooLong => StatusCode::URI_TOO_LONG,
        PayloadError::NotAnIntent | PayloadError::Incomplete(_) => StatusCode::UNPROCESSABLE_ENTITY,
        PayloadError::Unsigned | PayloadError::NotOurs | PayloadError::UnknownPartner => {
            StatusCode::FORBIDDEN
        }
    };
    // What nobody vouches for has no place in anybody's page.
    let ancestors = if status == StatusCode::FORBIDDEN {
        "'none'"
    } else {
        ANY_ANCESTOR
    };
    let said = Said::description(Some(error.to_string()));
    error_document(app, language, status, said, ancestors).await
}

/// A page without a card form may be embedded anywhere.
const ANY_ANCESTOR: &str = "*";

/// An error page (docs/form.md#error-pages); `description` or what is usually said of the status.
pub(super) async fn error_page(
    app: &App,
    language: &Language,
    status: StatusCode,
    description: Option<String>,
) -> Response {
    error_document(
        app,
        language,
        status,
        Said::description(description),
        ANY_ANCESTOR,
    )
    .await
}

/// The page of what is not there (docs/form.md#error-pages): its path in the message, and the usual description.
pub(super) async fn not_found_page(app: &App, language: &Language, message: String) -> Response {
    let said = Said {
        message: Some(message),
        description: None,
    };
    error_document(app, language, StatusCode::NOT_FOUND, said, ANY_ANCESTOR).await
}

/// What an error page says.
struct Said {
    message: Option<String>,
    /// What is usually said of the status when absent.
    description: Option<String>,
}

impl Said {
    fn description(description: Option<String>) -> Self {
        Self {
            message: None,
            description,
        }
    }
}

async fn error_document(
    app: &App,
    language: &Language,
    status: StatusCode,
    said: Said,
    ancestors: &str,
) -> Response {
    let page = ErrorPage {
        context: context(&app.pages, &app.config, app.is_reached_over_https(), language),
        status: status.as_u16(),
        message: said.message,
        description: said.description,
    };
    let look = Look {
        color_mode: ColorMode::System,
        theme: "",
        gzip: false,
    };
    let policy = policy_text(ancestors, "'self'", "'self'", "'none'", "'none'");
    document(app, language, status, &Page::Error(page), &look, &policy).await
}

/// What the page arrives in.
pub(super) struct Look<'a> {
    pub(super) color_mode: ColorMode,
    pub(super) theme: &'a str,
    /// Compressed, as [`super::pieces`] does it.
    pub(super) gzip: bool,
}

/// The context of a page of a service with these settings.
pub(super) fn context(pages: &Pages, config: &Config, is_https: bool, language: &Language) -> PageContext {
    let locale = language.locale;
    PageContext {
        locale: locale.code.to_owned(),
        iso: locale.iso.to_owned(),
        dir: locale.dir.as_str().to_owned(),
        // The document has them from the language itself.
        messages: no_texts(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        build_id: pages.assets().build_id().to_owned(),
        locale_strategy: config.locale_routes.strategy,
        locale_cookie: cookie_attributes(config, is_https).to_owned(),
    }
}

/// What stands for the texts in a page's data.
fn no_texts() -> Box<RawValue> {
    RawValue::from_string("0".to_owned()).unwrap_or_default()
}

/// Renders `page` and puts the document around it. When rendering fails the page still arrives, and the browser
/// renders it.
pub(super) async fn document(
    app: &App,
    language: &Language,
    status: StatusCode,
    page: &Page,
    look: &Look<'_>,
    policy: &str,
) -> Response {
    let data = match serde_json::to_string(page) {
        Ok(data) => data,
        Err(error) => {
            tracing::error!(%error, "a page could not be described");
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        }
    };
    let document = written(&app.pages, language, page, &data, look).await;
    let mut response = if look.gzip {
        let encoding = [(header::CONTENT_ENCODING, "gzip")];
        (status, encoding, Html(document.to_gzip())).into_response()
    } else {
        (status, Html(document.to_html())).into_response()
    };
    lock_down(response.headers_mut(), policy);
    response
}

/// The document of `page`, whose data are `data`. Where rendering fails its root is empty.
pub(super) async fn written<'a>(
    pages: &'a Pages,
    language: &'a Language,
    page: &'a Page,
    data: &'a str,
    look: &Look<'a>,
) -> Document<'a> {
    let title = match page {
        // A page that changes its language gives itself the same title.
        Page::Form(_) => "pay_with_card",
        Page::Error(error) if error.status == 404 => "page_not_found_title",
        Page::Error(error) if error.status < 500 => "page_unusable_title",
        Page::Error(_) => "page_unavailable_title",
    };
    let rendered = pages.templates.body(page, language).await;
    let body = rendered.unwrap_or_else(|error| {
        tracing::error!(%error, "a page was not rendered on the server; the browser renders it");
        Body::Rendered(String::new())
    });
    // A form in a merchant's page has no address of its own, and an error page's is none.
    let alternates = match page {
        Page::Form(form) if form.standalone => Some(&*pages.alternates),
        _ => None,
    };
    Document {
        lang: language.locale.iso,
        dir: language.locale.dir.as_str(),
        title: language.plain_text(title).unwrap_or("Cardform"),
        color_mode: look.color_mode.as_str(),
        alternates,
        style: pages.assets().style(),
        style_integrity: pages.assets().style_integrity(),
        theme: look.theme,
        script: pages.assets().script(),
        payee: match page {
            Page::Form(form) => form.payee.as_ref(),
            Page::Error(_) => None,
        },
        no_script: match page {
            Page::Form(_) => language.plain_text("needs_javascript"),
            Page::Error(_) => None,
        },
        script_integrity: pages.assets().script_integrity(),
        data,
        texts: &language.in_document,
        body,
    }
}
