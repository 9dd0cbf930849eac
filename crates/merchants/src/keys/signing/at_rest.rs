//! Signing keys in the database: wrapped by the vault's key ring, so that neither a copy of the database nor write access
//! to it is enough to sign.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use store::{Actor, Store, StoredSigningKey};
use vault::{KeyRing, WrappedSecret};
use zeroize::Zeroizing;

use super::{SigningError, SigningKey};
use crate::keys::card_vault::CardVault;

/// The purpose to which the ring binds the wrapped key.
const PURPOSE: &str = "signing key";

/// A key as it is stored: wrapped if there is a vault.
pub(super) fn stored(
    vault: Option<&CardVault>,
    id: String,
    der: &[u8],
    created_at: i64,
) -> Result<StoredSigningKey, SigningError> {
    let plain = StoredSigningKey {
        private_key: STANDARD.encode(der),
        wrapped_by: None,
        id,
        created_at,
        ends_at: None,
    };
    match vault {
        Some(vault) => wrapped(&vault.ring(), &plain, der).ok_or(SigningError::Key),
        None => Ok(plain),
    }
}

/// Opens a stored key; `None` if it is damaged, refused, or wrapped by a missing key.
pub(super) fn opened(stored: &StoredSigningKey, vault: Option<&CardVault>) -> Option<SigningKey> {
    if is_refused(stored, vault.is_some()) {
        return None;
    }
    let der = match &stored.wrapped_by {
        None => plain(stored)?,
        Some(_) => unwrapped(&vault?.ring(), stored)?,
    };
    SigningKey::from_der(&stored.id, &der)
}

/// Whether the key is refused because it is not wrapped: a service with a vault wraps its keys, so another program wrote
/// this one.
pub fn is_refused(stored: &StoredSigningKey, has_vault: bool) -> bool {
    has_vault && stored.wrapped_by.is_none() && !stored.private_key.is_empty()
}

/// The result of wrapping signing keys.
#[derive(Debug, Default)]
pub struct RewrappedKeys {
    /// How many keys were wrapped with the active key.
    pub rewrapped: u64,
    /// The ids of the keys that no key of the ring opens.
    pub unusable: Vec<String>,
    /// The ids of the keys that are not wrapped and were left so.
    pub plain: Vec<String>,
}

/// Wraps the signing keys with the ring's active key; those that are not wrapped only with `wrap_plain`.
pub async fn rewrap_signing_keys(
    store: &Store,
    ring: &KeyRing,
    wrap_plain: bool,
    by: &Actor,
) -> Result<RewrappedKeys, SigningError> {
    let mut done = RewrappedKeys::default();
    for key in store.signing_keys().await? {
        if !key.is_valid_at(by.at) || key.wrapped_by.as_deref() == Some(ring.active_id()) {
            continue;
        }
        let der = match &key.wrapped_by {
            None if wrap_plain => plain(&key),
            None => {
                done.plain.push(key.id);
                continue;
            }
            Some(_) => unwrapped(ring, &key),
        };
        match der.and_then(|der| wrapped(ring, &key, &der)) {
            Some(changed) => {
                store.wrap_signing_key(&key, &changed, by).await?;
                done.rewrapped += 1;
            }
            None => done.unusable.push(key.id),
        }
    }
    Ok(done)
}

fn plain(key: &StoredSigningKey) -> Option<Zeroizing<Vec<u8>>> {
    STANDARD.decode(&key.private_key).ok().map(Zeroizing::new)
}

fn wrapped(ring: &KeyRing, key: &StoredSigningKey, der: &[u8]) -> Option<StoredSigningKey> {
    let secret = ring.wrap_secret(PURPOSE, &key.id, der).ok()?;
    Some(StoredSigningKey {
        private_key: secret.text,
        wrapped_by: Some(secret.key_id),
        ..key.clone()
    })
}

fn unwrapped(ring: &KeyRing, key: &StoredSigningKey) -> Option<Zeroizing<Vec<u8>>> {
    let secret = WrappedSecret {
        key_id: key.wrapped_by.clone()?,
        text: key.private_key.clone(),
    };
    ring.unwrap_secret(PURPOSE, &key.id, &secret).ok()
}
