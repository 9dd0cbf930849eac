//! Writes a page as an HTML document with its headers; also the error pages that replace the form.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use page::{Appearance, HtmlDocument, Language, ScriptJson, lock_down, policy_text};
use protocol::{ColorMode, ErrorPage, Page, PayloadError};

use super::state::ServedPages;

pub(super) async fn unusable_payload(
    served: &ServedPages,
    language: &Language,
    error: PayloadError,
) -> Response {
    let status = match error {
        PayloadError::Missing | PayloadError::NotBase64 => StatusCode::BAD_REQUEST,
        PayloadError::TooLong => StatusCode::URI_TOO_LONG,
        PayloadError::NotAnIntent | PayloadError::Incomplete(_) => StatusCode::UNPROCESSABLE_ENTITY,
        PayloadError::Unsigned | PayloadError::NotOurs | PayloadError::UnknownPartner => {
            StatusCode::FORBIDDEN
        }
    };
    // No site may frame this page: nothing proves which merchant it belongs to.
    let ancestors = if status == StatusCode::FORBIDDEN {
        "'none'"
    } else {
        ANY_ANCESTOR
    };
    let description = Some(error.to_string());
    error_document(served, language, status, None, description, ancestors).await
}

/// A page without a card form may be embedded anywhere.
const ANY_ANCESTOR: &str = "*";

/// An error page (docs/form.md#error-pages). Without `description` it shows the status's usual one.
pub(super) async fn error_page(
    served: &ServedPages,
    language: &Language,
    status: StatusCode,
    description: Option<String>,
) -> Response {
    error_document(served, language, status, None, description, ANY_ANCESTOR).await
}

/// The 404 page (docs/form.md#error-pages). Its message names the path, and its description is the usual one.
pub(super) async fn not_found_page(served: &ServedPages, language: &Language, message: String) -> Response {
    let status = StatusCode::NOT_FOUND;
    error_document(served, language, status, Some(message), None, ANY_ANCESTOR).await
}

async fn error_document(
    served: &ServedPages,
    language: &Language,
    status: StatusCode,
    message: Option<String>,
    description: Option<String>,
    ancestors: &str,
) -> Response {
    let page = Page::Error(ErrorPage {
        context: language.context.clone(),
        status: status.as_u16(),
        message,
        description,
    });
    let look = Appearance {
        color_mode: ColorMode::System,
        theme: "",
    };
    let policy = policy_text(ancestors);
    document(served, language, status, &page, &look, false, &policy).await
}

/// The type of a document.
const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

/// Renders `page` into its document. If rendering fails, the page is sent without a body and the browser renders it.
pub(super) async fn document(
    served: &ServedPages,
    language: &Language,
    status: StatusCode,
    page: &Page,
    look: &Appearance<'_>,
    in_gzip: bool,
    policy: &str,
) -> Response {
    let data = match ScriptJson::of(page) {
        Ok(data) => data,
        Err(error) => {
            tracing::error!(%error, "the data of a page could not be written as JSON");
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        }
    };
    let document = HtmlDocument::render(&served.pages, language, page, &data, look).await;
    let body = if in_gzip {
        Body::from(document.to_gzip())
    } else {
        Body::from(document.to_html())
    };
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    lock_down(headers, policy);
    headers.insert(header::CONTENT_TYPE, HTML);
    if in_gzip {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}
