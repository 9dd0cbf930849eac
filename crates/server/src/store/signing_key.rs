//! The keys that sign client secrets, shared by all nodes of one database.

use sqlx::FromRow;

use super::{Store, StoreError};

/// A signing key as it is stored.
#[derive(Clone, FromRow)]
pub struct StoredSigningKey {
    /// `sig_…`, the `kid` of the tokens it signs.
    pub id: String,
    /// Ed25519, PKCS #8, base64.
    pub private_key: String,
    /// Unix milliseconds.
    pub created_at: i64,
}

impl Store {
    /// Adds a signing key. The newest key signs.
    pub async fn add_signing_key(&self, key: &StoredSigningKey) -> Result<(), StoreError> {
        let mut tx = self.write().await?;
        sqlx::query("INSERT INTO signing_keys (id, private_key, created_at) VALUES ($1, $2, $3)")
            .bind(&key.id)
            .bind(&key.private_key)
            .bind(key.created_at)
            .execute(&mut *tx)
            .await?;
        tx.commit().await
    }

    /// All signing keys, the newest first.
    pub async fn signing_keys(&self) -> Result<Vec<StoredSigningKey>, StoreError> {
        Ok(sqlx::query_as(
            "SELECT id, private_key, created_at FROM signing_keys ORDER BY created_at DESC, id DESC",
        )
        .fetch_all(&self.readers)
        .await?)
    }

    /// The signing key with this id, perhaps one that another node made.
    pub async fn signing_key(&self, id: &str) -> Result<Option<StoredSigningKey>, StoreError> {
        Ok(
            sqlx::query_as("SELECT id, private_key, created_at FROM signing_keys WHERE id = $1")
                .bind(id)
                .fetch_optional(&self.readers)
                .await?,
        )
    }
}
