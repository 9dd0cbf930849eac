//! The keys that sign client secrets and payloads, shared by all nodes of one database.

use serde::Deserialize;
use serde_json::json;

use super::audit_log::{Actor, AuditAction, note};
use super::sql::query;
use super::write::retried;
use super::{Store, StoreError};

/// A signing key as it is stored.
#[derive(Clone, PartialEq, Eq, Deserialize)]
pub struct StoredSigningKey {
    /// `sig_…`, the `kid` of the tokens that it signs.
    pub id: String,
    /// Ed25519, PKCS #8, base64, or the wrapped form of it; empty for a key that has ended.
    pub private_key: String,
    /// The vault's key that wraps it; `None` if it is not wrapped.
    pub wrapped_by: Option<String>,
    /// Unix milliseconds.
    pub created_at: i64,
    /// When its signatures stop being valid.
    pub ends_at: Option<i64>,
}

/// Says nothing of the key.
impl std::fmt::Debug for StoredSigningKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoredSigningKey")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

impl StoredSigningKey {
    /// Whether its signatures are valid at `now_ms`.
    pub fn is_valid_at(&self, now_ms: i64) -> bool {
        self.ends_at.is_none_or(|ends_at| ends_at > now_ms) && !self.private_key.is_empty()
    }
}

impl Store {
    /// Adds a signing key, which signs from now on. With `others_until` the other keys end then, unless they end
    /// earlier.
    pub async fn add_signing_key(
        &self,
        key: &StoredSigningKey,
        others_until: Option<i64>,
        by: &Actor,
    ) -> Result<(), StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            if let Some(until) = others_until {
                query("UPDATE signing_keys SET ends_at = $1 WHERE ends_at IS NULL OR ends_at > $2")
                    .bind(until)
                    .bind(until)
                    .execute(&mut tx)
                    .await?;
            }
            // A key that has ended needs no private key any more.
            query("UPDATE signing_keys SET private_key = '', wrapped_by = NULL WHERE ends_at <= $1")
                .bind(by.at)
                .execute(&mut tx)
                .await?;
            query(
                "INSERT INTO signing_keys (id, private_key, wrapped_by, created_at, ends_at) \
                 VALUES ($1, $2, $3, $4, $5)",
            )
            .bind(&key.id)
            .bind(&key.private_key)
            .bind(&key.wrapped_by)
            .bind(key.created_at)
            .bind(key.ends_at)
            .execute(&mut tx)
            .await?;
            let detail = json!({ "wrapped_by": key.wrapped_by });
            note(&mut tx, by, AuditAction::SigningKeyAdded, &key.id, &detail).await?;
            tx.commit().await
        })
        .await
    }

    /// Ends a signing key at once and deletes its private key; false if there is none with this id, or it ended before.
    pub async fn revoke_signing_key(&self, id: &str, by: &Actor) -> Result<bool, StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            let ended = query(
                "UPDATE signing_keys SET ends_at = $1, private_key = '', wrapped_by = NULL \
                 WHERE id = $2 AND (ends_at IS NULL OR ends_at > $3)",
            )
            .bind(by.at)
            .bind(id)
            .bind(by.at)
            .execute(&mut tx)
            .await?;
            if ended > 0 {
                note(&mut tx, by, AuditAction::SigningKeyRevoked, id, &json!({})).await?;
            }
            tx.commit().await?;
            Ok(ended > 0)
        })
        .await
    }

    /// Replaces the key `before` with `wrapped`, unless another node was faster.
    pub async fn wrap_signing_key(
        &self,
        before: &StoredSigningKey,
        wrapped: &StoredSigningKey,
        by: &Actor,
    ) -> Result<(), StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            let changed = query(
                "UPDATE signing_keys SET private_key = $1, wrapped_by = $2 WHERE id = $3 AND private_key = $4",
            )
            .bind(&wrapped.private_key)
            .bind(&wrapped.wrapped_by)
            .bind(&before.id)
            .bind(&before.private_key)
            .execute(&mut tx)
            .await?;
            if changed > 0 {
                let detail = json!({ "wrapped_by": wrapped.wrapped_by });
                note(&mut tx, by, AuditAction::SigningKeyWrapped, &before.id, &detail).await?;
            }
            tx.commit().await
        })
        .await
    }

    /// All signing keys, ended ones too, the newest first.
    pub async fn signing_keys(&self) -> Result<Vec<StoredSigningKey>, StoreError> {
        Ok(query(
            "SELECT id, private_key, wrapped_by, created_at, ends_at FROM signing_keys \
             ORDER BY created_at DESC, id DESC",
        )
        .fetch_all(&self.readers)
        .await?)
    }
}
