//! What a shopper agrees to when a card is saved: the charge says it, the page asks for it, and it stays with the card.

use protocol::{CreatedCharge, SaveCardUsage};
use reqwest::Method;
use serde_json::{Value, json};
use store::{CardOwner, PayableCard};

use crate::cards::{SHOPPER, card_to_save, id};
use crate::world::{Answer, PARTNER_ID, World, new_charge, send};

const GOOD: &str = "4242424242424242";
const OFF_SESSION: &str = "save_card_off_session";

impl World {
    /// A charge whose shopper may save the card for this usage.
    pub(crate) async fn charge_for(&self, usage: &str) -> CreatedCharge {
        let mut body = new_charge();
        body["shopper_id"] = json!(SHOPPER);
        body["save_card_usage"] = json!(usage);
        for flag in [
            "enable_save_payment_method",
            "display_saved_payment_method_list",
            "eligible_save_payment_methods",
        ] {
            body[flag] = json!(true);
        }
        let answer = self.create(&body, None).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        serde_json::from_value(answer.body).unwrap()
    }

    /// Pays with a card that is saved for this usage. Returns the card's id.
    pub(crate) async fn save_for(&self, usage: SaveCardUsage) -> String {
        self.save_card_for(usage, GOOD).await
    }

    /// The same with this card.
    pub(crate) async fn save_card_for(&self, usage: SaveCardUsage, number: &str) -> String {
        // Two cards saved in the same millisecond have no order.
        self.clock.advance_ms(1);
        let charge = self.charge_for(usage.as_str()).await;
        let mut body = card_to_save(&charge, SHOPPER, number);
        body["payment_method"]["agreement"] = shown(usage.text_id());
        let answer = send(self.press(&charge, "press-1", &body)).await;
        assert_eq!(answer.status_code(), "succeeded", "{answer:?}");
        id(&self.cards_of(SHOPPER).await[0]).to_owned()
    }

    /// Pays the charge and saves the card, with what the page tells of its text.
    async fn agree(&self, charge: &CreatedCharge, shown: &Value) -> Answer {
        let mut body = card_to_save(charge, SHOPPER, GOOD);
        body["payment_method"]["agreement"] = shown.clone();
        send(self.press(charge, "press-1", &body)).await
    }

    async fn stored_card(&self) -> PayableCard {
        let card = self.cards_of(SHOPPER).await[0].clone();
        let owner = CardOwner::new(PARTNER_ID, SHOPPER);
        let store = &self.service.app.store;
        store.payable_card(&owner, id(&card)).await.unwrap().unwrap()
    }
}

/// What the page tells of a text in German.
fn shown(text_id: &str) -> Value {
    json!({ "text_id": text_id, "locale": "de-DE" })
}

#[tokio::test]
async fn an_agreement_stays_with_the_card_and_its_payment() {
    let world = World::with_vault().await;
    let charge = world.charge_for("off_session").await;
    let now = world.clock.now_ms();
    assert_eq!(world.agree(&charge, &shown(OFF_SESSION)).await.status, 201);
    let card = world.stored_card().await;
    let agreement = card.agreement.unwrap();
    assert_eq!(
        (agreement.usage, agreement.accepted_at),
        (SaveCardUsage::OffSession, now)
    );
    assert_eq!(
        (agreement.text_id.as_deref(), agreement.locale.as_deref()),
        (Some(OFF_SESSION), Some("de-DE"))
    );
    let view = world.view(&charge.id).await;
    let network_id = card.network_transaction_id.unwrap();
    assert_eq!(view["provider"]["network_transaction_id"], network_id);
    let entry = &world.provider.simulator.ledger.entries()[0];
    assert_eq!(entry.asked.setup_future_usage, Some(SaveCardUsage::OffSession));
}

#[tokio::test]
async fn a_charge_without_a_usage_saves_for_payments_with_the_shopper() {
    let world = World::with_vault().await;
    world.save(SHOPPER, GOOD).await;
    let agreement = world.stored_card().await.agreement.unwrap();
    assert_eq!(
        (agreement.usage, agreement.text_id, agreement.locale),
        (SaveCardUsage::OnSession, None, None)
    );
    // The words of another page are kept; they do not decide the usage.
    for text_id in ["own_save_card", "remember_me"] {
        let charge = world.charge_for("on_session").await;
        assert_eq!(world.agree(&charge, &shown(text_id)).await.status, 201);
        let agreement = world.stored_card().await.agreement.unwrap();
        assert_eq!(
            (agreement.usage, agreement.text_id.as_deref()),
            (SaveCardUsage::OnSession, Some(text_id))
        );
    }
}

