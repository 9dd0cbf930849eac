//! Saved cards in a real database: which card belongs to a shopper, and what becomes of a pending one.

use super::*;
use crate::{
    Actor, CardAgreement, CardChange, CardOwner, CardRange, PendingCard, RewrappedCard, ShownCard,
    StoredWebhookSecret, WebhookEndpoint,
};
use protocol::SaveCardUsage;
use vault::Sealed;

struct Cards {
    books: Books,
    owner: CardOwner,
}

async fn cards() -> Cards {
    Cards {
        books: books().await,
        owner: CardOwner::new("partner_1", "sam"),
    }
}

const ALL: CardRange = CardRange { skip: 0, take: 9 };

impl Cards {
    /// Adds a pending card with this number, whose fingerprint by the active key is `fingerprint`.
    async fn add(&self, number: u8, fingerprint: &str, older_fingerprints: &[&str]) {
        let attempt = self.books.started(&number.to_string()).await;
        self.books.finish(&attempt, declined()).await;
        let new = PendingCard {
            card: ShownCard {
                id: format!("pm_{number}"),
                card_id: format!("card_{number}"),
                brand: "visa".into(),
                first_six: "424242".into(),
                last_four: "4242".into(),
                expiration_month: 12,
                expiration_year: 2030 + i64::from(number),
                holder_name: String::new(),
                networks: Some("cb visa".into()),
                network: Some("cb".into()),
            },
            sealed: Sealed {
                key_id: "key-1".into(),
                wrapped_key: String::new(),
                number: String::new(),
            },
            fingerprint: fingerprint.into(),
            older_fingerprints: older_fingerprints.iter().map(|&text| text.into()).collect(),
            attempt_id: attempt.id,
            agreement: CardAgreement {
                usage: SaveCardUsage::OnSession,
                accepted_at: i64::from(number),
                text_id: None,
                locale: None,
            },
            now_ms: i64::from(number),
        };
        self.books
            .store
            .add_pending_card(&self.owner, &new)
            .await
            .unwrap();
    }

    async fn keep(&self, number: u8) {
        let store = &self.books.store;
        let attempt = store.attempt(&format!("att_{number}")).await.unwrap().unwrap();
        store
            .keep_pending_card(&attempt, i64::from(number))
            .await
            .unwrap();
    }

    /// The provider stores this card, too.
    async fn copied(&self, number: u8) {
        query("UPDATE saved_cards SET provider_card = $1, provider_customer = 'cus_1' WHERE id = $2")
            .bind(format!("copy_{number}"))
            .bind(format!("pm_{number}"))
            .write(&self.books.store.writer)
            .await
            .unwrap();
    }

    /// The changes that the provider does not know yet.
    async fn due_changes(&self) -> Vec<(String, CardChange)> {
        let due = self.books.store.due_card_changes(i64::MAX, 9).await.unwrap();
        due.into_iter()
            .map(|change| (change.provider_card, change.kind))
            .collect()
    }

    /// The ids and years of the shopper's cards, the newest first.
    async fn saved(&self) -> Vec<(String, i64)> {
        let saved = self.books.store.stored_cards(&self.owner, ALL).await.unwrap();
        saved
            .into_iter()
            .map(|stored| (stored.card.id, stored.card.expiration_year))
            .collect()
    }
}

#[tokio::test]
async fn a_pending_card_is_neither_listed_nor_paid_with_nor_removed() {
    let cards = cards().await;
    let (store, owner) = (&cards.books.store, &cards.owner);
    cards.add(1, "print", &[]).await;
    assert_eq!(cards.saved().await, []);
    assert_eq!(store.saved_card_count(owner, 9).await.unwrap(), 0);
    assert_eq!(store.payable_card(owner, "pm_1").await.unwrap(), None);
    assert!(!store.remove_saved_card(owner, "pm_1", 1).await.unwrap());
    // Another pending card is not the same card to keep.
    cards.add(2, "print", &[]).await;
    cards.keep(2).await;
    assert_eq!(cards.saved().await, [("pm_2".to_owned(), 2032)]);
    assert!(store.payable_card(owner, "pm_2").await.unwrap().is_some());
    for other in [
        CardOwner::new("partner_1", "ana"),
        CardOwner::new("partner_2", "sam"),
    ] {
        assert_eq!(store.payable_card(&other, "pm_2").await.unwrap(), None);
        assert!(!store.remove_saved_card(&other, "pm_2", 1).await.unwrap());
    }
    cards.keep(1).await;
    assert_eq!(
        cards.saved().await,
        [("pm_2".to_owned(), 2031)],
        "its newer twin has its expiry"
    );
}

#[tokio::test]
async fn a_card_saved_under_an_older_key_is_refreshed_unless_it_was_removed() {
    let cards = cards().await;
    cards.add(1, "old print", &[]).await;
    cards.keep(1).await;
    cards.add(2, "print", &["old print"]).await;
    cards.keep(2).await;
    assert_eq!(
        cards.saved().await,
        [("pm_1".to_owned(), 2032)],
        "it keeps its id"
    );

    cards.add(3, "print", &["old print"]).await;
    assert!(
        cards
            .books
            .store
            .remove_saved_card(&cards.owner, "pm_1", 1)
            .await
            .unwrap()
    );
    cards.keep(3).await;
    assert_eq!(
        cards.saved().await,
        [("pm_3".to_owned(), 2033)],
        "its twin was removed meanwhile"
    );
}

