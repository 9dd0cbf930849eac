//! Signing keys in the database: wrapped by the vault's key ring, so that a copy of the database is not enough to sign.

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

/// Opens a stored key; `None` if it is damaged, or wrapped by a missing key.
pub(super) fn opened(stored: &StoredSigningKey, vault: Option<&CardVault>) -> Option<SigningKey> {
    let der = match &stored.wrapped_by {
        None => Zeroizing::new(STANDARD.decode(&stored.private_key).ok()?),
        Some(_) => unwrapped(&vault?.ring(), stored)?,
    };
    SigningKey::from_der(&stored.id, &der)
}

/// Wraps keys that earlier versions or nodes without a vault have stored unwrapped.
pub(super) async fn wrap_plain_keys(
    store: &Store,
    vault: &CardVault,
    stored: &[StoredSigningKey],
    by: &Actor,
) -> Result<(), SigningError> {
    let plain = |key: &&StoredSigningKey| key.wrapped_by.is_none() && !key.private_key.is_empty();
    for key in stored.iter().filter(plain) {
        let Ok(der) = STANDARD.decode(&key.private_key).map(Zeroizing::new) else {
            continue;
        };
        let wrapped = wrapped(&vault.ring(), key, &der).ok_or(SigningError::Key)?;
        store.wrap_signing_key(key, &wrapped, by).await?;
        tracing::info!(
            key_id = key.id,
            "a signing key that lay in the database as it is was wrapped"
        );
    }
    Ok(())
}

/// Wraps the signing keys with the ring's active key. Returns how many, and the ids of those that no key of the ring
/// opens.
pub async fn rewrap_signing_keys(
    store: &Store,
    ring: &KeyRing,
    by: &Actor,
) -> Result<(u64, Vec<String>), SigningError> {
    let (mut rewrapped, mut unusable) = (0, Vec::new());
    for key in store.signing_keys().await? {
        if !key.is_valid_at(by.at) || key.wrapped_by.as_deref() == Some(ring.active_id()) {
            continue;
        }
        let der = match &key.wrapped_by {
            None => STANDARD.decode(&key.private_key).ok().map(Zeroizing::new),
            Some(_) => unwrapped(ring, &key),
        };
        match der.and_then(|der| wrapped(ring, &key, &der)) {
            Some(changed) => {
                store.wrap_signing_key(&key, &changed, by).await?;
                rewrapped += 1;
            }
            None => unusable.push(key.id),
        }
    }
    Ok((rewrapped, unusable))
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
