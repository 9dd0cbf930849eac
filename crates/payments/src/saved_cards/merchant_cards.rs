//! A merchant's calls for its shoppers' saved cards: list, read, change and remove (docs/saving-cards.md#from-your-server).

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use merchants::callers::Merchant;
use protocol::limits::NICKNAME_CHARACTERS_MAX;
use protocol::{ChangeSavedCard, ErrorCode, MerchantCard, MerchantCardList};
use store::{CardChoice, CardOwner, StoredCard};
use web::{ApiError, DescribedAnswer, JsonBody, Operation, PathId, json_body};

use super::list_payment_methods::{PAGE_NUMBER, PAGE_SIZE, PageParameters};
use super::remove_payment_method::{payment_method_not_found, remove};
use super::state::SavedCards;
use crate::charges::charge_rules::required_of;

/// The list in the OpenAPI description.
pub const LIST: Operation = Operation {
    method: "GET",
    path: "/v1/shoppers/{shopper_id}/payment-methods",
    id: "list_cards_of_shopper",
    summary: "List a shopper's saved cards",
    description: "The shopper's default card comes first, then the newest.",
    parameters: &[PAGE_SIZE, PAGE_NUMBER],
    answers: &[DescribedAnswer::json::<MerchantCardList>(
        200,
        "A page of the list, empty after the last card and for an unknown shopper.",
    )],
    ..Operation::OF_MERCHANT
};

/// Reading a card in the OpenAPI description.
pub const GET: Operation = Operation {
    method: "GET",
    path: CARD,
    id: "get_saved_card",
    summary: "Read a saved card",
    description: "What may be shown of it, and what its shopper agreed to.",
    answers: &[SAVED_CARD],
    errors: &[ErrorCode::PaymentMethodNotFound],
    ..Operation::OF_MERCHANT
};

/// A change in the OpenAPI description.
pub const CHANGE: Operation = Operation {
    method: "POST",
    path: CARD,
    id: "change_saved_card",
    summary: "Name a saved card, or make it the default",
    description: "What is left out stays. A shopper has at most one default card, which the form selects first.",
    request: json_body::<ChangeSavedCard>(),
    answers: &[SAVED_CARD],
    errors: &[ErrorCode::PaymentMethodNotFound],
    ..Operation::OF_MERCHANT
};

/// A removal in the OpenAPI description.
pub const REMOVE: Operation = Operation {
    method: "DELETE",
    path: CARD,
    id: "remove_saved_card",
    summary: "Remove a shopper's saved card",
    description: "The key of the card's number is destroyed with it.",
    answers: &[DescribedAnswer::nothing(204, "The card was removed.")],
    errors: &[ErrorCode::PaymentMethodNotFound],
    ..Operation::OF_MERCHANT
};

const CARD: &str = "/v1/payment-methods/{id}";

const SAVED_CARD: DescribedAnswer = DescribedAnswer::json::<MerchantCard>(200, "The card.");

/// Answers with a page of the shopper's cards.
pub async fn list_cards_of_shopper(
    State(saved_cards): State<Arc<SavedCards>>,
    Merchant(partner): Merchant,
    PathId(shopper_id): PathId,
    PageParameters(page): PageParameters,
) -> Result<Json<MerchantCardList>, ApiError> {
    let owner = CardOwner::new(&partner.id, &shopper_id);
    let cards = saved_cards.store.stored_cards(&owner, page).await?;
    Ok(Json(MerchantCardList {
        items: cards.into_iter().map(MerchantCard::from).collect(),
    }))
}

/// Answers with a card; 404 if it is not one of this merchant's shoppers'.
pub async fn get_saved_card(
    State(saved_cards): State<Arc<SavedCards>>,
    Merchant(partner): Merchant,
    PathId(id): PathId,
) -> Result<Json<MerchantCard>, ApiError> {
    Ok(Json(stored_card(&saved_cards, &partner.id, &id).await?.into()))
}

/// Changes the nickname, or whether it is the shopper's default card.
pub async fn change_saved_card(
    State(saved_cards): State<Arc<SavedCards>>,
    Merchant(partner): Merchant,
    PathId(id): PathId,
    JsonBody(body): JsonBody<ChangeSavedCard>,
) -> Result<Json<MerchantCard>, ApiError> {
    check_change(&body)?;
    let card = stored_card(&saved_cards, &partner.id, &id).await?;
    let owner = CardOwner::new(&partner.id, &card.shopper_id);
    Ok(Json(changed(&saved_cards, &owner, &id, body).await?.into()))
}

/// A 400 unless the nickname is a name.
pub(super) fn check_change(body: &ChangeSavedCard) -> Result<(), ApiError> {
    match &body.nickname {
        Some(Some(nickname)) => required_of("nickname", nickname, NICKNAME_CHARACTERS_MAX),
        _ => Ok(()),
    }
}

/// Changes a card of this owner and returns it; 404 if the owner has no such card.
pub(super) async fn changed(
    saved_cards: &SavedCards,
    owner: &CardOwner,
    id: &str,
    body: ChangeSavedCard,
) -> Result<StoredCard, ApiError> {
    let choice = CardChoice {
        nickname: body.nickname,
        is_default: body.default,
    };
    let now_ms = saved_cards.clock.now_ms();
    saved_cards.store.choose_card(owner, id, &choice, now_ms).await?;
    stored_card(saved_cards, &owner.partner_id, id).await
}

/// Removes a card: 204.
pub async fn remove_saved_card(
    State(saved_cards): State<Arc<SavedCards>>,
    Merchant(partner): Merchant,
    PathId(id): PathId,
) -> Result<StatusCode, ApiError> {
    let card = stored_card(&saved_cards, &partner.id, &id).await?;
    let owner = CardOwner::new(&partner.id, &card.shopper_id);
    remove(&saved_cards, &owner, &id).await
}

pub(super) async fn stored_card(
    saved_cards: &SavedCards,
    partner_id: &str,
    id: &str,
) -> Result<StoredCard, ApiError> {
    let found = saved_cards.store.stored_card(partner_id, id).await?;
    found.ok_or_else(payment_method_not_found)
}
