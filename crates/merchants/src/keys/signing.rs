//! The keys that sign client secrets, experiment tokens and payloads, so that the service can trust them in a request. All
//! nodes of a database share the keys. A node that needs a key reads the keys again if its copy is older than a second.
//! So a new key signs, and an ended key is refused, within seconds and without a restart.
//!
//! In the database a signing key is wrapped by the vault's key ring, if there is one. Then a key that is not wrapped is
//! refused: it signs nothing, opens nothing, and is reported.

mod at_rest;
mod checked_tokens;
pub mod client_secret;
mod key;
mod known;
pub mod payload_signature;

use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use protocol::clock::Clock;
use protocol::ids::{IdKind, new_id};
use serde_json::json;
use store::{Actor, AuditAction, SqlError, Store, StoreError, StoredSigningKey};
use thiserror::Error;
use tokio::sync::Mutex;
use web::ApiError;

use crate::keys::card_vault::CardVault;

pub use at_rest::{RewrappedKeys, is_refused, rewrap_signing_keys};
pub use key::SigningKey;
use known::KnownKeys;

/// A copy of the keys that is older than this is read again when a key is needed.
const READ_INTERVAL: Duration = Duration::from_secs(1);
/// How old the copy may be while it is read again, or if reading fails.
const USABLE_FOR: Duration = Duration::from_secs(5);

/// The keys that are valid at `now_ms`, newest first, without those that `vault` cannot open. It changes nothing, so it
/// is also safe for a program that is not a node of the service.
pub async fn valid_keys(
    store: &Store,
    vault: Option<&CardVault>,
    now_ms: i64,
) -> Result<Vec<SigningKey>, StoreError> {
    let stored = store.signing_keys().await?;
    let valid = stored.iter().filter(|row| row.is_valid_at(now_ms));
    Ok(valid.filter_map(|row| at_rest::opened(row, vault)).collect())
}

/// The signing keys, with a copy in memory.
pub struct SigningKeys {
    store: Store,
    clock: Clock,
    vault: Option<Arc<CardVault>>,
    // A std lock, because no await happens while it is held.
    known: RwLock<Arc<KnownKeys>>,
    /// Held while the database is read, so that only one task reads it: when the last read that failed ended.
    reading: Mutex<Option<Instant>>,
}

/// Why nothing can be signed or checked. The texts are for the operator.
#[derive(Debug, Error)]
pub enum SigningError {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is no usable signing key.
    #[error("there is no usable key to sign client secrets with")]
    Key,
    /// The key is wrapped by a key that the vault does not have.
    #[error(
        "the key that signs client secrets is wrapped by the vault's key {0}, which vault_key_file has not"
    )]
    Wrapped(String),
}

impl From<SigningError> for ApiError {
    fn from(cause: SigningError) -> Self {
        match cause {
            SigningError::Store(cause) => cause.into(),
            SigningError::Key | SigningError::Wrapped(_) => Self::internal(&cause),
        }
    }
}

impl SigningKeys {
    /// The keys of this database; not read yet.
    pub fn new(store: Store, clock: Clock, vault: Option<Arc<CardVault>>) -> Self {
        Self {
            known: RwLock::new(Arc::new(KnownKeys::nothing())),
            reading: Mutex::new(None),
            store,
            clock,
            vault,
        }
    }

    /// Reads the signing keys, and makes one if there is none or if all are refused. Two nodes that start at the same time
    /// make two keys, and each learns of both.
    pub async fn load(
        store: Store,
        clock: Clock,
        vault: Option<Arc<CardVault>>,
    ) -> Result<Self, SigningError> {
        let keys = Self::new(store, clock, vault);
        let has_vault = keys.vault.is_some();
        if keys.stored().await?.iter().all(|row| is_refused(row, has_vault)) {
            keys.add(None, &keys.service_actor()).await?;
        }
        // A node that cannot sign must not start.
        keys.active().await?;
        Ok(keys)
    }

    /// The key that signs now.
    pub async fn active(&self) -> Result<Arc<SigningKey>, SigningError> {
        let known = self.known().await?;
        known.active.clone().ok_or_else(|| known.no_active_key_error())
    }

