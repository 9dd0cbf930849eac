//! Counts the saved cards that the list will show, so that the page can reserve the space for them.

use protocol::{Payload, SAVED_CARDS_PAGE_SIZE};
use store::CardOwner;

use super::state::SavedCards;

/// How many cards the page of this payload will list at first. `None` if it lists none, and if this service did not
/// sign the payload: the number reveals whether the shopper has paid this merchant before, so only a signed payload gets
/// it. It never says which cards they are.
pub async fn saved_cards_to_show(saved_cards: &SavedCards, payload: &Payload) -> Option<u8> {
    let intent = &payload.intent;
    let lists = intent.eligible_save_payment_methods && intent.display_saved_payment_method_list;
    if !lists || intent.shopper_id.is_empty() {
        return None;
    }
    if saved_cards.vault.is_none() {
        return Some(0);
    }
    // An unsigned payload may be forged, even where it is accepted.
    if !matches!(
        saved_cards.client_secrets.check_payload(payload).await,
        Ok(Ok(()))
    ) {
        return None;
    }
    let owner = CardOwner::new(&intent.partner_id, &intent.shopper_id);
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
