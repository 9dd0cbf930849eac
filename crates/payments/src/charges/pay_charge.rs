//! `POST /v1/charges/{id}/pay`: a merchant pays a charge with a saved card, without the shopper
//! (docs/saving-cards.md#pay-without-the-shopper).

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use protocol::limits::TEXT_CHARACTERS_MAX;
use protocol::{ChargeStatus, ChargeView, ErrorCode, PayCharge};
use providers::Authentication;
use store::CardOwner;

use super::charge_rules::check_length;
use super::create_charge::{IDEMPOTENCY_KEY, check_is_active, idempotency_conflict};
use super::press::{Press, PressedCard, press};
use super::retry_limit::check_retries;
use super::state::Charges;
use crate::saved_cards::pay::card_of_merchant;
use merchants::callers::{IdempotencyKey, Merchant};
use web::{
    ApiError, Caller, DescribedAnswer, JsonBody, Operation, Parameter, PathId, json_body, note_charge,
};

/// This endpoint in the OpenAPI description.
pub const OPERATION: Operation = Operation {
    method: "POST",
    path: "/v1/charges/{id}/pay",
    id: "pay_charge",
    summary: "Pay a charge without the shopper",
    description: "With a saved card whose shopper agreed to `off_session`. A charge is paid at most once. A request that is \
        repeated with its `Idempotency-Key` pays nothing and gets the charge as it is by then.",
    caller: Caller::Merchant,
    parameters: &[Parameter {
        is_required: true,
        description: "Your own id of this payment. The same id with another body is refused.",
        ..IDEMPOTENCY_KEY
    }],
    request: json_body::<PayCharge>(),
    answers: &[
        DescribedAnswer::json::<ChargeView>(200, "The charge: paid, or `failed` if the card was declined."),
        DescribedAnswer::json::<ChargeView>(
            202,
            "The charge, whose outcome is not known yet; a webhook tells it.",
        ),
    ],
    errors: &[
        ErrorCode::MerchantInactive,
        ErrorCode::ChargeNotFound,
        ErrorCode::PaymentMethodNotFound,
        ErrorCode::ChargeMismatch,
        ErrorCode::ChargeNotPayable,
        ErrorCode::PaymentMethodNotReusable,
        ErrorCode::PaymentMethodExpired,
        ErrorCode::IdempotencyConflict,
        ErrorCode::OperationInProgress,
        ErrorCode::RetryLimit,
        ErrorCode::Unavailable,
    ],
};

/// Pays a charge with a saved card. It is a press of the pay button, with the merchant's key in place of the page's: the
/// charge is paid at most once, and a repeated request gets the outcome of the first one.
pub async fn pay_charge(
    State(charges): State<Arc<Charges>>,
    Merchant(partner): Merchant,
    PathId(id): PathId,
    IdempotencyKey(key): IdempotencyKey,
    JsonBody(body): JsonBody<PayCharge>,
) -> Result<(StatusCode, Json<ChargeView>), ApiError> {
    charges.expiry.gate.must_be_open()?;
    check_is_active(&partner)?;
    let key = key.ok_or_else(|| ApiError::invalid("idempotency-key", "This header is required."))?;
    check_length("payment_method_id", &body.payment_method_id, TEXT_CHARACTERS_MAX)?;
    let charge = charges.charge(&id, &partner.id).await?;
    note_charge(&charge.id);
    if charge.is_setup() {
        return Err(ApiError::new(
            ErrorCode::ChargeNotPayable,
            "A setup saves a card that the shopper enters. Create a charge with an amount.",
        ));
    }
    // A page's key has no space, so it is never a merchant's.
    let press_key = format!("merchant {key}");
    // A repeated request pays nothing, so its card may have been removed since.
    let before = charges.store.attempt_of_press(&charge.id, &press_key).await?;
    if before.is_none() {
        let card = card_of_merchant(
            &charges.saved_cards,
            &charge,
            &body.payment_method_id,
            body.reason,
        )
        .await?;
        let owner = CardOwner::new(&charge.partner_id, &charge.shopper_id);
        check_retries(&charges, &owner, &body.payment_method_id).await?;
        let charge = charges.expiry.expire_if_due(charge).await?;
        let pressed = Press {
            authentication: Authentication {
                return_url: format!("{}/v1/pub/charges/{}/return", charges.public_url, charge.id),
                ..Authentication::default()
            },
            zip_code: charge.zip_code.clone(),
            charge,
            press_key: Some(press_key.clone()),
            card: PressedCard::Saved(Box::new(card)),
            address: None,
            save_card: None,
        };
        press(&charges, pressed).await?;
    }
    // Two different requests with one key may have come at once.
    let attempt = charges.store.attempt_of_press(&id, &press_key).await?;
    let is_ours = attempt.map(|attempt| attempt.is_merchants(&body.payment_method_id, body.reason));
    if is_ours == Some(false) {
        return Err(idempotency_conflict());
    }
    let charge = charges.charge(&id, &partner.id).await?;
    if is_ours.is_none() && !matches!(charge.status, ChargeStatus::Succeeded | ChargeStatus::Authorized) {
        return Err(ApiError::new(
            ErrorCode::OperationInProgress,
            "Another attempt to pay this charge is under way. Ask for the charge, then try again.",
        ));
    }
    let status = match charge.status {
        ChargeStatus::Processing | ChargeStatus::OutcomeUnknown | ChargeStatus::WaitingForShopperAction => {
            StatusCode::ACCEPTED
        }
        _ => StatusCode::OK,
    };
    Ok((status, Json(charges.store.charge_view(&charge).await?)))
}
