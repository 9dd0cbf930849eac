//! Events of an attempt's end.

use super::*;
use crate::{StoredWebhookSecret, WebhookEndpoint};

/// Otherwise the service would look for events after each payment that has none.
#[tokio::test]
async fn an_end_tells_whether_the_merchant_gets_an_event() {
    let books = books().await;
    let endpoint = WebhookEndpoint {
        partner_id: "partner_1".into(),
        url: "https://shop.example/events".into(),
        secret: StoredWebhookSecret::plain("whsec_"),
        events: None,
        created_at: 0,
    };
    let first = books.started("a").await;
    assert_eq!(
        books.finish(&first, declined()).await,
        FinishOutcome::RecordedUntold
    );
    books.store.put_webhook_endpoint(&endpoint).await.unwrap();
    let second = books.started("b").await;
    assert_eq!(books.finish(&second, approved()).await, FinishOutcome::Recorded);
}
