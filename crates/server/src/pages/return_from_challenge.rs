//! `GET` and `POST /v1/pub/charges/{charge_id}/return`: where a challenge returns the shopper to. Some banks use GET,
//! some POST.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use wire::ErrorCode;

use super::challenge_return::challenge_return_page;
use super::state::ServedPages;
use crate::charges::shopper_action::handle_return;
use crate::http::api_error::ApiError;
use crate::http::path_id::PathId;
use crate::operation::{Caller, Content, DescribedAnswer, Operation};

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
