//! The stored secrets that sign webhooks: wrapped by a key of the vault, or plain without a vault.

use serde_json::json;

use super::audit_log::{Actor, AuditAction, note};
use super::sql::query;
use super::write::retried;
use super::{Store, StoreError, StoredWebhookSecret, WebhookEndpoint};

/// A secret that was wrapped again with another key of the vault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RewrappedSecret {
    /// The endpoint as it was read.
    pub before: WebhookEndpoint,
    /// Its secret as it will be stored.
    pub secret: StoredWebhookSecret,
}

impl Store {
    /// Endpoints after the merchant `after`, by their merchants' ids.
    pub async fn webhook_endpoints(
        &self,
        after: &str,
        limit: i64,
    ) -> Result<Vec<WebhookEndpoint>, StoreError> {
        Ok(query(
            "SELECT partner_id, url, secret, wrapped_by, events, created_at FROM webhook_endpoints \
             WHERE partner_id > $1 ORDER BY partner_id LIMIT $2",
        )
        .bind(after)
        .bind(limit)
        .fetch_all(&self.readers)
        .await?)
    }

    /// How many webhook secrets each key of the vault wraps, by its id.
    pub async fn webhook_secrets_by_key(&self) -> Result<Vec<(String, i64)>, StoreError> {
        Ok(query(
            "SELECT wrapped_by, COUNT(*) FROM webhook_endpoints WHERE wrapped_by IS NOT NULL \
             GROUP BY wrapped_by ORDER BY wrapped_by",
        )
        .fetch_all(&self.readers)
        .await?)
    }

    /// Whether a key of the vault wraps any secret of the service. Adding a secret then needs the vault, too.
    pub async fn has_wrapped_secrets(&self) -> Result<bool, StoreError> {
        let found: i64 = query(
            "SELECT (SELECT COUNT(*) FROM signing_keys WHERE wrapped_by IS NOT NULL) \
             + (SELECT COUNT(*) FROM webhook_endpoints WHERE wrapped_by IS NOT NULL)",
        )
        .fetch_one(&self.readers)
        .await?;
        Ok(found > 0)
    }

    /// Stores these secrets in one transaction. Returns how many. A secret that was changed since it was read is
    /// skipped.
    pub async fn rewrap_webhook_secrets(
        &self,
        changes: &[RewrappedSecret],
        by: &Actor,
    ) -> Result<u64, StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            let mut rewrapped = 0;
            for change in changes {
                let rows = query(
                    "UPDATE webhook_endpoints SET secret = $1, wrapped_by = $2 WHERE partner_id = $3 AND secret = $4",
                )
                .bind(&change.secret.text)
                .bind(&change.secret.wrapped_by)
                .bind(&change.before.partner_id)
                .bind(&change.before.secret.text)
                .execute(&mut tx)
                .await?;
                if rows > 0 {
                    let detail = json!({ "wrapped_by": change.secret.wrapped_by });
                    let subject = &change.before.partner_id;
                    note(&mut tx, by, AuditAction::WebhookSecretWrapped, subject, &detail).await?;
                }
                rewrapped += rows;
            }
            tx.commit().await?;
            Ok(rewrapped)
        })
        .await
    }
}
