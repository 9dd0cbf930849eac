//! `GET /v1/pub/shoppers/{shopper_id}/payment-methods`: the shopper's saved cards, newest first
//! (docs/calls.md#saved-cards).

use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRequestParts, Query, State};
use axum::http::request::Parts;
use protocol::{
    ErrorCode, SAVED_CARDS_PAGE_SIZE, SAVED_CARDS_PAGE_SIZE_MAX, SavedCard, SavedCardItem, SavedCardList,
};
use rules::Brand;
use serde::Deserialize;
use store::CardRange;

use super::owner::card_owner;
use super::state::SavedCards;
use merchants::callers::CardsCaller;
use web::{ApiError, Caller, DescribedAnswer, Operation, Parameter, ParameterValue, PathId};

/// The operation's part of `/openapi.json`.
pub const OPERATION: Operation = Operation {
    method: "GET",
    path: "/v1/pub/shoppers/{shopper_id}/payment-methods",
    id: "list_payment_methods",
    summary: "List saved cards",
    description: "For the form's page and the card page: the cards of the client secret's own shopper, the default one first, \
        then the newest.",
    caller: Caller::Shopper,
    parameters: &[PAGE_SIZE, PAGE_NUMBER],
    request: None,
    answers: &[DescribedAnswer::json::<SavedCardList>(
        200,
        "A page of the list, empty after the last card.",
    )],
    errors: &[
        ErrorCode::ChargeMismatch,
        ErrorCode::SavedCardsNotOffered,
        ErrorCode::ChargeNotFound,
    ],
};

pub(super) const PAGE_SIZE: Parameter = Parameter::query(
    "page_size",
    "How many cards a page has.",
    ParameterValue::Number {
        max: SAVED_CARDS_PAGE_SIZE_MAX,
        default: SAVED_CARDS_PAGE_SIZE,
    },
);

pub(super) const PAGE_NUMBER: Parameter = Parameter::query(
    "page_number",
    "The number of the page, from 1.",
    ParameterValue::Number {
        max: PAGE_NUMBER_MAX,
        default: 1,
    },
);

/// The last page that can be asked for: the entries before a page must be read, too.
pub const PAGE_NUMBER_MAX: u32 = 1_000;

/// The query. The fields are strings, so that a wrong one is refused with our own message.
#[derive(Debug, Deserialize)]
pub struct PageQuery {
    page_size: Option<String>,
    page_number: Option<String>,
}

/// Answers with a page of the list: `page_size` is 1 to 50, by default 5, and `page_number` begins at 1. The list is
/// empty if saving cards is off.
pub async fn list_payment_methods(
    State(saved_cards): State<Arc<SavedCards>>,
    caller: CardsCaller,
    PathId(shopper_id): PathId,
    page: Result<PageParameters, ApiError>,
) -> Result<Json<SavedCardList>, ApiError> {
    let owner = card_owner(&saved_cards, &caller, &shopper_id, "shopper_id").await?;
    let PageParameters(page) = page?;
    let cards = match &saved_cards.vault {
        Some(_) => saved_cards.store.stored_cards(&owner, page).await?,
        None => Vec::new(),
    };
    let items = cards.into_iter().map(|card| SavedCardItem {
        card: shown(&saved_cards, card),
    });
    Ok(Json(SavedCardList {
        items: items.collect(),
    }))
}

/// The page of the list that the query names.
#[derive(Debug)]
pub struct PageParameters(pub CardRange);

impl<S: Send + Sync> FromRequestParts<S> for PageParameters {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, ApiError> {
        let query = Query::<PageQuery>::try_from_uri(&parts.uri);
        let Query(query) =
            query.map_err(|_| ApiError::invalid("page_size", "Send page_size and page_number once each."))?;
        page(&query).map(Self)
    }
}

fn page(query: &PageQuery) -> Result<CardRange, ApiError> {
    let size = number(
        query.page_size.as_deref(),
        SAVED_CARDS_PAGE_SIZE,
        SAVED_CARDS_PAGE_SIZE_MAX,
    )
    .ok_or_else(|| ApiError::invalid("page_size", "This parameter must be 1 to 50."))?;
    let number = number(query.page_number.as_deref(), 1, PAGE_NUMBER_MAX)
        .ok_or_else(|| ApiError::invalid("page_number", "This parameter must be 1 to 1000."))?;
    Ok(CardRange {
        skip: i64::from(size) * i64::from(number - 1),
        take: i64::from(size),
    })
}

/// A whole number from 1 to `max`, written with digits only; the default if it is left out.
pub(crate) fn number(text: Option<&str>, default: u32, max: u32) -> Option<u32> {
    let Some(text) = text else {
        return Some(default);
    };
    // `parse` alone would accept a sign.
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|number| (1..=max).contains(number))?;
    digits.then_some(number)
}

pub(super) fn shown(saved_cards: &SavedCards, stored: store::StoredCard) -> SavedCard {
    let card = stored.card;
    SavedCard {
        networks: saved_cards.carried(&card.networks()),
        network: card.network(),
        id: card.card_id,
        payment_method_id: card.id,
        first_six: card.first_six,
        last_four: card.last_four,
        brand: Brand::from_name(&card.brand),
        expiration_month: format!("{:02}", card.expiration_month),
        expiration_year: format!("{:04}", card.expiration_year),
        nickname: stored.nickname,
        default: stored.is_default,
    }
}

#[cfg(test)]
mod tests;
