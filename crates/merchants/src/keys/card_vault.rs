//! The vault with the service's key ring. The ring is read again when its file changes, so that keys can be rotated
//! while the service runs.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

use protocol::SecretSource;
use thiserror::Error;
use vault::{CardRecord, Fingerprints, KeyRing, KeyRingError, Pan, SealError, Sealed};
use zeroize::Zeroizing;

/// Seals and opens card numbers with the key ring in use.
#[derive(Debug)]
pub struct CardVault {
    source: SecretSource,
    // A std lock, because no await happens while it is held.
    ring: RwLock<Loaded>,
}

#[derive(Debug, Clone)]
struct Loaded {
    ring: Arc<KeyRing>,
    stamp: Option<Stamp>,
}

/// The time of a file's last change, and its length: together they show whether the file has changed.
type Stamp = (SystemTime, u64);

/// Why the keys cannot be used. The text is one line for the operator.
#[derive(Debug, Error)]
pub enum KeysError {
    /// The file cannot be read.
    #[error("cannot read the vault's keys in {0}: {1}")]
    File(PathBuf, std::io::Error),
    /// The content of the file is not a key ring.
    #[error("cannot use the vault's keys in {0}: {1}")]
    FileRing(PathBuf, KeyRingError),
    /// The value of the setting is not a key ring.
    #[error("cannot use the setting vault_keys: {0}")]
    SettingRing(KeyRingError),
}

impl CardVault {
    /// Reads the keys.
    pub fn open(source: SecretSource) -> Result<Self, KeysError> {
        let loaded = match &source {
            SecretSource::File(path) => load(path)?,
            SecretSource::Setting(text) => Loaded {
                ring: Arc::new(KeyRing::parse(text.expose()).map_err(KeysError::SettingRing)?),
                stamp: None,
            },
        };
        Ok(Self {
            source,
            ring: RwLock::new(loaded),
        })
    }

    /// Seals a number for a record. Also returns the number's fingerprints, made with the same keys.
    pub fn seal(&self, pan: &Pan, record: CardRecord<'_>) -> Result<(Sealed, Fingerprints), SealError> {
        let ring = self.ring();
        Ok((ring.seal(pan, record)?, ring.fingerprints(pan, record)))
    }

    /// Opens a number that was sealed for this record.
    pub fn unseal(&self, sealed: &Sealed, record: CardRecord<'_>) -> Result<Pan, SealError> {
        self.ring().open(sealed, record)
    }

    /// The key ring in use. If the changed file cannot be used, that is logged and the ring before stays.
    pub fn ring(&self) -> Arc<KeyRing> {
        let loaded = self.ring.read().unwrap_or_else(PoisonError::into_inner).clone();
        let SecretSource::File(path) = &self.source else {
            return loaded.ring;
        };
        // Reading the metadata of a local file is cheaper than a switch to another thread.
        if stamp(path).ok() == loaded.stamp {
            return loaded.ring;
        }
        match load(path) {
            Ok(fresh) => {
                tracing::info!(
                    active = fresh.ring.active_id(),
                    "the vault's keys were read again"
                );
                let ring = Arc::clone(&fresh.ring);
                *self.ring.write().unwrap_or_else(PoisonError::into_inner) = fresh;
                ring
            }
            Err(cause) => {
                tracing::error!(%cause, "the vault's changed key file cannot be used; the keys before stay in use");
                loaded.ring
            }
        }
    }
}

fn load(path: &Path) -> Result<Loaded, KeysError> {
    let unreadable = |error| KeysError::File(path.to_owned(), error);
    // The stamp is taken before reading, so that a change in between is noticed at the next check.
    let stamp = stamp(path).map_err(unreadable)?;
    let text = Zeroizing::new(std::fs::read_to_string(path).map_err(unreadable)?);
    let ring = KeyRing::parse(&text).map_err(|error| KeysError::FileRing(path.to_owned(), error))?;
    Ok(Loaded {
        ring: Arc::new(ring),
        stamp: Some(stamp),
    })
}

fn stamp(path: &Path) -> Result<Stamp, std::io::Error> {
    let metadata = std::fs::metadata(path)?;
    Ok((metadata.modified()?, metadata.len()))
}

#[cfg(test)]
mod tests;
