//! `POST /v1/pub/card-sessions/charges`: the shopper of a card page adds a card (docs/card-page.md#how-a-card-is-added).
//! The page gets a setup of the session, and saves the card with it as a payment page does.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use protocol::{ChargeStatus, CreatedCharge, ErrorCode, SESSION_SETUPS_MAX};

use super::create_card_session::setup_of;
use crate::charges::Charges;
use crate::charges::create_charge::{ChargeCreator, merchant_inactive};
use merchants::callers::CardPage;
use web::{ApiError, Caller, DescribedAnswer, NoFields, Operation, RequestLimit, count_limit, note_charge};

/// The operation's part of `/openapi.json`.
pub const OPERATION: Operation = Operation {
    method: "POST",
    path: "/v1/pub/card-sessions/charges",
    id: "add_card",
    summary: "Begin to add a card",
    description: "For the card page, with a card session's `client_secret`: a setup for the session's shopper. A setup that \
        has not saved a card yet is answered again, so that a session makes few.",
    caller: Caller::Shopper,
    answers: &[DescribedAnswer::json::<CreatedCharge>(
        201,
        "The setup, as for a merchant's own.",
    )],
    errors: &[
        ErrorCode::InvalidRequest,
        ErrorCode::MerchantInactive,
        ErrorCode::PayloadTooLarge,
        ErrorCode::TooManyRequests,
        ErrorCode::Unavailable,
    ],
    ..Operation::OF_MERCHANT
};

/// Answers the session's setup that can still save a card, or makes the next one. Each has an idempotency key of the session, so
/// requests at once, also on several nodes, get the same one, and a session has at most [`SESSION_SETUPS_MAX`].
pub async fn add_card(
    State(charges): State<Arc<Charges>>,
    CardPage(session): CardPage,
    _: NoFields,
) -> Result<(StatusCode, Json<CreatedCharge>), ApiError> {
    charges.expiry.gate.must_be_open()?;
    let now_ms = charges.clock.now_ms();
    if !charges.link_limit.allows(&session.jti, now_ms) {
        count_limit(RequestLimit::Links);
        return Err(ApiError::too_many_requests(
            60_000,
            "This card session asked for too many setups.",
        ));
    }
    let partner = charges.store.partner(&session.sub).await?;
    let partner = partner.ok_or_else(merchant_inactive)?;
    let creator = ChargeCreator::from(&*charges);
    for number in 1..=SESSION_SETUPS_MAX {
        let key = format!("{}-{number}", session.jti);
        let created = creator.create(&partner, Some(&key), setup_of(&session)).await?;
        let charge = charges.charge(&created.id, &partner.id).await?;
        let charge = charges.expiry.expire_if_due(charge).await?;
        if matches!(charge.status, ChargeStatus::Created | ChargeStatus::Failed) {
            note_charge(&charge.id);
            let status = charge.status;
            return Ok((StatusCode::CREATED, Json(CreatedCharge { status, ..created })));
        }
    }
    count_limit(RequestLimit::Links);
    Err(ApiError::too_many_requests(
        session.exp * 1_000 - now_ms,
        "This card session has added as many cards as it can. Open another session.",
    ))
}
