//! Shoppers with an account: they save the card of their first purchase, pay the next one with it, or remove it. A card
//! that is listed must be one that has paid.

use harness::random::Random;
use harness::shop::direct_charge::CardToPay;
use harness::shop::{CreatedTrialCharge, send};
use harness::test_cards::{CHALLENGED_CARD, GOOD_CARD};
use harness::waiting::happens_within;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::challenge::ChallengeBehaviour;
use super::{LOOK_AGAIN, SETTLED_WITHIN, TrialShopper};
use crate::books::ChargeRecords;

/// How often a shopper looks for the card that was saved, or tries to remove it.
const LOOKS_MAX: usize = 20;
/// One saved card out of this many is removed.
const REMOVED_ONE_IN: u64 = 4;

/// The acts of a shopper with an account, and the saved cards at the end.
#[derive(Debug, Clone, Default)]
pub(crate) struct AccountRecords {
    /// The merchant's id of the shopper.
    pub(crate) shopper_id: String,
    /// The charge whose card is saved if it pays.
    saving_charge: String,
    /// Whether the shopper was told that the card is removed.
    is_removed: bool,
    /// Whether a removal got no answer, so that the card may still be there.
    has_lost_removal: bool,
    /// The list of saved cards at the end; `None` if it could not be read.
    listed: Option<Vec<Value>>,
}

impl AccountRecords {
    /// Of a shopper who saves the card that pays this charge.
    pub(crate) fn new(shopper_id: String, saving_charge: String) -> Self {
        Self {
            shopper_id,
            saving_charge,
            ..Self::default()
        }
    }

    /// How many cards are saved in the end.
    pub(crate) fn saved(&self) -> usize {
        self.listed.as_ref().map_or(0, Vec::len)
    }

    /// The least and the greatest number of cards that there may be. A failing database may lose a card that was to be saved, while
    /// its charge is paid.
    fn expected(&self, charges: &[ChargeRecords], may_lose_cards: bool) -> (usize, usize) {
        let is_paid = charges
            .iter()
            .any(|charge| charge.charge_id == self.saving_charge && charge.card_was_taken());
        let most = usize::from(is_paid && !self.is_removed);
        let is_sure = !may_lose_cards && !self.has_lost_removal;
        (if is_sure { most } else { 0 }, most)
    }

    /// The errors in the list of cards, one line each.
    pub(crate) fn contradictions(&self, charges: &[ChargeRecords], may_lose_cards: bool) -> Vec<String> {
        let shopper = &self.shopper_id;
        let Some(listed) = &self.listed else {
            return vec![format!("the cards of {shopper} cannot be listed")];
        };
        let (least, most) = self.expected(charges, may_lose_cards);
        let mut found = Vec::new();
        if !(least..=most).contains(&listed.len()) {
            let count = listed.len();
            found.push(format!("{shopper} has {count} saved cards instead of {most}"));
        }
        let pays = |last_four: &Value| {
            [GOOD_CARD, CHALLENGED_CARD]
                .iter()
                .any(|number| last_four.as_str().is_some_and(|four| number.ends_with(four)))
        };
        let unpaid = listed.iter().filter(|card| !pays(&card["last_four"]));
        found.extend(unpaid.map(|card| format!("{shopper} has a saved card that never paid: {card}")));
        found
    }
}

impl TrialShopper {
    /// Another purchase: with the saved card, or with a new one after the saved one is removed.
    pub(super) async fn come_back(
        &self,
        order: &str,
        account: &mut AccountRecords,
        chance: &mut Random,
    ) -> ChargeRecords {
        let charge = self.create(order, &account.shopper_id, "automatic").await;
        let mut records = ChargeRecords::of(&charge);
        records.could_pay = true;
        let saved = self.saved_card(&charge).await;
        let is_removed = chance.between(0, REMOVED_ONE_IN) == 0;
        let mut card = CardToPay::New {
            number: GOOD_CARD,
            save: false,
        };
        match &saved {
            Some(id) if is_removed => {
                account.is_removed = self.remove(&charge, id).await;
                account.has_lost_removal = !account.is_removed;
            }
            Some(id) => {
                records.has_saved_card = true;
                card = CardToPay::Saved(id);
            }
            None => {}
        }
        let pressed = self.press(&charge, "press-1", &card, ChallengeBehaviour::Pass);
        records.hear(pressed.await);
        records
    }

    /// The id of the shopper's saved card; `None` if none comes.
    async fn saved_card(&self, charge: &CreatedTrialCharge) -> Option<String> {
        for _ in 0..LOOKS_MAX {
            if let Some([card, ..]) = self.saved_cards(charge).await.as_deref() {
                return card["payment_method_id"].as_str().map(str::to_owned);
            }
            sleep(LOOK_AGAIN).await;
        }
        None
    }

    /// Whether the shopper was told that the card is gone.
    async fn remove(&self, charge: &CreatedTrialCharge, id: &str) -> bool {
        for _ in 0..LOOKS_MAX {
            let path = format!("{}/v1/pub/payment-methods/{id}", self.front.node());
            let request = self.merchant.http.delete(path).bearer_auth(&charge.client_secret);
            let body = json!({"shopper_id": charge.shopper_id});
            match send(request.json(&body)).await.map(|answer| answer.status) {
                // The first answer may be lost, and then the card is not found any more.
                Some(204 | 404) => return true,
                _ => self.front.lost(),
            }
            sleep(LOOK_AGAIN).await;
        }
        false
    }

    /// The saved cards of the charge's shopper. `None` if there is no list.
    async fn saved_cards(&self, charge: &CreatedTrialCharge) -> Option<Vec<Value>> {
        let path = format!(
            "{}/v1/pub/shoppers/{}/payment-methods?page_size=50",
            self.front.node_to_ask(),
            charge.shopper_id
        );
        let answer = send(self.merchant.http.get(path).bearer_auth(&charge.client_secret)).await;
        let Some(Value::Array(items)) = answer.map(|answer| answer.body["items"].clone()) else {
            self.front.lost();
            return None;
        };
        Some(items.into_iter().map(|item| item["card"].clone()).collect())
    }

    /// Reads every account's list of cards, and waits for cards that are to come.
    pub(crate) async fn settle_accounts(&self, charges: &[ChargeRecords], accounts: &mut [AccountRecords]) {
        let give_up = Instant::now() + SETTLED_WITHIN;
        for account in accounts {
            let order = format!("look-{}", account.shopper_id);
            let is_settled = async || {
                let (node, shopper_id) = (self.front.node(), &account.shopper_id);
                let created = self.merchant.create_for(node, &order, shopper_id, "automatic");
                if let Some(charge) = created.await {
                    account.listed = self.saved_cards(&charge).await;
                }
                let (_, most) = account.expected(charges, false);
                Ok(account.listed.is_some() && account.saved() == most)
            };
            // The comparison names a card that is missing.
            let _ = happens_within(give_up - Instant::now(), is_settled).await;
        }
    }
}

#[cfg(test)]
mod tests;
