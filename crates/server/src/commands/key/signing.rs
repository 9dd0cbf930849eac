//! `cardform key rotate --signing` and `key revoke --signing`: the keys that sign client secrets and payloads.

use std::time::Duration;

use clap::Args;
use protocol::clock::{Clock, rfc3339};
use serde_json::json;

use super::signing_keys;
use crate::commands::operator_name::current_actor;
use crate::commands::{Failure, Output, open};
use crate::config::{Config, Settings};
use merchants::keys::signing::is_refused;

/// `cardform key rotate`.
#[derive(Debug, Args)]
pub struct KeyRotate {
    /// Makes a new signing key.
    #[arg(long)]
    pub signing: bool,
    /// How long signatures of the earlier signing keys stay valid, in seconds [default: as long as a charge and its
    /// client secret live].
    #[arg(long, value_name = "S", requires = "signing")]
    pub overlap_seconds: Option<u32>,
    /// Also wraps signing keys and webhook secrets that are not wrapped. Needed once, when the service gets its first
    /// vault: it refuses them otherwise. Check with `cardform key list` first that each of them is yours.
    #[arg(long, conflicts_with = "signing")]
    pub wrap_plain: bool,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}

/// `cardform key revoke`.
#[derive(Debug, Args)]
pub struct KeyRevoke {
    /// Revokes a signing key. To end a key of the vault, remove it from the file.
    #[arg(long, required = true)]
    pub signing: bool,
    /// The key's id, `sig_…`.
    #[arg(long, value_name = "ID")]
    pub key_id: String,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}

/// How long nodes may still sign with the earlier key, until they notice the new one.
const NOTICE_DELAY: Duration = Duration::from_mins(1);

pub(super) async fn rotate(args: KeyRotate, output: Output) -> Result<(), Failure> {
    let (config, store) = open(args.settings).await?;
    let clock = Clock::system();
    let by = current_actor(&config, &clock);
    let overlap = args.overlap_seconds.map_or_else(
        || default_overlap(&config),
        |seconds| Duration::from_secs(seconds.into()),
    );
    let others_until = by.at + i64::try_from(overlap.as_millis()).unwrap_or(i64::MAX / 2);
    let id = signing_keys(&config, &store, &clock)?
        .add(Some(others_until), &by)
        .await?;
    store.close().await;
    let others_until = rfc3339(others_until);
    output.print(
        &json!({ "key_id": id, "others_until": others_until }),
        &format!("{id} signs from now on; signatures of the earlier keys are valid until {others_until}"),
    )
}

/// How long a signature is needed after a node last signed with its key.
fn default_overlap(config: &Config) -> Duration {
    config.client_secret_lifetime.max(config.charges.lifetime) + NOTICE_DELAY
}

pub(super) async fn revoke(args: KeyRevoke, output: Output) -> Result<(), Failure> {
    let (config, store) = open(args.settings).await?;
    let clock = Clock::system();
    let by = current_actor(&config, &clock);
    let stored = store.signing_keys().await?;
    let good = |id: &str| stored.iter().any(|key| key.id == id && key.is_valid_at(by.at));
    if !good(&args.key_id) {
        return Err("there is no good signing key with this --key-id; `cardform key list` shows them".into());
    }
    // The new key is added before the old one ends, so that every node has one. An older key that is already ending
    // must not become the active one.
    let has_vault = config.vault_keys.is_some();
    let has_other_active_key = stored.iter().any(|key| {
        key.id != args.key_id
            && key.ends_at.is_none()
            && key.is_valid_at(by.at)
            && !is_refused(key, has_vault)
    });
    let new = if has_other_active_key {
        None
    } else {
        let keys = signing_keys(&config, &store, &clock)?;
        Some(keys.add(None, &by).await?)
    };
    store.revoke_signing_key(&args.key_id, &by).await?;
    store.close().await;
    let text = match &new {
        Some(new) => format!("revoked; {new} signs from now on"),
        None => "revoked".to_owned(),
    };
    output.print(&json!({ "revoked": args.key_id, "key_id": new }), &text)
}
