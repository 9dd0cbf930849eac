//! Merchants' secret keys: each one's digest, its merchant, and when it ends.

use protocol::ids::sha256_hex;
use serde::Deserialize;
use serde_json::json;

use super::audit_log::{Actor, AuditAction, note};
use super::sql::query;
use super::write::{Tx, retried};
use super::{Store, StoreError};

/// A new secret key, which is not stored.
#[derive(Clone, Copy)]
pub struct NewSecretKey<'a> {
    /// `key_…`: its id.
    pub id: &'a str,
    /// `sk_…`: the key itself.
    pub secret: &'a str,
}

/// A secret key as the operator sees it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct SecretKey {
    /// `key_…`.
    pub id: String,
    /// Its last four characters; empty for a key of a version that did not keep them.
    pub ends_with: String,
    /// Unix milliseconds.
    pub created_at: i64,
    /// When it stops being valid.
    pub ends_at: Option<i64>,
    /// It was ended at once.
    pub revoked: bool,
}

impl SecretKey {
    /// Whether it is valid at `now_ms`.
    pub fn is_good(&self, now_ms: i64) -> bool {
        !self.revoked && self.ends_at.is_none_or(|ends_at| ends_at > now_ms)
    }
}

/// How many of a key's last characters are stored, of 32 random ones.
const CHARACTERS_KEPT: usize = 4;

impl Store {
    /// Gives a merchant another secret key. Its other keys end at `others_until`, unless they end earlier.
    pub async fn roll_secret_key(
        &self,
        partner_id: &str,
        key: NewSecretKey<'_>,
        others_until: i64,
        by: &Actor,
    ) -> Result<(), StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            query(
                "UPDATE secret_keys SET ends_at = $1 \
                 WHERE partner_id = $2 AND revoked = 0 AND (ends_at IS NULL OR ends_at > $3)",
            )
            .bind(others_until)
            .bind(partner_id)
            .bind(others_until)
            .execute(&mut tx)
            .await?;
            add_secret_key(&mut tx, partner_id, key, by).await?;
            tx.commit().await
        })
        .await
    }

    /// Ends a merchant's secret key at once; false if the merchant has no key with this id, or it ended before.
    pub async fn revoke_secret_key(
        &self,
        partner_id: &str,
        key_id: &str,
        by: &Actor,
    ) -> Result<bool, StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            let ended = query(
                "UPDATE secret_keys SET revoked = 1, ends_at = $1 \
                 WHERE partner_id = $2 AND id = $3 AND revoked = 0 AND (ends_at IS NULL OR ends_at > $4)",
            )
            .bind(by.at)
            .bind(partner_id)
            .bind(key_id)
            .bind(by.at)
            .execute(&mut tx)
            .await?;
            if ended > 0 {
                let detail = json!({ "key_id": key_id });
                note(&mut tx, by, AuditAction::SecretKeyRevoked, partner_id, &detail).await?;
            }
            tx.commit().await?;
            Ok(ended > 0)
        })
        .await
    }

    /// Deletes all secret keys of a merchant. The demo has new keys at each start.
    pub async fn delete_secret_keys(&self, partner_id: &str) -> Result<(), StoreError> {
        query("DELETE FROM secret_keys WHERE partner_id = $1")
            .bind(partner_id)
            .write(&self.writer)
            .await?;
        Ok(())
    }

    /// A merchant's secret keys, ended ones too, the newest first.
    pub async fn secret_keys(&self, partner_id: &str) -> Result<Vec<SecretKey>, StoreError> {
        Ok(query(
            "SELECT id, ends_with, created_at, ends_at, revoked FROM secret_keys WHERE partner_id = $1 \
             ORDER BY created_at DESC, id DESC",
        )
        .bind(partner_id)
        .fetch_all(&self.readers)
        .await?)
    }
}

/// Adds a key as a part of a transaction.
pub(super) async fn add_secret_key(
    tx: &mut Tx,
    partner_id: &str,
    key: NewSecretKey<'_>,
    by: &Actor,
) -> Result<(), StoreError> {
    let from = key.secret.len().saturating_sub(CHARACTERS_KEPT);
    query(
        "INSERT INTO secret_keys (sha256, partner_id, created_at, id, ends_with) VALUES ($1, $2, $3, $4, $5)",
    )
    .bind(sha256_hex(key.secret.as_bytes()))
    .bind(partner_id)
    .bind(by.at)
    .bind(key.id)
    .bind(key.secret.get(from..).unwrap_or_default())
    .execute(&mut *tx)
    .await?;
    let detail = json!({ "key_id": key.id });
    note(tx, by, AuditAction::SecretKeyAdded, partner_id, &detail).await
}