    /// The key with this id; `None` if it does not exist or is no longer valid.
    pub async fn key(&self, id: &str) -> Result<Option<Arc<SigningKey>>, SigningError> {
        let now = self.clock.now_ms();
        let known = self.known().await?;
        if known.has(id) {
            return Ok(known.key(id, now));
        }
        // Another node may have made it a moment ago.
        if self.stored().await?.iter().any(|stored| stored.id == id) {
            return Ok(self.read_again().await?.key(id, now));
        }
        Ok(None)
    }

    /// Makes a new key, which signs from now on. With `others_until`, the other keys are valid until then.
    pub async fn add(&self, others_until: Option<i64>, by: &Actor) -> Result<String, SigningError> {
        let der = key::generate()?;
        let id = new_id(IdKind::SigningKey, &self.clock);
        let stored = at_rest::stored(self.vault.as_deref(), id, &der, by.at)?;
        self.store.add_signing_key(&stored, others_until, by).await?;
        Ok(stored.id)
    }

    /// The copy of the keys. It is at most [`READ_INTERVAL`] old, or [`USABLE_FOR`] while another task reads or if
    /// reading fails.
    async fn known(&self) -> Result<Arc<KnownKeys>, SigningError> {
        let known = self.remembered();
        let age = known.age();
        if age < READ_INTERVAL {
            return Ok(known);
        }
        if age >= USABLE_FOR {
            return self.read_again().await;
        }
        let Ok(_reading) = self.reading.try_lock() else {
            return Ok(known);
        };
        match self.read().await {
            Ok(known) => Ok(known),
            Err(cause) => {
                tracing::warn!(%cause, "the signing keys could not be read; the copy in memory stays in use");
                Ok(known)
            }
        }
    }

    /// Reads the keys. A call that waited for another task's read shares its failure, because a silent database would
    /// hold up each of them in turn; it shares its success if that read began later.
    async fn read_again(&self) -> Result<Arc<KnownKeys>, SigningError> {
        let asked = Instant::now();
        let mut failed_at = self.reading.lock().await;
        let known = self.remembered();
        if known.read_at > Some(asked) {
            return Ok(known);
        }
        if *failed_at > Some(asked) {
            return Err(StoreError::from(SqlError::Pool("the read that this call waited for failed")).into());
        }
        let read = self.read().await;
        if read.is_err() {
            *failed_at = Some(Instant::now());
        }
        read
    }

    /// Reads the keys, reports those that are refused, and keeps a copy.
    async fn read(&self) -> Result<Arc<KnownKeys>, SigningError> {
        let read_at = Instant::now();
        let stored = self.stored().await?;
        let before = self.remembered();
        let now = self.clock.now_ms();
        let fresh = Arc::new(KnownKeys::read(
            &stored,
            &before,
            self.vault.as_deref(),
            read_at,
            now,
        ));
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&fresh);
        for id in fresh.refused.difference(&before.refused) {
            self.report_refused(id).await;
        }
        Ok(fresh)
    }

    /// Reports a key that is not wrapped, in the log and in the audit log. Other keys work on, even if this fails.
    async fn report_refused(&self, id: &str) {
        tracing::error!(
            key_id = id,
            "a signing key in the database is not wrapped by the vault and is refused: if the service ran without a vault \
             before, run `cardform key rotate --wrap-plain`; otherwise somebody wrote to the database"
        );
        let recorded = self
            .store
            .record_action(
                &self.service_actor(),
                AuditAction::SigningKeyRefused,
                id,
                &json!({}),
            )
            .await;
        if let Err(cause) = recorded {
            tracing::error!(%cause, key_id = id, "the refused signing key could not be noted in the audit log");
        }
    }

    fn remembered(&self) -> Arc<KnownKeys> {
        Arc::clone(&self.known.read().unwrap_or_else(PoisonError::into_inner))
    }

    async fn stored(&self) -> Result<Vec<StoredSigningKey>, StoreError> {
        self.store.signing_keys().await
    }

    fn service_actor(&self) -> Actor {
        Actor::service(self.clock.now_ms())
    }
}

#[cfg(test)]
mod tests;
