//! `cardform merchant key`: a merchant's secret keys. Several are valid while the merchant switches to a new one.

use clap::{Args, Subcommand};
use protocol::clock::{Clock, rfc3339};
use protocol::ids::{IdKind, new_id, new_secret_key};
use serde_json::{Value, json};
use store::{NewSecretKey, SecretKey};

use super::merchant;
use crate::commands::operator_name::current_actor;
use crate::commands::{Failure, Output, open};
use crate::config::Settings;

/// `cardform merchant key`.
#[derive(Debug, Subcommand)]
pub enum MerchantKeyCommand {
    /// Gives the merchant a new secret key and prints it; it is not shown again. Earlier keys stay valid for a while,
    /// so that the merchant has time to switch.
    Roll(Box<MerchantKeyRoll>),
    /// Ends a secret key at once.
    Revoke(Box<MerchantKeyRevoke>),
    /// Lists the merchant's secret keys by their last characters, including ended ones.
    List(Box<MerchantKeyList>),
}

/// `cardform merchant key roll`.
#[derive(Debug, Args)]
pub struct MerchantKeyRoll {
    /// The merchant's id.
    #[arg(long, value_name = "ID")]
    pub partner_id: String,
    /// How long earlier keys stay valid, in seconds; 0 ends them at once.
    #[arg(long, value_name = "S", default_value_t = 86_400)]
    pub overlap_seconds: u32,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}

/// `cardform merchant key revoke`.
#[derive(Debug, Args)]
pub struct MerchantKeyRevoke {
    /// The merchant's id.
    #[arg(long, value_name = "ID")]
    pub partner_id: String,
    /// The key's id, `key_…`, as `cardform merchant key list` shows it.
    #[arg(long, value_name = "ID")]
    pub key_id: String,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}

/// `cardform merchant key list`.
#[derive(Debug, Args)]
pub struct MerchantKeyList {
    /// The merchant's id.
    #[arg(long, value_name = "ID")]
    pub partner_id: String,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}

pub(super) async fn run(command: MerchantKeyCommand, output: Output) -> Result<(), Failure> {
    match command {
        MerchantKeyCommand::Roll(args) => roll(*args, output).await,
        MerchantKeyCommand::Revoke(args) => revoke(*args, output).await,
        MerchantKeyCommand::List(args) => list(*args, output).await,
    }
}

async fn roll(args: MerchantKeyRoll, output: Output) -> Result<(), Failure> {
    let (config, store) = open(args.settings).await?;
    merchant(&store, &args.partner_id).await?;
    let clock = Clock::system();
    let by = current_actor(&config, &clock);
    let (id, secret) = (new_id(IdKind::SecretKey, &clock), new_secret_key()?);
    let key = NewSecretKey {
        id: &id,
        secret: &secret,
    };
    let others_until = by.at + i64::from(args.overlap_seconds) * 1_000;
    store
        .roll_secret_key(&args.partner_id, key, others_until, &by)
        .await?;
    store.close().await;
    let others_until = rfc3339(others_until);
    output.print(
        &json!({
            "partner_id": args.partner_id, "key_id": id, "secret_key": secret, "others_until": others_until,
        }),
        &format!(
            "key id      {id}\nsecret key  {secret}\nThe secret key is not shown again. Earlier keys end at {others_until}."
        ),
    )
}

async fn revoke(args: MerchantKeyRevoke, output: Output) -> Result<(), Failure> {
    let (config, store) = open(args.settings).await?;
    merchant(&store, &args.partner_id).await?;
    let by = current_actor(&config, &Clock::system());
    let was_good = store
        .revoke_secret_key(&args.partner_id, &args.key_id, &by)
        .await?;
    let keys = store.secret_keys(&args.partner_id).await?;
    store.close().await;
    if !was_good {
        return Err(
            "this merchant has no good key with this --key-id; `cardform merchant key list` shows them"
                .into(),
        );
    }
    let left = keys.iter().filter(|key| key.is_good(by.at)).count();
    let text = match left {
        0 => "revoked; the merchant has no key left: `cardform merchant key roll` gives it one".to_owned(),
        left => format!("revoked; {left} of the merchant's keys are left"),
    };
    output.print(
        &json!({ "partner_id": args.partner_id, "revoked": args.key_id, "keys_left": left }),
        &text,
    )
}

async fn list(args: MerchantKeyList, output: Output) -> Result<(), Failure> {
    let (_, store) = open(args.settings).await?;
    merchant(&store, &args.partner_id).await?;
    let keys = store.secret_keys(&args.partner_id).await?;
    store.close().await;
    let now = Clock::system().now_ms();
    let rows: Vec<Value> = keys.iter().map(|key| row(key, now)).collect();
    let text: Vec<String> = keys.iter().map(|key| text(key, now)).collect();
    output.print(&json!(rows), &text.join("\n"))
}

/// `good`; `ending` if it has an end and is still valid; or `ended`.
fn state(key: &SecretKey, now_ms: i64) -> &'static str {
    match key.ends_at {
        None => "good",
        Some(_) if key.is_good(now_ms) => "ending",
        Some(_) => "ended",
    }
}

fn row(key: &SecretKey, now_ms: i64) -> Value {
    json!({
        "key_id": key.id,
        "ends_with": key.ends_with,
        "state": state(key, now_ms),
        "created_at": rfc3339(key.created_at),
        "ends_at": key.ends_at.map(rfc3339),
    })
}

fn text(key: &SecretKey, now_ms: i64) -> String {
    let end = key
        .ends_at
        .map_or_else(String::new, |at| format!(" at {}", rfc3339(at)));
    format!(
        "{}  sk_…{}  {}{end}  made {}",
        key.id,
        key.ends_with,
        state(key, now_ms),
        rfc3339(key.created_at)
    )
}
