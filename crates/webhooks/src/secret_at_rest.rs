//! Webhook secrets in the database: each is wrapped by the vault's key ring for its merchant, so that neither a copy of
//! the database nor write access to it is enough to sign an event.

use protocol::Sensitive;
use store::{Actor, EndpointKey, RewrappedSecret, Store, StoreError, StoredWebhookSecret};
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
    /// There is a ring, and the secret is not wrapped: another program wrote it.
    #[error(
        "it is not wrapped by the vault: if the service ran without a vault before, run `cardform key rotate --wrap-plain`; \
         otherwise somebody wrote to the database"
    )]
    Plain,
    /// The ring cannot wrap it.
    #[error("it cannot be wrapped")]
    NotWrapped,
}

/// The result of wrapping secrets.
#[derive(Debug, Default)]
pub struct RewrappedSecrets {
    /// How many secrets were wrapped with the active key.
    pub rewrapped: u64,
    /// The endpoints whose secrets cannot be opened or wrapped.
    pub unavailable: Vec<(EndpointKey, WebhookSecretError)>,
}

/// A merchant's secret for the database: wrapped if there is a ring.
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
        return match ring {
            Some(_) => Err(WebhookSecretError::Plain),
            None => Ok(Sensitive::new(stored.text.clone())),
        };
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

/// Wraps the webhook secrets with the ring's active key; those that are not wrapped only with `wrap_plain`.
pub async fn rewrap_webhook_secrets(
    store: &Store,
    ring: &KeyRing,
    wrap_plain: bool,
    by: &Actor,
) -> Result<RewrappedSecrets, StoreError> {
    let wanted = |secret: &StoredWebhookSecret| match &secret.wrapped_by {
        None => wrap_plain,
        Some(key_id) => key_id != ring.active_id(),
    };
    rewrap(store, Some(ring), by, wanted).await
}

/// Wraps the secrets that are `wanted` with the active key. Opens all of them, to find those that cannot be opened.
pub(super) async fn rewrap(
    store: &Store,
    ring: Option<&KeyRing>,
    by: &Actor,
    wanted: impl Fn(&StoredWebhookSecret) -> bool,
) -> Result<RewrappedSecrets, StoreError> {
    let mut done = RewrappedSecrets::default();
    let mut after = EndpointKey::first("");
    loop {
        let endpoints = store.webhook_endpoints(&after, SECRETS_PER_BATCH).await?;
        let Some(last) = endpoints.last() else {
            return Ok(done);
        };
        after = last.key();
        let mut changes = Vec::new();
        for before in endpoints {
            let is_wanted = ring.is_some() && wanted(&before.secret);
            let secret = match &before.secret.wrapped_by {
                None if is_wanted => Ok(Sensitive::new(before.secret.text.clone())),
                _ => opened(ring, &before.partner_id, &before.secret),
            };
            let rewrapped = match secret {
                Ok(_) if !is_wanted => continue,
                Ok(secret) => stored(ring, &before.partner_id, &secret),
                Err(cause) => Err(cause),
            };
            match rewrapped {
                Ok(secret) => changes.push(RewrappedSecret { before, secret }),
                Err(cause) => done.unavailable.push((before.key(), cause)),
            }
        }
        if !changes.is_empty() {
            done.rewrapped += store.rewrap_webhook_secrets(&changes, by).await?;
        }
    }
}

#[cfg(test)]
mod tests;
