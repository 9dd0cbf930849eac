//! `POST /v1/pub/charges/{charge_id}/client-secret`: the payment page of a link gets a client secret. The link itself pays
//! nothing and can be sent by e-mail: it lives as long as its charge, and each client secret only for a while.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use protocol::clock::rfc3339;
use protocol::{ErrorCode, OpenedLink};
use store::ChargeTerms;

use super::state::Charges;
use merchants::callers::Link;
use web::{ApiError, Caller, DescribedAnswer, Operation, PathId, RequestLimit, count_limit, note_charge};

/// This endpoint in the OpenAPI description.
pub const OPERATION: Operation = Operation {
    method: "POST",
    path: "/v1/pub/charges/{charge_id}/client-secret",
    id: "open_link",
    summary: "Open a payment page",
    description: "For the payment page: a client secret for the link in its address.",
    caller: Caller::Shopper,
    answers: &[DescribedAnswer::json::<OpenedLink>(201, "A new client secret.")],
    errors: &[
        ErrorCode::ChargeNotFound,
        ErrorCode::ChargeMismatch,
        ErrorCode::TooManyRequests,
    ],
    ..Operation::OF_MERCHANT
};

/// A client secret for the charge of a link. If its merchant has changed the charge since, the link is a 403, as earlier client
/// secrets are.
pub async fn open_link(
    State(charges): State<Arc<Charges>>,
    Link(link): Link,
    PathId(charge_id): PathId,
) -> Result<(StatusCode, Json<OpenedLink>), ApiError> {
    let charge = charges.charge(&link.charge_id, &link.sub).await?;
    note_charge(&charge.id);
    let terms = ChargeTerms::from(&charge);
    let is_same = terms.amount_value == link.amount_value && terms.amount_currency == link.amount_currency;
    if charge_id != link.charge_id || !is_same {
        return Err(ApiError::new(
            ErrorCode::ChargeMismatch,
            "This link is for another charge, or for another amount than the charge has now.",
        ));
    }
    if !charges.link_limit.allows(&charge.id, charges.clock.now_ms()) {
        count_limit(RequestLimit::Links);
        return Err(ApiError::too_many_requests(
            60_000,
            "This link was opened too often.",
        ));
    }
    let merchant = charges.merchants.of(&charge.partner_id).await?;
    let origins = merchant
        .map(|merchant| merchant.allowed_origins.clone())
        .unwrap_or_default();
    let signed = charges.client_secrets.issue(&charge, &origins).await?;
    let opened = OpenedLink {
        client_secret: signed.token,
        expires_at: rfc3339(signed.claims.exp * 1000),
    };
    Ok((StatusCode::CREATED, Json(opened)))
}
