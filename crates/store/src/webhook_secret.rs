//! The stored secrets that sign webhooks: wrapped by a key of the vault, or plain without a vault.

use serde_json::json;

use super::audit_log::{Actor, AuditAction, note};
use super::sql::query;
use super::webhook_endpoint::ENDPOINTS;
use super::write::retried;
use super::{KnownEndpoint, Store, StoreError, StoredWebhookSecret};

/// A secret that was wrapped again with another key of the vault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RewrappedSecret {
    /// The endpoint as it was read.
    pub before: KnownEndpoint,
    /// Its secret as it will be stored.
    pub secret: StoredWebhookSecret,
}

impl Store {
    /// How many webhook secrets each key of the vault wraps, by its id.
    pub async fn webhook_secrets_by_key(&self) -> Result<Vec<(String, i64)>, StoreError> {
        Ok(query(format!(
            "SELECT w.wrapped_by, COUNT(*) FROM {ENDPOINTS} w WHERE w.wrapped_by IS NOT NULL \
             GROUP BY w.wrapped_by ORDER BY w.wrapped_by"
        ))
        .fetch_all(&self.readers)
        .await?)
    }

    /// Whether a key of the vault wraps any secret of the service. Adding a secret then needs the vault, too.
    pub async fn has_wrapped_secrets(&self) -> Result<bool, StoreError> {
        let found: i64 = query(format!(
            "SELECT (SELECT COUNT(*) FROM signing_keys WHERE wrapped_by IS NOT NULL) \
             + (SELECT COUNT(*) FROM {ENDPOINTS} w WHERE w.wrapped_by IS NOT NULL)"
        ))
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
                let key = change.before.key();
                let rows = query(format!(
                    "UPDATE {} SET secret = $1, wrapped_by = $2 WHERE {} = $3 AND secret = $4",
                    key.table(),
                    key.column()
                ))
                .bind(&change.secret.text)
                .bind(&change.secret.wrapped_by)
                .bind(key.value())
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