#[tokio::test]
async fn a_new_date_is_told_to_the_provider_that_keeps_the_card() {
    let cards = cards().await;
    cards.add(1, "print", &[]).await;
    cards.keep(1).await;
    cards.copied(1).await;
    // The provider stores no copy at this payment.
    cards.add(2, "print", &[]).await;
    cards.keep(2).await;
    assert_eq!(cards.saved().await, [("pm_1".to_owned(), 2032)]);
    assert_eq!(
        cards.due_changes().await,
        [("copy_1".to_owned(), CardChange::Date)]
    );
    // It stores one at this payment, with the date.
    cards.add(3, "print", &[]).await;
    cards.copied(3).await;
    cards.keep(3).await;
    let mut due = cards.due_changes().await;
    due.sort_by(|one, other| one.0.cmp(&other.0));
    let expected = [("copy_1", CardChange::Detach), ("copy_3", CardChange::Attach)];
    assert_eq!(due, expected.map(|(card, change)| (card.to_owned(), change)));
}

/// Two nodes with different keys have saved the same card.
#[tokio::test]
async fn a_duplicate_that_a_rotation_removes_is_told_to_provider_and_merchant() {
    let cards = cards().await;
    let store = &cards.books.store;
    let endpoint = WebhookEndpoint {
        partner_id: "partner_1".into(),
        url: "https://shop.example/events".into(),
        secret: StoredWebhookSecret::plain("whsec_"),
        events: Some(vec!["payment_method.removed".into()]),
        created_at: 0,
    };
    store.put_webhook_endpoint(&endpoint).await.unwrap();
    for (number, fingerprint) in [(1, "old print"), (2, "print")] {
        cards.add(number, fingerprint, &[]).await;
        cards.keep(number).await;
        cards.copied(number).await;
    }
    let before = store.cards_of_other_keys("key-2", "", 9).await.unwrap();
    let rewrapped: Vec<RewrappedCard> = before
        .into_iter()
        .map(|before| RewrappedCard {
            sealed: Sealed {
                key_id: "key-2".into(),
                ..before.sealed.clone()
            },
            before,
            fingerprint: "print".into(),
        })
        .collect();
    store.rewrap_cards(&rewrapped, &Actor::service(9)).await.unwrap();
    assert_eq!(cards.saved().await, [("pm_2".to_owned(), 2032)]);
    assert_eq!(
        cards.due_changes().await,
        [("copy_1".to_owned(), CardChange::Detach)]
    );
    let told: Vec<String> = query("SELECT payload FROM webhook_events WHERE charge_id = $1")
        .bind(CHARGE)
        .fetch_all(&store.readers)
        .await
        .unwrap();
    assert_eq!(told.len(), 1);
    assert!(told[0].contains("pm_1"), "{told:?}");
}

impl Cards {
    /// The merchant takes events of cards. Returns how many of this kind there are, when asked.
    async fn told(&self, kind: &str) -> i64 {
        let told = query("SELECT COUNT(*) FROM webhook_events WHERE charge_id = $1 AND kind = $2");
        let told = told.bind(CHARGE).bind(kind);
        told.fetch_one(&self.books.store.readers).await.unwrap()
    }

    async fn tell_merchant(&self) {
        let endpoint = WebhookEndpoint {
            partner_id: "partner_1".into(),
            url: "https://shop.example/events".into(),
            secret: StoredWebhookSecret::plain("whsec_"),
            events: Some(vec![
                "payment_method.saved".into(),
                "payment_method.removed".into(),
            ]),
            created_at: 0,
        };
        self.books.store.put_webhook_endpoint(&endpoint).await.unwrap();
    }
}

#[tokio::test]
async fn a_card_that_two_nodes_save_or_remove_at_once_is_told_once() {
    let cards = cards().await;
    cards.tell_merchant().await;
    let other = cards.books.database.connect().await;
    for number in 1..=10 {
        cards.add(number, &format!("print {number}"), &[]).await;
        let attempt = other.attempt(&format!("att_{number}")).await.unwrap().unwrap();
        let (one, two) = tokio::join!(cards.keep(number), other.keep_pending_card(&attempt, 1));
        two.unwrap();
        let () = one;
        assert_eq!(cards.told("payment_method.saved").await, i64::from(number));
        let id = format!("pm_{number}");
        let (one, two) = tokio::join!(
            cards.books.store.remove_saved_card(&cards.owner, &id, 1),
            other.remove_saved_card(&cards.owner, &id, 1)
        );
        assert!(one.unwrap() != two.unwrap(), "one removes it");
        assert_eq!(cards.told("payment_method.removed").await, i64::from(number));
    }
}

/// The shopper changes the date again while the first change is sent.
#[tokio::test]
async fn a_date_that_changes_while_it_is_sent_is_sent_again() {
    let cards = cards().await;
    let store = &cards.books.store;
    cards.add(1, "print", &[]).await;
    cards.keep(1).await;
    cards.copied(1).await;
    cards.add(2, "print", &[]).await;
    cards.keep(2).await;
    for (number, left) in [(3, 1), (4, 0)] {
        let sending = store.due_card_changes(i64::MAX, 9).await.unwrap().remove(0);
        assert_eq!(sending.kind, CardChange::Date);
        let again_at = i64::from(number) * 10_000;
        assert!(store.begin_card_change(&sending, again_at).await.unwrap());
        cards.add(number, "print", &[]).await;
        if left == 1 {
            cards.keep(number).await;
        }
        store.end_card_change(&sending, again_at).await.unwrap();
        assert_eq!(cards.due_changes().await.len(), left);
    }
}
