//! Webhook secrets in the database: each is wrapped by the vault's key ring for its merchant, so that a copy of the
//! database is not enough to sign an event.

use protocol::Sensitive;
use store::{Actor, RewrappedSecret, Store, StoreError, StoredWebhookSecret};
use thiserror::Error;
use vault::{KeyRing, WrappedSecret};

/// The purpose to which the ring binds the wrapped secret.
const PURPOSE: &str = "webhook secret";
/// How many secrets are wrapped in one transaction.
const SECRETS_PER_BATCH: i64 = 200;

/// Why a secret cannot be opened or wrapped. The text continues a sentence for the operator.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WebhookSecretError {
    /// The key that wraps it is not in the ring, or there is no ring.
    #[error("it is wrapped by the vault's key {0}, which vault_key_file has not")]
    NoKey(String),
    /// The key with this id does not open it.
    #[error("it does not open with the vault's key {0}: that is another key, or the database is damaged")]
    WrongKey(String),
    /// The ring cannot wrap it.
    #[error("it cannot be wrapped")]
    NotWrapped,
}

/// The result of wrapping secrets.
#[derive(Debug, Default)]
pub struct RewrappedSecrets {
    /// How many secrets were wrapped with the active key.
    pub rewrapped: u64,
    /// The merchants whose secrets cannot be opened or wrapped.
    pub unavailable: Vec<(String, WebhookSecretError)>,
}

/// A merchant's secret as it is stored: wrapped if there is a ring.
pub fn stored(
    ring: Option<&KeyRing>,
    partner_id: &str,
    secret: &Sensitive,
) -> Result<StoredWebhookSecret, WebhookSecretError> {
    let Some(ring) = ring else {
        return Ok(StoredWebhookSecret::plain(secret.expose()));
    };
    let wrapped = ring
        .wrap_secret(PURPOSE, partner_id, secret.expose().as_bytes())
        .map_err(|_| WebhookSecretError::NotWrapped)?;
    Ok(StoredWebhookSecret {
        text: wrapped.text,
        wrapped_by: Some(wrapped.key_id),
    })
}

/// Opens a merchant's secret: `whsec_…`.
pub fn opened(
    ring: Option<&KeyRing>,
    partner_id: &str,
    stored: &StoredWebhookSecret,
) -> Result<Sensitive, WebhookSecretError> {
    let Some(key_id) = &stored.wrapped_by else {
        return Ok(Sensitive::new(stored.text.clone()));
    };
    let ring = ring
        .filter(|ring| ring.knows(key_id))
        .ok_or_else(|| WebhookSecretError::NoKey(key_id.clone()))?;
    let wrapped = WrappedSecret {
        key_id: key_id.clone(),
        text: stored.text.clone(),
    };
    ring.unwrap_secret(PURPOSE, partner_id, &wrapped)
        .ok()
        .and_then(|bytes| std::str::from_utf8(&bytes).ok().map(str::to_owned))
        .map(Sensitive::new)
        .ok_or_else(|| WebhookSecretError::WrongKey(key_id.clone()))
}

/// Wraps the webhook secrets with the ring's active key.
pub async fn rewrap_webhook_secrets(
    store: &Store,
    ring: &KeyRing,
    by: &Actor,
) -> Result<RewrappedSecrets, StoreError> {
    let is_of_another = |secret: &StoredWebhookSecret| secret.wrapped_by.as_deref() != Some(ring.active_id());
    rewrap(store, Some(ring), by, is_of_another).await
}

/// Wraps the secrets that are `wanted` with the active key. Opens all of them, to find those that cannot be opened.
pub(super) async fn rewrap(
    store: &Store,
    ring: Option<&KeyRing>,
    by: &Actor,
    wanted: impl Fn(&StoredWebhookSecret) -> bool,
) -> Result<RewrappedSecrets, StoreError> {
    let mut done = RewrappedSecrets::default();
    let mut after = String::new();
    loop {
        let endpoints = store.webhook_endpoints(&after, SECRETS_PER_BATCH).await?;
        let Some(last) = endpoints.last() else {
            return Ok(done);
        };
        after.clone_from(&last.partner_id);
        let mut changes = Vec::new();
        for before in endpoints {
            let is_wanted = ring.is_some() && wanted(&before.secret);
            let secret = opened(ring, &before.partner_id, &before.secret);
            let rewrapped = match secret {
                Ok(_) if !is_wanted => continue,
                Ok(secret) => stored(ring, &before.partner_id, &secret),
                Err(cause) => Err(cause),
            };
            match rewrapped {
                Ok(secret) => changes.push(RewrappedSecret { before, secret }),
                Err(cause) => done.unavailable.push((before.partner_id, cause)),
            }
        }
        if !changes.is_empty() {
            done.rewrapped += store.rewrap_webhook_secrets(&changes, by).await?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The key is the bytes 0 to 31.
    const RING: &str = "golden:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    const SECRET: &str = "whsec_plJ3nmyCDGBKInavdOK15jsl";

    fn ring(text: &str) -> KeyRing {
        KeyRing::parse(text).unwrap()
    }

    fn wrapped(partner_id: &str) -> StoredWebhookSecret {
        stored(Some(&ring(RING)), partner_id, &Sensitive::new(SECRET.to_owned())).unwrap()
    }

    #[test]
    fn a_secret_wrapped_by_an_earlier_version_opens() {
        // This text must never change: with another layout, purpose or cipher, stored secrets could not be opened, and
        // merchants would get no events.
        let before = StoredWebhookSecret {
            text: "AYnT4kHVcNpryFxzf0wWNImTubIJeaH/P3cIVtVwcpXkMfpteJRrRem1fXBj5c/O3qlGVYPxj1I61OI="
                .to_owned(),
            wrapped_by: Some("golden".to_owned()),
        };
        let secret = opened(Some(&ring(RING)), "partner_1", &before).unwrap();
        assert_eq!(secret.expose(), SECRET);
    }

    #[test]
    fn a_wrapped_secret_opens_only_for_its_own_merchant() {
        let ring = ring(RING);
        let mine = wrapped("partner_1");
        assert!(!mine.text.contains("whsec_"));
        assert_eq!(opened(Some(&ring), "partner_1", &mine).unwrap().expose(), SECRET);
        let moved = opened(Some(&ring), "partner_2", &mine).map(|_| ());
        assert_eq!(moved, Err(WebhookSecretError::WrongKey("golden".to_owned())));
    }

    #[test]
    fn a_secret_without_its_key_names_the_missing_key() {
        let other = vault::generate_key("other").unwrap();
        for ring in [None, Some(&ring(&other))] {
            let unavailable = opened(ring, "partner_1", &wrapped("partner_1")).map(|_| ());
            assert_eq!(unavailable, Err(WebhookSecretError::NoKey("golden".to_owned())));
        }
        let changed = vault::generate_key("golden").unwrap();
        let unavailable = opened(Some(&ring(&changed)), "partner_1", &wrapped("partner_1")).map(|_| ());
        assert_eq!(
            unavailable,
            Err(WebhookSecretError::WrongKey("golden".to_owned()))
        );
    }

    #[test]
    fn without_a_vault_a_secret_is_stored_unwrapped() {
        let plain = stored(None, "partner_1", &Sensitive::new(SECRET.to_owned())).unwrap();
        assert_eq!(plain, StoredWebhookSecret::plain(SECRET));
        // It can also be opened with a ring.
        for ring in [None, Some(&ring(RING))] {
            assert_eq!(opened(ring, "partner_1", &plain).unwrap().expose(), SECRET);
        }
    }
}
