//! The actions of a shopper with saved cards: save, list, remove, and pay.

use protocol::{CreatedCharge, Sensitive};
use reqwest::Method;
use serde_json::{Value, json};

use crate::world::{Answer, SECRET_KEY, World, card, new_charge, send};

pub(crate) const SHOPPER: &str = "shopper-7";

/// How many characters of an id are random.
const RANDOM_CHARACTERS: usize = 32;

/// The words of a text that may have no digits of a card. The random part of an id is left out: it may have any.
pub(crate) fn words_besides_ids(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.filter(|word| word.len() != RANDOM_CHARACTERS)
}

/// A ring of one key.
pub(crate) fn ring(id: &str) -> String {
    vault::generate_key(id).unwrap().to_string()
}

impl World {
    /// A service that saves cards.
    pub(crate) async fn with_vault() -> Self {
        Self::with(|settings| settings.vault_keys = Some(Sensitive::new(ring("key-1")))).await
    }

    /// A charge that allows its shopper to save the card.
    pub(crate) async fn saving_charge(&self, shopper_id: &str) -> CreatedCharge {
        self.saving_charge_of(SECRET_KEY, shopper_id).await
    }

    /// The same for another merchant.
    pub(crate) async fn saving_charge_of(&self, secret_key: &str, shopper_id: &str) -> CreatedCharge {
        let mut body = new_charge();
        body["shopper_id"] = json!(shopper_id);
        for flag in [
            "enable_save_payment_method",
            "display_saved_payment_method_list",
            "eligible_save_payment_methods",
        ] {
            body[flag] = json!(true);
        }
        let request = self.request(Method::POST, "/v1/charges").json(&body);
        let answer = send(request.bearer_auth(secret_key)).await;
        serde_json::from_value(answer.body).unwrap()
    }

    /// Pays a new charge and saves the card. Returns the card's entry in the list.
    pub(crate) async fn save(&self, shopper_id: &str, number: &str) -> Value {
        // Two cards saved in the same millisecond have no order.
        self.clock.advance_ms(1);
        let charge = self.saving_charge(shopper_id).await;
        let answer = send(self.press(&charge, "press-1", &card_to_save(&charge, shopper_id, number))).await;
        assert_eq!(answer.status_code(), "succeeded", "{answer:?}");
        self.cards_of(shopper_id).await[0].clone()
    }

    pub(crate) async fn list(&self, charge: &CreatedCharge, shopper_id: &str, query: &str) -> Answer {
        let path = format!("/v1/pub/shoppers/{shopper_id}/payment-methods{query}");
        send(
            self.request(Method::GET, &path)
                .bearer_auth(&charge.client_secret),
        )
        .await
    }

    /// All cards of the shopper, as a new charge lists them.
    pub(crate) async fn cards_of(&self, shopper_id: &str) -> Vec<Value> {
        let charge = self.saving_charge(shopper_id).await;
        self.cards(&charge, shopper_id).await
    }

    /// All cards of the list.
    pub(crate) async fn cards(&self, charge: &CreatedCharge, shopper_id: &str) -> Vec<Value> {
        let answer = self.list(charge, shopper_id, "?page_size=50&page_number=1").await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let items = answer.body["items"].as_array().unwrap();
        items.iter().map(|item| item["card"].clone()).collect()
    }

    pub(crate) async fn remove(&self, charge: &CreatedCharge, id: &str, shopper_id: &str) -> Answer {
        let path = format!("/v1/pub/payment-methods/{id}");
        let request = self
            .request(Method::DELETE, &path)
            .bearer_auth(&charge.client_secret);
        send(request.json(&json!({ "shopper_id": shopper_id }))).await
    }
}

/// The direct charge of a new card that the shopper wants saved.
pub(crate) fn card_to_save(charge: &CreatedCharge, shopper_id: &str, number: &str) -> Value {
    let mut body = card(charge, number);
    body["payment_method"]["save_payment_method"] = json!(true);
    body["payment_method"]["shopper"] = json!({ "id": shopper_id });
    body
}

/// The direct charge of a saved card.
pub(crate) fn saved(charge: &CreatedCharge, shopper_id: &str, id: &str, security_code: &str) -> Value {
    let mut body = card(charge, "");
    body["user_initiated"] = json!(true);
    body["payment_method"] = json!({
        "id": id, "type": "card", "shopper_id": shopper_id, "card": { "security_code": security_code },
    });
    body
}

/// The card's id for charges and removals.
pub(crate) fn id(card: &Value) -> &str {
    card["payment_method_id"].as_str().unwrap()
}
