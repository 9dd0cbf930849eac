//! `cardform key rotate --signing` and `key revoke --signing`: the keys that sign client secrets and payloads.

use std::time::Duration;

use model::clock::{Clock, rfc3339};
use serde_json::json;

use super::signing_keys;
use crate::cli::key::{KeyRevoke, KeyRotate};
use crate::commands::operator_name::current_actor;
use crate::commands::{Output, one_line};
use crate::config::Config;
use crate::service::open_store;

/// How long nodes may still sign with the earlier key, until they notice the new one.
const NOTICE_DELAY: Duration = Duration::from_mins(1);

pub(super) async fn rotate(args: KeyRotate, output: Output) -> Result<(), String> {
    let config = args.settings.resolve().map_err(one_line)?;
    let store = open_store(&config).await.map_err(one_line)?;
    let clock = Clock::system();
    let by = current_actor(&config, &clock);
    let overlap = args.overlap_seconds.map_or_else(
        || default_overlap(&config),
        |seconds| Duration::from_secs(seconds.into()),
    );
    let others_until = by.at + i64::try_from(overlap.as_millis()).unwrap_or(i64::MAX / 2);
    let id = signing_keys(&config, &store, &clock)?
        .add(Some(others_until), &by)
        .await
        .map_err(one_line)?;
    store.close().await;
    let others_until = rfc3339(others_until);
    output.print(
        &json!({ "key_id": id, "others_until": others_until }),
        &format!("{id} signs from now on; what those before it signed counts until {others_until}"),
    )
}

/// How long a signature is needed after a node last signed with its key.
fn default_overlap(config: &Config) -> Duration {
    config.client_secret_lifetime.max(config.charges.lifetime) + NOTICE_DELAY
}

pub(super) async fn revoke(args: KeyRevoke, output: Output) -> Result<(), String> {
    let config = args.settings.resolve().map_err(one_line)?;
    let store = open_store(&config).await.map_err(one_line)?;
    let clock = Clock::system();
    let by = current_actor(&config, &clock);
    let stored = store.signing_keys().await.map_err(one_line)?;
    let good = |id: &str| stored.iter().any(|key| key.id == id && key.is_valid_at(by.at));
    if !good(&args.key_id) {
        return Err(
            "there is no good signing key with this --key-id; `cardform key list` shows them".to_owned(),
        );
    }
    // The new key is added before the old one ends, so that every node has one. An older key that is already ending
    // must not become the active one.
    let has_other_active_key = stored
        .iter()
        .any(|key| key.id != args.key_id && key.ends_at.is_none() && key.is_valid_at(by.at));
    let new = if has_other_active_key {
        None
    } else {
        let keys = signing_keys(&config, &store, &clock)?;
        Some(keys.add(None, &by).await.map_err(one_line)?)
    };
    store
        .revoke_signing_key(&args.key_id, &by)
        .await
        .map_err(one_line)?;
    store.close().await;
    let text = match &new {
        Some(new) => format!("revoked; {new} signs from now on"),
        None => "revoked".to_owned(),
    };
    output.print(&json!({ "revoked": args.key_id, "key_id": new }), &text)
}
