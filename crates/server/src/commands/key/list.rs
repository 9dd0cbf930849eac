//! `cardform key list`: the vault's keys with the number of secrets that each wraps, and the signing keys. It shows only
//! the keys' ids.

use protocol::clock::{Clock, rfc3339};
use serde_json::{Value, json};
use store::{Store, StoredSigningKey};

use crate::commands::{Failure, Output};
use crate::config::Settings;
use crate::service::open_store;
use merchants::keys::signing::is_refused;

pub(super) async fn run(settings: Settings, output: Output) -> Result<(), Failure> {
    let config = settings.resolve()?;
    let ring = super::vault(&config)?.map(|vault| vault.ring());
    let store = open_store(&config).await?;
    let signing = store.signing_keys().await?;
    let vault = vault_keys(&store, ring.as_deref(), &signing).await?;
    store.close().await;
    let now = Clock::system().now_ms();
    let state = |key: &StoredSigningKey| state(key, now, ring.is_some());
    let signing_rows: Vec<Value> = signing.iter().map(|key| signing_row(key, state(key))).collect();
    let vault_text = vault.iter().map(VaultKey::text);
    let signing_text = signing.iter().map(|key| signing_text(key, state(key)));
    let text: Vec<String> = vault_text.chain(signing_text).collect();
    let vault_rows: Vec<Value> = vault.iter().map(VaultKey::row).collect();
    output.print(
        &json!({ "vault": vault_rows, "signing": signing_rows }),
        &text.join("\n"),
    )
}

/// A key in the vault's file, or one that wraps data in the database.
struct VaultKey {
    id: String,
    is_in_file: bool,
    is_active: bool,
    cards: i64,
    signing_keys: usize,
    webhook_secrets: i64,
}

async fn vault_keys(
    store: &Store,
    ring: Option<&vault::KeyRing>,
    signing: &[StoredSigningKey],
) -> Result<Vec<VaultKey>, Failure> {
    let cards = store.cards_by_key().await?;
    let webhook_secrets = store.webhook_secrets_by_key().await?;
    let mut ids: Vec<&str> = ring.map(vault::KeyRing::ids).unwrap_or_default();
    let needed = cards.iter().chain(&webhook_secrets).map(|(id, _)| id.as_str());
    for id in needed.chain(signing.iter().filter_map(|key| key.wrapped_by.as_deref())) {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    let wraps = |key: &&StoredSigningKey, id: &str| key.wrapped_by.as_deref() == Some(id);
    let keys = ids.into_iter().map(|id| VaultKey {
        is_in_file: ring.is_some_and(|ring| ring.knows(id)),
        is_active: ring.is_some_and(|ring| ring.active_id() == id),
        cards: count_of(&cards, id),
        webhook_secrets: count_of(&webhook_secrets, id),
        signing_keys: signing.iter().filter(|key| wraps(key, id)).count(),
        id: id.to_owned(),
    });
    Ok(keys.collect())
}

fn count_of(counts: &[(String, i64)], id: &str) -> i64 {
    counts
        .iter()
        .find(|(of, _)| of == id)
        .map_or(0, |(_, count)| *count)
}

impl VaultKey {
    fn state(&self) -> &'static str {
        match (self.is_in_file, self.is_active) {
            (_, true) => "active",
            (true, false) => "opens",
            (false, false) => "missing",
        }
    }

    fn row(&self) -> Value {
        json!({
            "key_id": self.id,
            "state": self.state(),
            "cards": self.cards,
            "signing_keys": self.signing_keys,
            "webhook_secrets": self.webhook_secrets,
        })
    }

    fn text(&self) -> String {
        format!(
            "vault    {}  {}  wraps {} cards, {} signing keys, {} webhook secrets",
            self.id,
            self.state(),
            self.cards,
            self.signing_keys,
            self.webhook_secrets
        )
    }
}

/// `good`; `ending` if it has an end and its signatures are still valid; `ended`; or `refused`, because it is not wrapped
/// though there is a vault.
fn state(key: &StoredSigningKey, now_ms: i64, has_vault: bool) -> &'static str {
    match (key.is_valid_at(now_ms), key.ends_at) {
        (false, _) => "ended",
        (true, _) if is_refused(key, has_vault) => "refused",
        (true, None) => "good",
        (true, Some(_)) => "ending",
    }
}

fn signing_row(key: &StoredSigningKey, state: &str) -> Value {
    json!({
        "key_id": key.id,
        "state": state,
        "wrapped_by": key.wrapped_by,
        "created_at": rfc3339(key.created_at),
        "ends_at": key.ends_at.map(rfc3339),
    })
}

fn signing_text(key: &StoredSigningKey, state: &str) -> String {
    let end = key
        .ends_at
        .map_or_else(String::new, |at| format!(" at {}", rfc3339(at)));
    let wrapped = match (&key.wrapped_by, key.private_key.is_empty()) {
        (_, true) => "destroyed".to_owned(),
        (Some(id), false) => format!("wrapped by {id}"),
        (None, false) => "not wrapped".to_owned(),
    };
    format!("signing  {}  {state}{end}  {wrapped}", key.id)
}
