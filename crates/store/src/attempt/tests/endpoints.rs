//! Several endpoints of a merchant: each gets the events that it takes.

use super::*;
use crate::{
    DeliveryOutcome, DueEvent, EndpointCall, EndpointKey, EventFilter, EventSelection, KnownEndpoint,
    StoredWebhookSecret,
};

const ENDPOINTS_MAX: i64 = 3;
/// When both events of the charge are due.
const NOW: i64 = 100_000;

fn endpoint(id: &str, events: Option<&[&str]>) -> KnownEndpoint {
    KnownEndpoint {
        partner_id: "partner_1".into(),
        endpoint_id: String::new(),
        id: id.into(),
        url: format!("https://shop.example/{id}"),
        secret: StoredWebhookSecret::plain("whsec_"),
        events: events.map(|events| events.iter().map(|&event| event.to_owned()).collect()),
        description: Some("Orders".into()),
        created_at: 0,
    }
}

fn further(id: &str) -> EndpointKey {
    EndpointKey {
        partner_id: "partner_1".into(),
        endpoint_id: id.into(),
    }
}

impl Books {
    async fn add(&self, endpoint: &KnownEndpoint) -> bool {
        let added = self.store.add_webhook_endpoint(endpoint, ENDPOINTS_MAX);
        added.await.unwrap()
    }

    /// A charge of a merchant with two endpoints, with the events `processing` and `failed`.
    async fn with_two_endpoints() -> Self {
        let books = books().await;
        assert!(books.add(&endpoint("we_1", None)).await);
        assert!(books.add(&endpoint("we_2", None)).await);
        let attempt = books.started("a").await;
        assert_eq!(books.finish(&attempt, declined()).await, FinishOutcome::Recorded);
        books
    }

    async fn claimed_of(&self, key: &EndpointKey) -> Vec<DueEvent> {
        let claimed = self.store.claim_due_events(key, 10, NOW, NOW + 15_000);
        claimed.await.unwrap()
    }

    async fn answered(&self, event: &DueEvent, outcome: DeliveryOutcome) {
        let call = EndpointCall {
            result: "200",
            took_ms: 1,
        };
        self.store.finish_event(event, outcome, &call, NOW).await.unwrap();
    }

    /// Endpoint, sequence number and state of each row of the charge.
    async fn rows(&self) -> Vec<(String, i64, String)> {
        let listed = self.store.webhook_events(EventSelection::OfCharge(CHARGE), 9);
        let mut listed = listed.await.unwrap();
        listed.reverse();
        listed
            .into_iter()
            .map(|event| (event.endpoint_id, event.number, event.state))
            .collect()
    }
}

#[tokio::test]
async fn each_endpoint_gets_an_event_with_the_same_id_and_number() {
    let books = Books::with_two_endpoints().await;
    let (first, second) = (EndpointKey::first("partner_1"), further("we_2"));
    let mut numbers = Vec::new();
    for _ in 0..2 {
        let one = books.claimed_of(&first).await;
        let other = books.claimed_of(&second).await;
        assert_eq!((one.len(), other.len()), (1, 1), "in order");
        let (one, other) = (&one[0], &other[0]);
        assert_eq!(
            (&one.event_id, one.number, &one.payload),
            (&other.event_id, other.number, &other.payload)
        );
        assert_eq!(one.url, "https://shop.example/we_1");
        assert_eq!(other.url, "https://shop.example/we_2");
        numbers.push(one.number);
        books.answered(one, DeliveryOutcome::Delivered).await;
        books.answered(other, DeliveryOutcome::Delivered).await;
    }
    assert!(numbers[0] == 1 && numbers[0] < numbers[1], "{numbers:?}");
    assert_eq!(books.rows().await.len(), 4);
}

#[tokio::test]
async fn an_endpoint_that_accepts_nothing_does_not_delay_the_other() {
    let books = Books::with_two_endpoints().await;
    let (down, well) = (EndpointKey::first("partner_1"), further("we_2"));
    assert_eq!(books.claimed_of(&down).await.len(), 1, "its call does not end");
    for _ in 0..2 {
        let event = books.claimed_of(&well).await.remove(0);
        books.answered(&event, DeliveryOutcome::Delivered).await;
    }
    books
        .store
        .pause_webhook_endpoint(&down, 1, NOW + 1)
        .await
        .unwrap();
    let all = EndpointKey::first("");
    let due = async |now| books.store.endpoints_with_due_events(&all, now, 9).await.unwrap();
    assert_eq!(due(NOW).await, []);
    let due = due(NOW + 15_000).await;
    assert_eq!(due.len(), 1);
    assert_eq!((due[0].key.clone(), due[0].siblings), (down, 2));
}

