//! What a node knows of the signing keys, as of one look into the database.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use store::StoredSigningKey;

use super::at_rest::opened;
use super::{SigningError, SigningKey};
use crate::keys::card_vault::CardVault;

/// The keys as they were read.
pub(super) struct KnownKeys {
    /// When; absent, never.
    pub(super) read_at: Option<Instant>,
    /// The one that signs.
    pub(super) active: Option<Arc<SigningKey>>,
    keys: HashMap<String, KnownKey>,
    /// The vault's key that is missing for the key that should sign.
    missing: Option<String>,
}

struct KnownKey {
    /// Absent, it is ended or cannot be opened.
    key: Option<Arc<SigningKey>>,
    ends_at: Option<i64>,
}

impl KnownKeys {
    /// Before the first look.
    pub(super) fn nothing() -> Self {
        Self {
            read_at: None,
            active: None,
            keys: HashMap::new(),
            missing: None,
        }
    }

    /// Makes the keys of what is stored, the newest first; those that were opened `before` are not opened again.
    pub(super) fn read(
        stored: &[StoredSigningKey],
        before: &Self,
        vault: Option<&CardVault>,
        read_at: Instant,
        now_ms: i64,
    ) -> Self {
        let mut known = Self {
            read_at: Some(read_at),
            ..Self::nothing()
        };
        let mut has_active = false;
        for row in stored {
            let key = row
                .is_valid_at(now_ms)
                .then(|| before.opened_before(row, vault))
                .flatten();
            // The newest that nobody ended signs; an older one does not take its place when it cannot be opened.
            if row.ends_at.is_none() && !row.private_key.is_empty() && !has_active {
                has_active = true;
                known.active.clone_from(&key);
                known.missing = row.wrapped_by.clone().filter(|_| key.is_none());
            }
            let known_key = KnownKey {
                key,
                ends_at: row.ends_at,
            };
            known.keys.insert(row.id.clone(), known_key);
        }
        known
    }

    fn opened_before(&self, row: &StoredSigningKey, vault: Option<&CardVault>) -> Option<Arc<SigningKey>> {
        let known = self.keys.get(&row.id).and_then(|known| known.key.clone());
        known.or_else(|| opened(row, vault).map(Arc::new))
    }

    /// How old it is.
    pub(super) fn age(&self) -> Duration {
        self.read_at.map_or(Duration::MAX, |read_at| read_at.elapsed())
    }

    /// Whether there is a key of this id, be it ended.
    pub(super) fn has(&self, id: &str) -> bool {
        self.keys.contains_key(id)
    }

    /// The key of this id, while what it signed counts.
    pub(super) fn key(&self, id: &str, now_ms: i64) -> Option<Arc<SigningKey>> {
        let known = self.keys.get(id)?;
        let counts = known.ends_at.is_none_or(|ends_at| ends_at > now_ms);
        known.key.clone().filter(|_| counts)
    }

    /// Why no key signs.
    pub(super) fn why_none(&self) -> SigningError {
        self.missing
            .clone()
            .map_or(SigningError::Key, SigningError::Wrapped)
    }
}
