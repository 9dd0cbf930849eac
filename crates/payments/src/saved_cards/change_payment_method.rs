//! `POST /v1/pub/payment-methods/{payment_method_id}`: a shopper names a saved card on the card page, or makes it the default
//! (docs/card-page.md).

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use protocol::{ChangeSavedCard, ErrorCode, SavedCard};
use store::CardOwner;

use super::list_payment_methods::shown;
use super::merchant_cards::{changed, check_change, stored_card};
use super::remove_payment_method::payment_method_not_found;
use super::state::SavedCards;
use merchants::callers::CardPage;
use web::{ApiError, Caller, DescribedAnswer, JsonBody, Operation, PathId, json_body};

/// The operation's part of `/openapi.json`.
pub const OPERATION: Operation = Operation {
    method: "POST",
    path: "/v1/pub/payment-methods/{payment_method_id}",
    id: "change_payment_method",
    summary: "Name a saved card, or make it the default",
    description: "For the card page, with a card session's `client_secret`. What is left out stays.",
    caller: Caller::Shopper,
    parameters: &[],
    request: json_body::<ChangeSavedCard>(),
    answers: &[DescribedAnswer::json::<SavedCard>(200, "The card.")],
    errors: &[ErrorCode::PaymentMethodNotFound],
};

/// Changes the nickname, or whether it is the shopper's default card. Another shopper's card is a 404.
pub async fn change_payment_method(
    State(saved_cards): State<Arc<SavedCards>>,
    CardPage(session): CardPage,
    PathId(id): PathId,
    JsonBody(body): JsonBody<ChangeSavedCard>,
) -> Result<Json<SavedCard>, ApiError> {
    check_change(&body)?;
    let card = stored_card(&saved_cards, &session.sub, &id).await?;
    if card.shopper_id != session.shopper_id {
        return Err(payment_method_not_found());
    }
    let owner = CardOwner::new(&session.sub, &session.shopper_id);
    let card = changed(&saved_cards, &owner, &id, body).await?;
    Ok(Json(shown(&saved_cards, card)))
}
