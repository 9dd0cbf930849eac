//! Merchants and their secret keys.

use sqlx::FromRow;

use super::write::retried;
use super::{Store, StoreError};
use crate::ids::sha256_hex;

/// A merchant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partner {
    /// `partner_…`.
    pub id: String,
    /// As the operator named it.
    pub name: String,
    /// The origins that may embed the form; empty for any.
    pub allowed_origins: Vec<String>,
    /// Unix milliseconds.
    pub created_at: i64,
}

#[derive(FromRow)]
struct Row {
    id: String,
    name: String,
    allowed_origins: String,
    created_at: i64,
}

impl TryFrom<Row> for Partner {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<Self, StoreError> {
        Ok(Self {
            id: row.id,
            name: row.name,
            allowed_origins: serde_json::from_str(&row.allowed_origins)
                .map_err(|_| StoreError::Unusable("list of allowed origins"))?,
            created_at: row.created_at,
        })
    }
}

impl Store {
    /// Adds a merchant with its first secret key, or changes the name and the origins of the one with this id and
    /// gives it this key besides.
    pub async fn put_partner(&self, partner: &Partner, secret_key: &str) -> Result<(), StoreError> {
        retried(|| self.put_partner_once(partner, secret_key)).await
    }

    async fn put_partner_once(&self, partner: &Partner, secret_key: &str) -> Result<(), StoreError> {
        let origins = serde_json::Value::from(partner.allowed_origins.clone()).to_string();
        let mut tx = self.write().await?;
        sqlx::query(
            "INSERT INTO partners (id, name, allowed_origins, created_at) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (id) DO UPDATE SET name = excluded.name, allowed_origins = excluded.allowed_origins",
        )
        .bind(&partner.id)
        .bind(&partner.name)
        .bind(origins)
        .bind(partner.created_at)
        .execute(&mut *tx)
        .await?;
        sqlx::query("INSERT INTO secret_keys (sha256, partner_id, created_at) VALUES ($1, $2, $3)")
            .bind(sha256_hex(secret_key.as_bytes()))
            .bind(&partner.id)
            .bind(partner.created_at)
            .execute(&mut *tx)
            .await?;
        tx.commit().await
    }

    /// Withdraws all secret keys of a merchant.
    pub async fn revoke_secret_keys(&self, partner_id: &str) -> Result<(), StoreError> {
        let mut tx = self.write().await?;
        sqlx::query("DELETE FROM secret_keys WHERE partner_id = $1")
            .bind(partner_id)
            .execute(&mut *tx)
            .await?;
        tx.commit().await
    }

    /// The merchant with this id.
    pub async fn partner(&self, id: &str) -> Result<Option<Partner>, StoreError> {
        sqlx::query_as::<_, Row>("SELECT id, name, allowed_origins, created_at FROM partners WHERE id = $1")
            .bind(id)
            .fetch_optional(&self.readers)
            .await?
            .map(Partner::try_from)
            .transpose()
    }

    /// The merchant whose secret key this is. Looking up the digest takes the same time for every wrong key.
    pub async fn partner_by_secret_key(&self, secret_key: &str) -> Result<Option<Partner>, StoreError> {
        sqlx::query_as::<_, Row>(
            "SELECT p.id, p.name, p.allowed_origins, p.created_at \
             FROM secret_keys k JOIN partners p ON p.id = k.partner_id WHERE k.sha256 = $1",
        )
        .bind(sha256_hex(secret_key.as_bytes()))
        .fetch_optional(&self.readers)
        .await?
        .map(Partner::try_from)
        .transpose()
    }

    /// All merchants, the oldest first.
    pub async fn partners(&self) -> Result<Vec<Partner>, StoreError> {
        sqlx::query_as::<_, Row>(
            "SELECT id, name, allowed_origins, created_at FROM partners ORDER BY created_at, id",
        )
        .fetch_all(&self.readers)
        .await?
        .into_iter()
        .map(Partner::try_from)
        .collect()
    }
}
