//! Merchants' webhook endpoints. A merchant's first one is the row of `webhook_endpoints`, which older programs use, too; the
//! others are in `further_webhook_endpoints`.

use protocol::ids::{IdKind, new_id_at};
use serde::Deserialize;
use serde_json::json;

use super::sql::query;
use super::webhook_event::GIVEN_UP;
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

/// A merchant's first endpoint, the one that `cardform webhook set` sets.
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

/// The place of an endpoint, as the rows of its events name it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize)]
pub struct EndpointKey {
    /// The merchant.
    pub partner_id: String,
    /// Empty for the merchant's first endpoint; otherwise its id.
    pub endpoint_id: String,
}

impl EndpointKey {
    /// The first endpoint of this merchant.
    pub fn first(partner_id: &str) -> Self {
        Self {
            partner_id: partner_id.to_owned(),
            endpoint_id: String::new(),
        }
    }

    /// Its table.
    pub(super) fn table(&self) -> &'static str {
        match self.endpoint_id.as_str() {
            "" => "webhook_endpoints",
            _ => "further_webhook_endpoints",
        }
    }

    /// The primary key of its table.
    pub(super) fn column(&self) -> &'static str {
        match self.endpoint_id.as_str() {
            "" => "partner_id",
            _ => "id",
        }
    }

    /// The value of [`Self::column`].
    pub(super) fn value(&self) -> &str {
        match self.endpoint_id.as_str() {
            "" => &self.partner_id,
            id => id,
        }
    }
}

/// An endpoint of a merchant with everything that can be shown or changed.
#[derive(Clone, PartialEq, Eq, Deserialize)]
pub struct KnownEndpoint {
    /// The merchant.
    pub partner_id: String,
    /// See [`EndpointKey::endpoint_id`].
    pub endpoint_id: String,
    /// `we_…`.
    pub id: String,
    /// Where events are posted.
    pub url: String,
    /// The secret that signs them.
    #[serde(flatten)]
    pub secret: StoredWebhookSecret,
    /// The types of the events that it takes; `None` for all.
    pub events: Option<Vec<String>>,
    /// The merchant's words about it.
    pub description: Option<String>,
    /// Unix milliseconds.
    pub created_at: i64,
}

impl std::fmt::Debug for KnownEndpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KnownEndpoint")
            .field("partner_id", &self.partner_id)
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

impl KnownEndpoint {
    /// Its place.
    pub fn key(&self) -> EndpointKey {
        EndpointKey {
            partner_id: self.partner_id.clone(),
            endpoint_id: self.endpoint_id.clone(),
        }
    }
}

/// An endpoint that has due events and is not paused.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct DueEndpoint {
    /// Its place.
    #[serde(flatten)]
    pub key: EndpointKey,
    /// How many endpoints the merchant has.
    pub siblings: i64,
}

/// All endpoints. A first endpoint that an older program wrote has no id, and gets one of its merchant's id.
pub(super) const ENDPOINTS: &str = "(SELECT partner_id, '' AS endpoint_id, \
     COALESCE(id, REPLACE(partner_id, 'partner_', 'we_')) AS id, url, secret, wrapped_by, events, description, created_at, \
     paused_until FROM webhook_endpoints \
     UNION ALL SELECT partner_id, id AS endpoint_id, id, url, secret, wrapped_by, events, description, created_at, \
     paused_until FROM further_webhook_endpoints)";

/// The columns of [`KnownEndpoint`].
const KNOWN: &str =
    "w.partner_id, w.endpoint_id, w.id, w.url, w.secret, w.wrapped_by, w.events, w.description, w.created_at";

fn json_list(events: Option<&Vec<String>>) -> Option<String> {
    events.map(|events| json!(events).to_string())
}

