//! `cardform merchant key`: a merchant's secret keys. Several are valid while the merchant switches to a new one.

use model::clock::{Clock, rfc3339};
use model::ids::{IdKind, new_id, new_secret_key};
use serde_json::{Value, json};
use store::{NewSecretKey, SecretKey, Store};

use crate::cli::merchant::{MerchantKeyCommand, MerchantKeyList, MerchantKeyRevoke, MerchantKeyRoll};
use crate::commands::operator_name::current_actor;
use crate::commands::{Output, one_line};
use crate::service::open_store;

pub(super) async fn run(command: MerchantKeyCommand, output: Output) -> Result<(), String> {
    match command {
        MerchantKeyCommand::Roll(args) => roll(*args, output).await,
        MerchantKeyCommand::Revoke(args) => revoke(*args, output).await,
        MerchantKeyCommand::List(args) => list(*args, output).await,
    }
}

async fn roll(args: MerchantKeyRoll, output: Output) -> Result<(), String> {
    let config = args.settings.resolve().map_err(one_line)?;
    let store = open_store(&config).await.map_err(one_line)?;
    check_merchant_exists(&store, &args.partner_id).await?;
    let clock = Clock::system();
    let by = current_actor(&config, &clock);
    let (id, secret) = (
        new_id(IdKind::SecretKey, &clock),
        new_secret_key().map_err(one_line)?,
    );
    let key = NewSecretKey {
        id: &id,
        secret: &secret,
    };
    let others_until = by.at + i64::from(args.overlap_seconds) * 1_000;
    store
        .roll_secret_key(&args.partner_id, key, others_until, &by)
        .await
        .map_err(one_line)?;
    store.close().await;
    let others_until = rfc3339(others_until);
    output.print(
        &json!({
            "partner_id": args.partner_id, "key_id": id, "secret_key": secret, "others_until": others_until,
        }),
        &format!(
            "key id      {id}\nsecret key  {secret}\nThe secret key is not shown again. Those before end at {others_until}."
        ),
    )
}

async fn revoke(args: MerchantKeyRevoke, output: Output) -> Result<(), String> {
    let config = args.settings.resolve().map_err(one_line)?;
    let store = open_store(&config).await.map_err(one_line)?;
    check_merchant_exists(&store, &args.partner_id).await?;
    let by = current_actor(&config, &Clock::system());
    let was_good = store
        .revoke_secret_key(&args.partner_id, &args.key_id, &by)
        .await
        .map_err(one_line)?;
    let keys = store.secret_keys(&args.partner_id).await.map_err(one_line)?;
    store.close().await;
    if !was_good {
        return Err(
            "this merchant has no good key with this --key-id; `cardform merchant key list` shows them"
                .to_owned(),
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

async fn list(args: MerchantKeyList, output: Output) -> Result<(), String> {
    let config = args.settings.resolve().map_err(one_line)?;
    let store = open_store(&config).await.map_err(one_line)?;
    check_merchant_exists(&store, &args.partner_id).await?;
    let keys = store.secret_keys(&args.partner_id).await.map_err(one_line)?;
    store.close().await;
    let now = Clock::system().now_ms();
    let rows: Vec<Value> = keys.iter().map(|key| row(key, now)).collect();
    let text: Vec<String> = keys.iter().map(|key| text(key, now)).collect();
    output.print(&json!(rows), &text.join("\n"))
}

async fn check_merchant_exists(store: &Store, partner_id: &str) -> Result<(), String> {
    match store.partner(partner_id).await.map_err(one_line)? {
        Some(_) => Ok(()),
        None => Err("there is no merchant with this --partner-id".to_owned()),
    }
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
