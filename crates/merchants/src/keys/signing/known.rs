//! A node's copy of the signing keys, from one read of the database.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use store::StoredSigningKey;

use super::at_rest::{is_refused, opened};
use super::{SigningError, SigningKey};
use crate::keys::card_vault::CardVault;

/// The keys as they were read.
pub(super) struct KnownKeys {
    /// When they were read; `None` before the first read.
    pub(super) read_at: Option<Instant>,
    /// The key that signs.
    pub(super) active: Option<Arc<SigningKey>>,
    keys: HashMap<String, KnownKey>,
    /// The id of the vault's key that is missing, if it wraps the key that should sign.
    missing: Option<String>,
    /// The ids of the keys that are refused because they are not wrapped.
    pub(super) refused: HashSet<String>,
}

struct KnownKey {
    /// `None` if it has ended or cannot be opened.
    key: Option<Arc<SigningKey>>,
    ends_at: Option<i64>,
}

impl KnownKeys {
    /// The copy before the first read.
    pub(super) fn nothing() -> Self {
        Self {
            read_at: None,
            active: None,
            keys: HashMap::new(),
            missing: None,
            refused: HashSet::new(),
        }
    }

    /// Opens the stored keys, which are ordered newest first. Keys that are open in `before` are taken from there.
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
            let is_refused = is_refused(row, vault.is_some());
            if is_refused {
                known.refused.insert(row.id.clone());
            }
            let key = (row.is_valid_at(now_ms) && !is_refused)
                .then(|| before.known_or_opened(row, vault))
                .flatten();
            // The newest key without an end signs. If it cannot be opened, no older one takes its place; but a refused
            // one does not keep the service's own key from signing.
            if row.ends_at.is_none() && !row.private_key.is_empty() && !is_refused && !has_active {
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

    fn known_or_opened(&self, row: &StoredSigningKey, vault: Option<&CardVault>) -> Option<Arc<SigningKey>> {
        let known = self.keys.get(&row.id).and_then(|known| known.key.clone());
        known.or_else(|| opened(row, vault).map(Arc::new))
    }

    /// The age of the copy.
    pub(super) fn age(&self) -> Duration {
        self.read_at.map_or(Duration::MAX, |read_at| read_at.elapsed())
    }

    /// Whether the key exists, also if it has ended.
    pub(super) fn has(&self, id: &str) -> bool {
        self.keys.contains_key(id)
    }

    /// The key with this id, if it is still valid.
    pub(super) fn key(&self, id: &str, now_ms: i64) -> Option<Arc<SigningKey>> {
        let known = self.keys.get(id)?;
        let counts = known.ends_at.is_none_or(|ends_at| ends_at > now_ms);
        known.key.clone().filter(|_| counts)
    }

    /// Why no key signs.
    pub(super) fn no_active_key_error(&self) -> SigningError {
        self.missing
            .clone()
            .map_or(SigningError::Key, SigningError::Wrapped)
    }
}