impl Store {
    /// Sets a merchant's first endpoint. A new URL ends the pause of the old one. Events are written from then on.
    pub async fn put_webhook_endpoint(&self, endpoint: &WebhookEndpoint) -> Result<(), StoreError> {
        query(
            "INSERT INTO webhook_endpoints (partner_id, url, secret, wrapped_by, created_at, events, silent_calls, \
             paused_until, id) VALUES ($1, $2, $3, $4, $5, $6, 0, 0, $7) \
             ON CONFLICT (partner_id) DO UPDATE SET url = excluded.url, secret = excluded.secret, \
             wrapped_by = excluded.wrapped_by, events = excluded.events, silent_calls = 0, paused_until = 0",
        )
        .bind(&endpoint.partner_id)
        .bind(&endpoint.url)
        .bind(&endpoint.secret.text)
        .bind(&endpoint.secret.wrapped_by)
        .bind(endpoint.created_at)
        .bind(json_list(endpoint.events.as_ref()))
        .bind(new_id_at(IdKind::WebhookEndpoint, endpoint.created_at))
        .write(&self.writer)
        .await?;
        Ok(())
    }

    /// Adds an endpoint with this id: the merchant's first one, if it has none. Returns false, and adds nothing, if the merchant
    /// has `endpoints_max` of them. The place of `endpoint` is ignored.
    pub async fn add_webhook_endpoint(
        &self,
        endpoint: &KnownEndpoint,
        endpoints_max: i64,
    ) -> Result<bool, StoreError> {
        let partner_id = &endpoint.partner_id;
        retried(|| async {
            let mut tx = self.write().await?;
            // Another request of the merchant waits, so that both see the same count.
            query("UPDATE partners SET name = name WHERE id = $1")
                .bind(partner_id)
                .execute(&mut tx)
                .await?;
            let places: Vec<String> =
                query(format!("SELECT w.endpoint_id FROM {ENDPOINTS} w WHERE w.partner_id = $1"))
                    .bind(partner_id)
                    .fetch_all(&mut tx)
                    .await?;
            if i64::try_from(places.len()).unwrap_or(i64::MAX) >= endpoints_max {
                tx.commit().await?;
                return Ok(false);
            }
            let key = EndpointKey {
                partner_id: partner_id.clone(),
                endpoint_id: if places.iter().any(String::is_empty) {
                    endpoint.id.clone()
                } else {
                    String::new()
                },
            };
            query(format!(
                "INSERT INTO {} (id, partner_id, url, secret, wrapped_by, events, description, created_at, silent_calls, \
                 paused_until) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, 0)",
                key.table()
            ))
            .bind(&endpoint.id)
            .bind(partner_id)
            .bind(&endpoint.url)
            .bind(&endpoint.secret.text)
            .bind(&endpoint.secret.wrapped_by)
            .bind(json_list(endpoint.events.as_ref()))
            .bind(&endpoint.description)
            .bind(endpoint.created_at)
            .execute(&mut tx)
            .await?;
            tx.commit().await?;
            Ok(true)
        })
        .await
    }

    /// Changes URL, events, description and secret of an endpoint that was read as `before`, and ends its pause. Returns false,
    /// and changes nothing, if it is gone or was changed meanwhile.
    pub async fn change_webhook_endpoint(
        &self,
        endpoint: &KnownEndpoint,
        before: &KnownEndpoint,
    ) -> Result<bool, StoreError> {
        let key = endpoint.key();
        let changed = query(format!(
            "UPDATE {} SET url = $1, secret = $2, wrapped_by = $3, events = $4, description = $5, silent_calls = 0, \
             paused_until = 0 WHERE {} = $6 AND secret = $7 AND url = $8 AND events IS NOT DISTINCT FROM $9 \
             AND description IS NOT DISTINCT FROM $10",
            key.table(),
            key.column()
        ))
        .bind(&endpoint.url)
        .bind(&endpoint.secret.text)
        .bind(&endpoint.secret.wrapped_by)
        .bind(json_list(endpoint.events.as_ref()))
        .bind(&endpoint.description)
        .bind(key.value())
        .bind(&before.secret.text)
        .bind(&before.url)
        .bind(json_list(before.events.as_ref()))
        .bind(&before.description)
        .write(&self.writer)
        .await?;
        Ok(changed == 1)
    }