#[tokio::test]
async fn only_endpoints_that_take_an_event_have_a_row() {
    let books = books().await;
    assert!(books.add(&endpoint("we_1", Some(&["charge.succeeded"]))).await);
    assert!(books.add(&endpoint("we_2", Some(&["charge.failed"]))).await);
    let attempt = books.started("a").await;
    books.finish(&attempt, declined()).await;
    let attempt = books.started("b").await;
    books.finish(&attempt, approved()).await;
    let row = |endpoint: &str, number| (endpoint.to_owned(), number, "due".to_owned());
    assert_eq!(books.rows().await, [row("we_2", 1), row("", 2)]);
}

#[tokio::test]
async fn a_removed_endpoint_leaves_the_others() {
    let books = Books::with_two_endpoints().await;
    for (key, left) in [
        (further("we_2"), vec!["", ""]),
        (EndpointKey::first("partner_1"), vec![]),
    ] {
        assert!(
            books
                .store
                .remove_webhook_endpoint(&key, None, NOW)
                .await
                .unwrap()
        );
        assert!(
            !books
                .store
                .remove_webhook_endpoint(&key, None, NOW)
                .await
                .unwrap()
        );
        let due = books
            .rows()
            .await
            .into_iter()
            .filter(|(_, _, state)| state != "given_up");
        let due: Vec<String> = due.map(|(endpoint, ..)| endpoint).collect();
        assert_eq!(due, left);
    }
    let replayed = async || {
        let replayed = books.store.replay_events(EventSelection::OfCharge(CHARGE), NOW);
        replayed.await.unwrap()
    };
    assert_eq!(replayed().await, 0, "no endpoint is left");
    // The first one is set again, so its events are sent. The other one never is.
    assert!(books.add(&endpoint("we_1", None)).await);
    assert_eq!(replayed().await, 2);
}

/// No node would send them or give them up.
#[tokio::test]
async fn events_of_a_removed_first_endpoint_do_not_become_due() {
    let books = Books::with_two_endpoints().await;
    let first = EndpointKey::first("partner_1");
    assert!(
        books
            .store
            .remove_webhook_endpoint(&first, None, NOW)
            .await
            .unwrap()
    );
    let sent = books.claimed_of(&further("we_2")).await.remove(0);
    books.answered(&sent, DeliveryOutcome::Delivered).await;
    let replayed = books
        .store
        .replay_events(EventSelection::OfPartner("partner_1"), NOW);
    assert_eq!(replayed.await.unwrap(), 1, "the one of the other endpoint");
    let rows = books.rows().await;
    let of_first = rows.iter().filter(|(endpoint, ..)| endpoint.is_empty());
    let states: Vec<&str> = of_first.map(|(_, _, state)| state.as_str()).collect();
    assert_eq!(states, ["given_up", "given_up"]);
}

#[tokio::test]
async fn an_event_is_replayed_for_each_endpoint() {
    let books = Books::with_two_endpoints().await;
    let keys = [EndpointKey::first("partner_1"), further("we_2")];
    let mut sent = Vec::new();
    for key in &keys {
        let event = books.claimed_of(key).await.remove(0);
        books.answered(&event, DeliveryOutcome::Delivered).await;
        sent.push(event);
    }
    let replayed = books
        .store
        .replay_events(EventSelection::Event(&sent[0].event_id), NOW);
    assert_eq!(replayed.await.unwrap(), 2);
    for (key, event) in keys.iter().zip(&sent) {
        let again = books.claimed_of(key).await.remove(0);
        assert_eq!((&again.event_id, again.number), (&event.event_id, event.number));
    }
}

#[tokio::test]
async fn a_waiting_event_is_resent_to_each_endpoint() {
    let books = Books::with_two_endpoints().await;
    let keys = [EndpointKey::first("partner_1"), further("we_2")];
    let mut id = String::new();
    for key in &keys {
        let event = books.claimed_of(key).await.remove(0);
        let again_at = NOW + 3_600_000;
        books.answered(&event, DeliveryOutcome::Again(again_at)).await;
        id = event.event_id;
    }
    let resent = books.store.resend_event("partner_1", &id, NOW).await.unwrap();
    assert_eq!(resent.unwrap().others[0].next_try_at, NOW);
    for key in &keys {
        assert_eq!(books.claimed_of(key).await[0].event_id, id);
    }
}

#[tokio::test]
async fn an_event_is_known_until_its_last_endpoint_has_finished_with_it() {
    let books = Books::with_two_endpoints().await;
    let one = books.claimed_of(&EndpointKey::first("partner_1")).await.remove(0);
    let other = books.claimed_of(&further("we_2")).await.remove(0);
    books.answered(&one, DeliveryOutcome::Delivered).await;
    let deleted = async || books.store.delete_finished_events(NOW + 1).await.unwrap();
    assert_eq!(deleted().await, 0);
    let all = EventFilter::default();
    let listed = books
        .store
        .listed_events("partner_1", &all, None, 9)
        .await
        .unwrap();
    assert_eq!(listed.events.last().unwrap().id, one.event_id);
    books.answered(&other, DeliveryOutcome::Delivered).await;
    assert_eq!(deleted().await, 2);
}

