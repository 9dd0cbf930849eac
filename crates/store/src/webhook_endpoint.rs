//! Merchants' webhook endpoints.

use serde::Deserialize;
use serde_json::json;

use super::sql::query;
use super::write::retried;
use super::{Store, StoreError};

/// A webhook's secret as it is stored.
#[derive(Clone, PartialEq, Eq, Deserialize)]
pub struct StoredWebhookSecret {
    /// `whsec_…`; or that, wrapped.
    #[serde(rename = "secret")]
    pub text: String,
    /// The vault's key that wraps it; `None` if it is not wrapped.
    pub wrapped_by: Option<String>,
}

/// Says nothing of the secret.
impl std::fmt::Debug for StoredWebhookSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoredWebhookSecret")
            .field("wrapped_by", &self.wrapped_by)
            .finish_non_exhaustive()
    }
}

impl StoredWebhookSecret {
    /// A secret that is stored unwrapped.
    pub fn plain(secret: &str) -> Self {
        Self {
            text: secret.to_owned(),
            wrapped_by: None,
        }
    }
}

/// A merchant's endpoint.
#[derive(Clone, PartialEq, Eq, Deserialize)]
pub struct WebhookEndpoint {
    /// The merchant.
    pub partner_id: String,
    /// Where events are posted.
    pub url: String,
    /// The secret that signs them.
    #[serde(flatten)]
    pub secret: StoredWebhookSecret,
    /// The types of the events that it takes; `None` for all.
    pub events: Option<Vec<String>>,
    /// Unix milliseconds.
    pub created_at: i64,
}

impl std::fmt::Debug for WebhookEndpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebhookEndpoint")
            .field("partner_id", &self.partner_id)
            .finish_non_exhaustive()
    }
}

impl Store {
    /// Sets a merchant's endpoint. A new URL ends the pause of the old one. Events are written from then on.
    pub async fn put_webhook_endpoint(&self, endpoint: &WebhookEndpoint) -> Result<(), StoreError> {
        query(
            "INSERT INTO webhook_endpoints (partner_id, url, secret, wrapped_by, created_at, events, silent_calls, \
             paused_until) VALUES ($1, $2, $3, $4, $5, $6, 0, 0) \
             ON CONFLICT (partner_id) DO UPDATE SET url = excluded.url, secret = excluded.secret, \
             wrapped_by = excluded.wrapped_by, events = excluded.events, silent_calls = 0, paused_until = 0",
        )
        .bind(&endpoint.partner_id)
        .bind(&endpoint.url)
        .bind(&endpoint.secret.text)
        .bind(&endpoint.secret.wrapped_by)
        .bind(endpoint.created_at)
        .bind(endpoint.events.as_ref().map(|events| json!(events).to_string()))
        .write(&self.writer)
        .await?;
        Ok(())
    }

    /// Deletes a merchant's endpoint and gives up its unsent events; false if there is none.
    pub async fn remove_webhook_endpoint(&self, partner_id: &str, now_ms: i64) -> Result<bool, StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            let removed = query("DELETE FROM webhook_endpoints WHERE partner_id = $1")
                .bind(partner_id)
                .execute(&mut tx)
                .await?;
            query(
                "UPDATE webhook_events SET state = 'given_up', finished_at = $1, last_result = 'endpoint removed' \
                 WHERE partner_id = $2 AND finished_at IS NULL",
            )
            .bind(now_ms)
            .bind(partner_id)
            .execute(&mut tx)
            .await?;
            tx.commit().await?;
            Ok(removed == 1)
        })
        .await
    }

    /// The endpoint of this merchant.
    pub async fn webhook_endpoint(&self, partner_id: &str) -> Result<Option<WebhookEndpoint>, StoreError> {
        Ok(query(
            "SELECT partner_id, url, secret, wrapped_by, events, created_at FROM webhook_endpoints WHERE partner_id = $1",
        )
        .bind(partner_id)
        .fetch_optional(&self.readers)
        .await?)
    }

    /// Merchants after `partner_id` that have due events and are not paused, in the order of their ids.
    pub async fn partners_with_due_events(
        &self,
        partner_id: &str,
        now_ms: i64,
        limit: i64,
    ) -> Result<Vec<String>, StoreError> {
        Ok(query(
            "SELECT w.partner_id FROM webhook_endpoints w WHERE w.partner_id > $1 AND w.paused_until <= $2 \
             AND EXISTS (SELECT 1 FROM webhook_events e WHERE e.partner_id = w.partner_id AND e.state = 'due' \
             AND e.next_try_at <= $3) ORDER BY w.partner_id LIMIT $4",
        )
        .bind(partner_id)
        .bind(now_ms)
        .bind(now_ms)
        .bind(limit)
        .fetch_all(&self.readers)
        .await?)
    }

    /// Records how many calls in a row the endpoint did not answer, and until when it is paused.
    pub async fn pause_webhook_endpoint(
        &self,
        partner_id: &str,
        silent_calls: i64,
        paused_until: i64,
    ) -> Result<(), StoreError> {
        query("UPDATE webhook_endpoints SET silent_calls = $1, paused_until = $2 WHERE partner_id = $3")
            .bind(silent_calls)
            .bind(paused_until)
            .bind(partner_id)
            .write(&self.writer)
            .await?;
        Ok(())
    }
}
