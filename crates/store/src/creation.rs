//! Creates charges idempotently: for 24 hours the same key with the same body gives the same charge.

use serde::Deserialize;

use super::charge::{self, Charge};
use super::sql::query;
use super::write::{Tx, retried};
use super::{Store, StoreError};

/// The request that made a charge: the data that a repeated answer needs.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Creation {
    /// The charge that was made.
    pub charge_id: String,
    /// The SHA-256 of the request's body.
    pub body_sha256: String,
    /// The `jti` of the client secret in the answer.
    pub token_id: String,
    /// The key that signed it.
    pub signing_key_id: String,
    /// When it expires, in unix milliseconds.
    pub expires_at: i64,
    /// When the charge was made, in unix milliseconds.
    pub created_at: i64,
}

/// The key of a creation, and since when keys are valid.
#[derive(Debug, Clone, Copy)]
pub struct CreationKey<'a> {
    /// The merchant's `Idempotency-Key`.
    pub idempotency_key: &'a str,
    /// Keys used before this time, in unix milliseconds, are deleted.
    pub counts_from: i64,
}

/// The result of a request to create a charge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CreationOutcome {
    /// It was created now.
    Made,
    /// The key was used before, for this creation.
    Before(Creation),
}

impl Store {
    /// Adds a charge; with a key, only if that key was not used before.
    pub async fn add_charge(
        &self,
        charge: &Charge,
        creation: &Creation,
        key: Option<CreationKey<'_>>,
    ) -> Result<CreationOutcome, StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            let mut made = CreationOutcome::Made;
            if let Some(key) = key {
                made = made_before(&mut tx, &charge.partner_id, key).await?;
            }
            if made == CreationOutcome::Made {
                charge::insert(&mut tx, charge).await?;
                if let Some(key) = key {
                    note_key(&mut tx, &charge.partner_id, key, creation).await?;
                }
            }
            tx.commit().await?;
            Ok(made)
        })
        .await
    }
}

/// The earlier creation with this key, if the key is still valid; otherwise `Made`.
pub(super) async fn made_before(
    tx: &mut Tx,
    partner_id: &str,
    key: CreationKey<'_>,
) -> Result<CreationOutcome, StoreError> {
    query("DELETE FROM creations WHERE partner_id = $1 AND created_at < $2")
        .bind(partner_id)
        .bind(key.counts_from)
        .execute(&mut *tx)
        .await?;
    let before: Option<Creation> = query(
        "SELECT charge_id, body_sha256, token_id, signing_key_id, expires_at, created_at \
         FROM creations WHERE partner_id = $1 AND idempotency_key = $2",
    )
    .bind(partner_id)
    .bind(key.idempotency_key)
    .fetch_optional(tx)
    .await?;
    Ok(before.map_or(CreationOutcome::Made, CreationOutcome::Before))
}

/// Stores the creation with the key.
pub(super) async fn note_key(
    tx: &mut Tx,
    partner_id: &str,
    key: CreationKey<'_>,
    creation: &Creation,
) -> Result<(), StoreError> {
    query(
        "INSERT INTO creations (partner_id, idempotency_key, body_sha256, charge_id, token_id, \
         signing_key_id, expires_at, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(partner_id)
    .bind(key.idempotency_key)
    .bind(&creation.body_sha256)
    .bind(&creation.charge_id)
    .bind(&creation.token_id)
    .bind(&creation.signing_key_id)
    .bind(creation.expires_at)
    .bind(creation.created_at)
    .execute(tx)
    .await?;
    Ok(())
}
