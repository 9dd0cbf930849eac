//! `DELETE /v1/pub/payment-methods/{payment_method_id}`: removes a saved card, and destroys the key of its number
//! (docs/calls.md#saved-cards).

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use protocol::{ErrorCode, RemoveSavedCard};

use super::owner::card_owner;
use super::state::SavedCards;
use merchants::callers::CardsCaller;
use store::CardOwner;
use web::{ApiError, Caller, DescribedAnswer, JsonBody, Operation, PathId, json_body};

/// The operation's part of `/openapi.json`.
pub const OPERATION: Operation = Operation {
    method: "DELETE",
    path: "/v1/pub/payment-methods/{payment_method_id}",
    id: "remove_payment_method",
    summary: "Remove a saved card",
    description: "For the form's page and the card page. The key of the card's number is destroyed with it.",
    caller: Caller::Shopper,
    parameters: &[],
    request: json_body::<RemoveSavedCard>(),
    answers: &[DescribedAnswer::nothing(204, "The card was removed.")],
    errors: &[
        ErrorCode::ChargeMismatch,
        ErrorCode::SavedCardsNotOffered,
        ErrorCode::ChargeNotFound,
        ErrorCode::PaymentMethodNotFound,
    ],
};

/// Removes a card of the client secret's shopper: 204. A card that is gone already, or another shopper's, is a 404. No
/// key of the vault is needed, so cards can also be removed when saving is off.
pub async fn remove_payment_method(
    State(saved_cards): State<Arc<SavedCards>>,
    caller: CardsCaller,
    PathId(id): PathId,
    JsonBody(body): JsonBody<RemoveSavedCard>,
) -> Result<StatusCode, ApiError> {
    let owner = card_owner(&saved_cards, &caller, &body.shopper_id, "shopper_id").await?;
    remove(&saved_cards, &owner, &id).await
}

/// Removes a card of this owner: 204, or a 404 if it is gone already.
pub(super) async fn remove(
    saved_cards: &SavedCards,
    owner: &CardOwner,
    id: &str,
) -> Result<StatusCode, ApiError> {
    let now_ms = saved_cards.clock.now_ms();
    if saved_cards.store.remove_saved_card(owner, id, now_ms).await? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(payment_method_not_found())
    }
}

/// 404. The answer is the same for a card that never existed, is gone, or is another shopper's.
pub fn payment_method_not_found() -> ApiError {
    ApiError::new(
        ErrorCode::PaymentMethodNotFound,
        "There is no such saved card of this shopper.",
    )
}