    /// Deletes an endpoint, if it has this `url` or none is named, and gives up its unsent events; false if there is none.
    pub async fn remove_webhook_endpoint(
        &self,
        key: &EndpointKey,
        url: Option<&str>,
        now_ms: i64,
    ) -> Result<bool, StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            let removed = query(format!(
                "DELETE FROM {} WHERE {} = $1 AND url = COALESCE($2, url)",
                key.table(),
                key.column()
            ))
            .bind(key.value())
            .bind(url)
            .execute(&mut tx)
            .await?;
            if removed == 1 {
                let sql = format!(
                    "UPDATE webhook_events SET {GIVEN_UP} \
                     WHERE partner_id = $2 AND endpoint_id = $3 AND finished_at IS NULL"
                );
                query(sql)
                    .bind(now_ms)
                    .bind(&key.partner_id)
                    .bind(&key.endpoint_id)
                    .execute(&mut tx)
                    .await?;
            }
            tx.commit().await?;
            Ok(removed == 1)
        })
        .await
    }

    /// The first endpoint of this merchant.
    pub async fn webhook_endpoint(&self, partner_id: &str) -> Result<Option<WebhookEndpoint>, StoreError> {
        Ok(query(
            "SELECT partner_id, url, secret, wrapped_by, events, created_at FROM webhook_endpoints WHERE partner_id = $1",
        )
        .bind(partner_id)
        .fetch_optional(&self.readers)
        .await?)
    }

    /// All endpoints of this merchant, in the order in which they were added.
    pub async fn webhook_endpoints_of(&self, partner_id: &str) -> Result<Vec<KnownEndpoint>, StoreError> {
        Ok(query(format!(
            "SELECT {KNOWN} FROM {ENDPOINTS} w WHERE w.partner_id = $1 ORDER BY w.created_at, w.endpoint_id"
        ))
        .bind(partner_id)
        .fetch_all(&self.readers)
        .await?)
    }

    /// Endpoints of all merchants after this one, in the order of their places.
    pub async fn webhook_endpoints(
        &self,
        after: &EndpointKey,
        limit: i64,
    ) -> Result<Vec<KnownEndpoint>, StoreError> {
        Ok(query(format!(
            "SELECT {KNOWN} FROM {ENDPOINTS} w \
             WHERE w.partner_id > $1 OR (w.partner_id = $1 AND w.endpoint_id > $2) \
             ORDER BY w.partner_id, w.endpoint_id LIMIT $3"
        ))
        .bind(&after.partner_id)
        .bind(&after.endpoint_id)
        .bind(limit)
        .fetch_all(&self.readers)
        .await?)
    }

    /// Endpoints after this one that have due events and are not paused, in the order of their places.
    pub async fn endpoints_with_due_events(
        &self,
        after: &EndpointKey,
        now_ms: i64,
        limit: i64,
    ) -> Result<Vec<DueEndpoint>, StoreError> {
        Ok(query(format!(
            "SELECT w.partner_id, w.endpoint_id, \
             (SELECT COUNT(*) FROM {ENDPOINTS} s WHERE s.partner_id = w.partner_id) AS siblings FROM {ENDPOINTS} w \
             WHERE (w.partner_id > $1 OR (w.partner_id = $1 AND w.endpoint_id > $2)) AND w.paused_until <= $3 \
             AND EXISTS (SELECT 1 FROM webhook_events e WHERE e.partner_id = w.partner_id \
             AND e.endpoint_id = w.endpoint_id AND e.state = 'due' AND e.next_try_at <= $3) \
             ORDER BY w.partner_id, w.endpoint_id LIMIT $4"
        ))
        .bind(&after.partner_id)
        .bind(&after.endpoint_id)
        .bind(now_ms)
        .bind(limit)
        .fetch_all(&self.readers)
        .await?)
    }

    /// Records how many calls in a row the endpoint did not answer, and until when it is paused.
    pub async fn pause_webhook_endpoint(
        &self,
        key: &EndpointKey,
        silent_calls: i64,
        paused_until: i64,
    ) -> Result<(), StoreError> {
        query(format!(
            "UPDATE {} SET silent_calls = $1, paused_until = $2 WHERE {} = $3",
            key.table(),
            key.column()
        ))
        .bind(silent_calls)
        .bind(paused_until)
        .bind(key.value())
        .write(&self.writer)
        .await?;
        Ok(())
    }
}
