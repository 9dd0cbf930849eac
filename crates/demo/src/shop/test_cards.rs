//! `GET /demo/test-cards`: the simulator's cards, for people who try the shop.

use axum::Json;
use serde::Serialize;

use crate::simulator::cards::TEST_CARDS;

#[derive(Serialize)]
pub(super) struct ListedCard {
    number: &'static str,
    label: String,
    /// `approved`, or the decline code.
    outcome: &'static str,
}

/// Every test card and its outcome.
pub(super) async fn list_test_cards() -> Json<Vec<ListedCard>> {
    let list = TEST_CARDS.iter().map(|card| ListedCard {
        number: card.number,
        label: card.label(),
        outcome: match card.decline {
            None => "approved",
            Some(code) => code.as_str(),
        },
    });
    Json(list.collect())
}
