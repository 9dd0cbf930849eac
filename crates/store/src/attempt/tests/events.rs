//! Events of an attempt's end.

use super::*;
use crate::{
    DeliveryOutcome, DueEvent, EndpointCall, EndpointKey, EventSelection, ListedEvent, StoredWebhookSecret,
    WebhookEndpoint,
};
use protocol::webhook_schedule::WAIT_FOR_EARLIER_MS;

const LEASE_MS: i64 = 15_000;
/// When the attempt ends that [`Books::finish`] finishes.
const FINISHED_AT: i64 = 2_000;

fn endpoint() -> WebhookEndpoint {
    WebhookEndpoint {
        partner_id: "partner_1".into(),
        url: "https://shop.example/events".into(),
        secret: StoredWebhookSecret::plain("whsec_"),
        events: None,
        created_at: 0,
    }
}

impl Books {
    /// The events `processing` and `failed` of one press; nothing was sent yet.
    async fn with_two_events() -> Self {
        let books = books().await;
        books.store.put_webhook_endpoint(&endpoint()).await.unwrap();
        let attempt = books.started("a").await;
        books.finish(&attempt, declined()).await;
        books
    }

    /// The events that a sender gets at this time.
    async fn claimed(&self, now_ms: i64) -> Vec<DueEvent> {
        let lease_until = now_ms + LEASE_MS;
        let first = EndpointKey::first("partner_1");
        let claimed = self.store.claim_due_events(&first, 10, now_ms, lease_until);
        claimed.await.unwrap()
    }

    async fn numbers_claimed(&self, now_ms: i64) -> Vec<i64> {
        let claimed = self.claimed(now_ms).await;
        claimed.iter().map(|event| event.number).collect()
    }

    async fn shown_first(&self) -> ListedEvent {
        let listed = self.store.webhook_events(EventSelection::OfCharge(CHARGE), 9);
        let mut listed = listed.await.unwrap();
        listed.retain(|event| event.number == 1);
        listed.remove(0)
    }

    async fn sent(&self, event: &DueEvent, outcome: DeliveryOutcome, result: &str, now_ms: i64) {
        let call = EndpointCall { result, took_ms: 1 };
        self.store
            .finish_event(event, outcome, &call, now_ms)
            .await
            .unwrap();
    }
}

/// Otherwise the service would look for events after each payment that has none.
#[tokio::test]
async fn a_recorded_outcome_tells_whether_the_merchant_gets_an_event() {
    let books = books().await;
    let first = books.started("a").await;
    assert_eq!(
        books.finish(&first, declined()).await,
        FinishOutcome::RecordedWithoutEvent
    );
    books.store.put_webhook_endpoint(&endpoint()).await.unwrap();
    let second = books.started("b").await;
    assert_eq!(books.finish(&second, approved()).await, FinishOutcome::Recorded);
}

#[tokio::test]
async fn a_charges_events_are_claimed_one_after_another() {
    let books = Books::with_two_events().await;
    // No sender ran for a while, so both are due.
    let both_due = FINISHED_AT + WAIT_FOR_EARLIER_MS;
    let first = books.claimed(both_due).await.remove(0);
    assert_eq!(first.number, 1);
    assert_eq!(
        books.numbers_claimed(both_due).await,
        [0; 0],
        "the first one is being sent"
    );
    // Its sender died; another one sends it again.
    let lease_over = both_due + LEASE_MS;
    let first = books.claimed(lease_over).await;
    assert_eq!(first.iter().map(|event| event.number).collect::<Vec<_>>(), [1]);
    // It was refused and waits for its retry; the second one need not wait for that.
    let again_at = lease_over + 20_000;
    books
        .sent(&first[0], DeliveryOutcome::Again(again_at), "500", lease_over)
        .await;
    let second = books.claimed(lease_over).await.remove(0);
    assert_eq!(second.number, 2);
    books
        .sent(&second, DeliveryOutcome::Again(again_at), "500", lease_over)
        .await;
    // After its first try an event waits for no other one.
    assert_eq!(books.numbers_claimed(again_at).await, [1, 2]);
}

/// A merchant ignores an event whose number is not larger than those before.
#[tokio::test]
async fn numbers_grow_after_earlier_events_were_deleted() {
    let books = Books::with_two_events().await;
    for number in [1, 2] {
        let event = books.claimed(FINISHED_AT).await.remove(0);
        assert_eq!(event.number, number);
        books
            .sent(&event, DeliveryOutcome::Delivered, "200", FINISHED_AT)
            .await;
    }
    assert_eq!(books.store.delete_finished_events(i64::MAX).await.unwrap(), 2);
    let attempt = books.started("b").await;
    books.finish(&attempt, approved()).await;
    assert_eq!(books.numbers_claimed(FINISHED_AT).await, [3]);
}

#[tokio::test]
async fn an_event_waits_for_an_earlier_one_that_is_due_again() {
    let books = Books::with_two_events().await;
    let first = books.claimed(FINISHED_AT).await.remove(0);
    let both_due = FINISHED_AT + WAIT_FOR_EARLIER_MS;
    books
        .sent(&first, DeliveryOutcome::Again(both_due), "500", FINISHED_AT)
        .await;
    assert_eq!(books.numbers_claimed(both_due).await, [1]);
}

/// Such a time is written by a node whose clock is ahead.
#[tokio::test]
async fn an_event_waits_for_an_earlier_one_that_was_never_sent() {
    let books = Books::with_two_events().await;
    let both_due = FINISHED_AT + WAIT_FOR_EARLIER_MS;
    query("UPDATE webhook_events SET next_try_at = $1 WHERE id = $2")
        .bind(both_due + 1)
        .bind(books.shown_first().await.id)
        .write(&books.store.writer)
        .await
        .unwrap();
    assert_eq!(books.numbers_claimed(both_due).await, [0; 0]);
    assert_eq!(books.numbers_claimed(both_due + 1).await, [1]);
}

#[tokio::test]
async fn a_late_result_does_not_replace_that_of_another_sender() {
    let books = Books::with_two_events().await;
    let slow = books.claimed(FINISHED_AT).await.remove(0);
    let lease_over = FINISHED_AT + LEASE_MS;
    let other = books.claimed(lease_over).await.remove(0);
    assert_eq!(other.id, slow.id);
    // While the other one sends, and after it has recorded its result.
    books
        .sent(&slow, DeliveryOutcome::GivenUp, "no answer in time", lease_over)
        .await;
    let shown = books.shown_first().await;
    assert_eq!(
        (shown.state.as_str(), shown.next_try_at),
        ("due", lease_over + LEASE_MS)
    );
    books
        .sent(
            &other,
            DeliveryOutcome::Again(lease_over + 60_000),
            "503",
            lease_over,
        )
        .await;
    books
        .sent(&slow, DeliveryOutcome::Delivered, "200", lease_over)
        .await;
    let shown = books.shown_first().await;
    assert_eq!(
        (shown.state.as_str(), shown.next_try_at),
        ("due", lease_over + 60_000)
    );
    assert_eq!(shown.last_result.as_deref(), Some("503"));
    // A result comes once: the event is delivered, and stays so.
    let last = books.claimed(lease_over + 60_000).await.remove(0);
    books
        .sent(&last, DeliveryOutcome::Delivered, "204", lease_over + 60_000)
        .await;
    books
        .sent(&last, DeliveryOutcome::GivenUp, "500", lease_over + 60_000)
        .await;
    let shown = books.shown_first().await;
    assert_eq!(
        (shown.state.as_str(), shown.last_result.as_deref()),
        ("delivered", Some("204"))
    );
}
