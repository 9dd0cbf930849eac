//! The keys that sign what the service gives out and believes when it comes back: client secrets, experiment tokens,
//! payloads. All nodes of a database share them; each looks for changes at least every second, so that a new key signs
//! and a revoked one stops counting within seconds, without a restart.
//!
//! In the database a signing key is wrapped by the vault's key ring, if there is one.

mod at_rest;
pub mod client_secret;
mod key;
mod known;
pub mod payload_signature;

use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use model::clock::Clock;
use model::ids::{IdKind, new_id};
use store::{Actor, Store, StoreError, StoredSigningKey};
use thiserror::Error;
use tokio::sync::Mutex;

use crate::keys::card_vault::CardVault;

pub use at_rest::rewrap_signing_keys;
pub use key::SigningKey;
use known::KnownKeys;

/// How old what is known of the keys may be before somebody who needs one looks again.
const LOOKED_AT_EVERY: Duration = Duration::from_secs(1);
/// How old it may be while that look takes its time, or fails.
const BELIEVED_FOR: Duration = Duration::from_secs(5);

/// The keys that count at `now_ms`, the newest first, as far as `vault` opens them. Nothing is changed: for who looks at a
/// service's database without being one of its nodes.
pub async fn keys_that_count(
    store: &Store,
    vault: Option<&CardVault>,
    now_ms: i64,
) -> Result<Vec<SigningKey>, StoreError> {
    let stored = store.signing_keys().await?;
    let counting = stored.iter().filter(|row| row.is_valid_at(now_ms));
    Ok(counting.filter_map(|row| at_rest::opened(row, vault)).collect())
}

/// The signing keys of the moment.
pub struct SigningKeys {
    store: Store,
    clock: Clock,
    vault: Option<Arc<CardVault>>,
    // A std lock: it is held for a look and never across an await.
    known: RwLock<Arc<KnownKeys>>,
    /// Held by whoever looks into the database, so that one does at a time.
    looking: Mutex<()>,
}

/// Why nothing can be signed or checked. The messages are for the operator.
#[derive(Debug, Error)]
pub enum SigningError {
    /// The keys could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is no usable signing key.
    #[error("there is no usable key to sign client secrets with")]
    Key,
    /// The key is wrapped, and the vault's key that wraps it is not there.
    #[error(
        "the key that signs client secrets is wrapped by the vault's key {0}, which vault_key_file has not"
    )]
    Wrapped(String),
}

impl SigningKeys {
    /// The keys of this database, at which nobody has looked yet.
    pub fn new(store: Store, clock: Clock, vault: Option<Arc<CardVault>>) -> Self {
        Self {
            known: RwLock::new(Arc::new(KnownKeys::nothing())),
            looking: Mutex::new(()),
            store,
            clock,
            vault,
        }
    }

    /// Reads the signing keys, and makes the first one when there is none. Two nodes that do so at once make two keys,
    /// of which each node learns.
    pub async fn load(
        store: Store,
        clock: Clock,
        vault: Option<Arc<CardVault>>,
    ) -> Result<Self, SigningError> {
        let keys = Self::new(store, clock, vault);
        if keys.stored().await?.is_empty() {
            keys.add(None, &keys.by_service()).await?;
        }
        // A node that can sign nothing does not start.
        keys.active().await?;
        Ok(keys)
    }

    /// The key that signs now.
    pub async fn active(&self) -> Result<Arc<SigningKey>, SigningError> {
        let known = self.known().await?;
        known.active.clone().ok_or_else(|| known.why_none())
    }

    /// The key of this id, while what it signed counts.
    pub async fn key(&self, id: &str) -> Result<Option<Arc<SigningKey>>, SigningError> {
        let now = self.clock.now_ms();
        let known = self.known().await?;
        if known.has(id) {
            return Ok(known.key(id, now));
        }
        // Another node may have made it a moment ago.
        if self.stored().await?.iter().any(|stored| stored.id == id) {
            return Ok(self.look().await?.key(id, now));
        }
        Ok(None)
    }

    /// Makes a new key, which signs from now on. With `others_until`, what the others signed counts until then.
    pub async fn add(&self, others_until: Option<i64>, by: &Actor) -> Result<String, SigningError> {
        let der = key::generate()?;
        let id = new_id(IdKind::SigningKey, &self.clock);
        let stored = at_rest::stored(self.vault.as_deref(), id, &der, by.at)?;
        self.store.add_signing_key(&stored, others_until, by).await?;
        Ok(stored.id)
    }

    /// What is known of the keys, not older than [`LOOKED_AT_EVERY`]; a little older while somebody else looks.
    async fn known(&self) -> Result<Arc<KnownKeys>, SigningError> {
        let known = self.remembered();
        let age = known.age();
        if age < LOOKED_AT_EVERY {
            return Ok(known);
        }
        if age >= BELIEVED_FOR {
            return self.look().await;
        }
        let Ok(_looking) = self.looking.try_lock() else {
            return Ok(known);
        };
        match self.read().await {
            Ok(known) => Ok(known),
            Err(cause) => {
                tracing::warn!(%cause, "the signing keys could not be looked at");
                Ok(known)
            }
        }
    }

    /// Looks into the database, after whoever is at it.
    async fn look(&self) -> Result<Arc<KnownKeys>, SigningError> {
        let asked = Instant::now();
        let _looking = self.looking.lock().await;
        let known = self.remembered();
        if known.read_at.is_some_and(|read_at| read_at > asked) {
            return Ok(known);
        }
        self.read().await
    }

    /// Reads the keys, wraps those that are not, and remembers them.
    async fn read(&self) -> Result<Arc<KnownKeys>, SigningError> {
        let read_at = Instant::now();
        let stored = self.stored().await?;
        if let Some(vault) = &self.vault {
            let by = self.by_service();
            at_rest::wrap_plain_keys(&self.store, vault, &stored, &by).await?;
        }
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
        Ok(fresh)
    }

    fn remembered(&self) -> Arc<KnownKeys> {
        Arc::clone(&self.known.read().unwrap_or_else(PoisonError::into_inner))
    }

    async fn stored(&self) -> Result<Vec<StoredSigningKey>, StoreError> {
        self.store.signing_keys().await
    }

    fn by_service(&self) -> Actor {
        Actor::service(self.clock.now_ms())
    }
}