#[tokio::test]
async fn the_text_of_another_usage_is_refused_and_nothing_is_charged() {
    let world = World::with_vault().await;
    for (usage, text_id) in [
        ("off_session", "save_card"),
        ("off_session", "own_save_card"),
        ("on_session", OFF_SESSION),
        ("on_session", "own_save_card_off_session"),
    ] {
        let charge = world.charge_for(usage).await;
        let answer = world.agree(&charge, &shown(text_id)).await;
        assert_eq!(
            (answer.status, answer.code(), answer.field()),
            (403, "charge_mismatch", "payment_method.agreement.text_id"),
            "{usage} {text_id}"
        );
        assert_eq!(world.view(&charge.id).await["status"], "created");
    }
    let long = "a".repeat(41);
    for (shown, field) in [
        (json!({"text_id": "", "locale": "de-DE"}), "text_id"),
        (json!({"text_id": "Save_card", "locale": "de-DE"}), "text_id"),
        (json!({"text_id": "save card", "locale": "de-DE"}), "text_id"),
        (json!({"text_id": long, "locale": "de-DE"}), "text_id"),
        (json!({"text_id": "save_card", "locale": ""}), "locale"),
        (json!({"text_id": "save_card", "locale": "de_DE"}), "locale"),
        (json!({"text_id": "save_card"}), "locale"),
        (json!({"locale": "de-DE"}), "text_id"),
    ] {
        let charge = world.charge_for("on_session").await;
        let answer = world.agree(&charge, &shown).await;
        assert_eq!(
            (answer.status, answer.code()),
            (400, "invalid_request"),
            "{shown}"
        );
        assert_eq!(
            answer.field(),
            format!("payment_method.agreement.{field}"),
            "{shown}"
        );
    }
    assert!(world.provider.outcomes().is_empty(), "the ledger is empty");
    assert!(world.cards_of(SHOPPER).await.is_empty());
}

#[tokio::test]
async fn a_later_agreement_to_less_does_not_end_the_earlier_one() {
    let world = World::with_vault().await;
    world.save_for(SaveCardUsage::OnSession).await;
    for (usage, kept) in [
        (SaveCardUsage::OnSession, SaveCardUsage::OnSession),
        (SaveCardUsage::OffSession, SaveCardUsage::OffSession),
        (SaveCardUsage::OnSession, SaveCardUsage::OffSession),
    ] {
        world.clock.advance_ms(1);
        world.save_for(usage).await;
        let card = world.stored_card().await;
        assert_eq!(card.agreement.unwrap().usage, kept);
    }
    let entries = world.provider.simulator.ledger.entries();
    let network_id = world.stored_card().await.network_transaction_id;
    assert_eq!(network_id, entries[2].asked.facts.network_transaction_id);
    assert_eq!(world.cards_of(SHOPPER).await.len(), 1);
}

#[tokio::test]
async fn the_checkbox_asks_for_the_usage_of_the_charge() {
    let world = World::with_vault().await;
    for (usage, text) in [
        ("on_session", "<span>Diese Karte speichern</span>"),
        (
            "off_session",
            "<span>Diese Karte speichern und dem Shop erlauben, sie später auch ohne mein Zutun zu belasten</span>",
        ),
    ] {
        let charge = world.charge_for(usage).await;
        for place in ["document", "iframe"] {
            let request = world
                .request(Method::GET, &format!("/?payload={}", charge.payload))
                .header("accept-language", "de")
                .header("sec-fetch-dest", place);
            let html = request.send().await.unwrap().text().await.unwrap();
            assert!(html.contains(text), "{usage} {place}");
        }
    }
    let mut body = new_charge();
    for wrong in [json!("always"), json!(""), json!(true)] {
        body["save_card_usage"] = wrong;
        let answer = world.create(&body, None).await;
        assert_eq!(
            (answer.status, answer.code(), answer.field()),
            (400, "invalid_request", "save_card_usage")
        );
    }
}
