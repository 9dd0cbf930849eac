//! How many saved cards the list will show, for a page that keeps their place free before they come.

use store::CardOwner;
use wire::{Payload, SAVED_CARDS_PAGE_SIZE};

use super::state::SavedCards;

/// The number of cards that the page of this payload will list, at most a page of them. `None` where it lists none at all,
/// and where nobody vouches for the payload: a number tells whether somebody has paid this merchant before, so it is told
/// to those alone who hold a payload that this service signed for the merchant, and never which cards they are.
pub(crate) async fn saved_cards_to_show(saved_cards: &SavedCards, payload: &Payload) -> Option<u8> {
    let intent = &payload.intent;
    let lists = intent.eligible_save_payment_methods && intent.display_saved_payment_method_list;
    if !lists || intent.shopper_id.is_empty() {
        return None;
    }
    if saved_cards.vault.is_none() {
        return Some(0);
    }
    // Where unsigned payloads are accepted this one may be anybody's.
    if !matches!(
        saved_cards.client_secrets.check_payload(payload).await,
        Ok(Ok(()))
    ) {
        return None;
    }
    let owner = CardOwner {
        partner_id: intent.partner_id.clone(),
        shopper_id: intent.shopper_id.clone(),
    };
    match saved_cards
        .store
        .saved_card_count(&owner, SAVED_CARDS_PAGE_SIZE)
        .await
    {
        Ok(count) => u8::try_from(count).ok(),
        Err(error) => {
            tracing::warn!(%error, "a shopper's saved cards could not be counted");
            None
        }
    }
}
