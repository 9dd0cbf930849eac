//! `GET` and `POST /v1/pub/charges/{charge_id}/return`: where a challenge returns the shopper to. Some banks use GET,
//! some POST.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use page::{escape, frame_ancestors};
use protocol::ErrorCode;

use super::state::ServedPages;
use payments::charges::shopper_action::handle_return;
use web::api_error::ApiError;
use web::operation::{Caller, Content, DescribedAnswer, Operation};
use web::path_id::PathId;

/// The operation's part of `/openapi.json`.
pub(crate) const OPERATION_BY_POST: Operation = Operation {
    method: "POST",
    path: "/v1/pub/charges/{charge_id}/return",
    id: "return_from_challenge_by_post",
    summary: "Return from a challenge by POST",
    description: "Like GET; the body is not read.",
    caller: Caller::Anyone,
    parameters: &[],
    request: None,
    answers: &[RETURN_PAGE],
    errors: &[ErrorCode::ChargeNotFound],
};

/// The operation's part of `/openapi.json`.
pub(crate) const OPERATION: Operation = Operation {
    method: "GET",
    path: "/v1/pub/charges/{charge_id}/return",
    id: "return_from_challenge",
    summary: "Return from a challenge",
    description: "Banks redirect the shopper here. Nothing in the address is trusted.",
    caller: Caller::Anyone,
    parameters: &[],
    request: None,
    answers: &[RETURN_PAGE],
    errors: &[ErrorCode::ChargeNotFound],
};

const RETURN_PAGE: DescribedAnswer = DescribedAnswer {
    status: 200,
    description: "A page that tells its parent page that the challenge is over.",
    content: Content::Text("text/html; charset=utf-8"),
};

/// Asks the provider for the result now. The address has no secret and is not trusted: a forged request only means that
/// the provider is asked earlier. The page of the answer tells the window with the challenge that it is over.
pub(crate) async fn return_from_challenge(
    State(served): State<Arc<ServedPages>>,
    PathId(charge_id): PathId,
) -> Result<Response, ApiError> {
    let charge = served
        .store
        .charge(&charge_id)
        .await?
        .ok_or_else(ApiError::charge_not_found)?;
    handle_return(&served.charges, &charge.id).await?;
    let partner = served.store.partner(&charge.partner_id).await?;
    let allowed_origins = partner.map(|partner| partner.allowed_origins).unwrap_or_default();
    Ok(challenge_return_page(&served, &allowed_origins))
}

/// The page only tells the window that shows the challenge that it is over. It may be framed by the merchant's origins and our own, and contains no data of the charge.
fn challenge_return_page(served: &ServedPages, allowed_origins: &[String]) -> Response {
    // The page is visible for a moment only; the form then says the rest in the shopper's language.
    let language = served.pages.language(rules::locale::default());
    let text = language.plain_text("outcome_checking").unwrap_or_default();
    let linked = &served.pages.assets().challenge_return_script;
    let html = format!(
        "<!doctype html>\n<html lang=\"{lang}\" dir=\"{dir}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"robots\" content=\"noindex\">\n<title>{text}</title>\n<link rel=\"icon\" href=\"data:,\">\n\
         <script type=\"module\" src=\"{script}\" integrity=\"{integrity}\"></script>\n</head>\n<body>\n<p>{text}</p>\n</body>\n</html>\n",
        lang = escape(language.locale.iso),
        dir = escape(language.locale.dir.as_str()),
        text = escape(text),
        script = linked.path,
        integrity = linked.integrity,
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