/// Another node wrote the event while the endpoint was removed.
#[tokio::test]
async fn an_event_whose_endpoint_is_gone_is_given_up() {
    let books = Books::with_two_endpoints().await;
    query("DELETE FROM further_webhook_endpoints WHERE id = 'we_2'")
        .write(&books.store.writer)
        .await
        .unwrap();
    assert_eq!(books.store.give_up_orphaned_events(NOW).await.unwrap(), 2);
    assert_eq!(books.store.give_up_orphaned_events(NOW).await.unwrap(), 0);
    let states = books.rows().await.into_iter().map(|(id, _, state)| (id, state));
    let mut states: Vec<_> = states.collect();
    states.sort();
    let expected = [
        ("", "due"),
        ("", "queued"),
        ("we_2", "given_up"),
        ("we_2", "given_up"),
    ];
    assert_eq!(
        states,
        expected.map(|(id, state)| (id.to_owned(), state.to_owned()))
    );
}

#[tokio::test]
async fn a_merchant_has_so_many_endpoints_at_most() {
    let books = books().await;
    for id in ["we_1", "we_2", "we_3"] {
        assert!(books.add(&endpoint(id, None)).await);
    }
    assert!(!books.add(&endpoint("we_4", None)).await);
    let known = books.store.webhook_endpoints_of("partner_1").await.unwrap();
    let ids: Vec<&str> = known.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(ids, ["we_1", "we_2", "we_3"]);
    let after = books.store.webhook_endpoints(&known[1].key(), 9).await.unwrap();
    assert_eq!(after, known[2..]);
}

#[tokio::test]
async fn a_changed_endpoint_is_not_paused_and_a_former_reader_changes_nothing() {
    let books = Books::with_two_endpoints().await;
    let known = books.store.webhook_endpoints_of("partner_1").await.unwrap();
    for before in known {
        books
            .store
            .pause_webhook_endpoint(&before.key(), 1, i64::MAX)
            .await
            .unwrap();
        let changed = KnownEndpoint {
            url: "https://shop.example/new".into(),
            secret: StoredWebhookSecret::plain("whsec_new"),
            description: None,
            ..before.clone()
        };
        let change = async || {
            books
                .store
                .change_webhook_endpoint(&changed, &before)
                .await
                .unwrap()
        };
        assert!(change().await);
        assert!(!change().await, "its secret is another one now");
        assert_eq!(
            books.claimed_of(&before.key()).await[0].url,
            "https://shop.example/new"
        );
    }
    let all = EndpointKey::first("");
    let due = books.store.endpoints_with_due_events(&all, i64::MAX / 2, 9);
    assert_eq!(due.await.unwrap().len(), 2);
}

#[tokio::test]
async fn two_changes_of_an_endpoint_at_once_do_not_undo_each_other() {
    let books = Books::with_two_endpoints().await;
    for before in books.store.webhook_endpoints_of("partner_1").await.unwrap() {
        let moved = KnownEndpoint {
            url: "https://shop.example/new".into(),
            ..before.clone()
        };
        let described = KnownEndpoint {
            description: Some("After a change".into()),
            ..before.clone()
        };
        let chosen = KnownEndpoint {
            events: Some(vec!["charge.failed".into()]),
            ..described.clone()
        };
        let change = async |changed, before| {
            books
                .store
                .change_webhook_endpoint(changed, before)
                .await
                .unwrap()
        };
        assert!(change(&described, &before).await);
        assert!(
            !change(&moved, &before).await,
            "its description is another one now"
        );
        assert!(change(&chosen, &described).await);
        assert!(!change(&moved, &described).await, "its events are other ones now");
        assert!(change(&moved, &chosen).await);
        assert!(
            !change(&described, &chosen).await,
            "its address is another one now"
        );
    }
}

/// An older program writes neither the endpoint's id nor the columns that came with several endpoints.
#[tokio::test]
async fn rows_of_an_older_program_belong_to_the_first_endpoint() {
    let books = Books::with_two_endpoints().await;
    let old = "INSERT INTO webhook_events (id, partner_id, charge_id, number, kind, payload, state, tries, created_at, \
         next_try_at, give_up_at) SELECT 'evt_old', partner_id, charge_id, 9, kind, payload, 'due', 0, 3000, 0, give_up_at \
         FROM webhook_events WHERE charge_id = $1 AND number = 1";
    query(old).bind(CHARGE).write(&books.store.writer).await.unwrap();
    query("UPDATE webhook_endpoints SET id = NULL WHERE partner_id = $1")
        .bind("partner_1")
        .write(&books.store.writer)
        .await
        .unwrap();
    assert_eq!(
        books.rows().await.last().unwrap(),
        &(String::new(), 9, "queued".to_owned())
    );
    let known = books.store.webhook_endpoints_of("partner_1").await.unwrap();
    assert_eq!(
        (known[0].id.as_str(), known[0].endpoint_id.as_str()),
        ("we_1", "")
    );
}
