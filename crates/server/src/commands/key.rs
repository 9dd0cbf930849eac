//! `cardform key`: makes keys of the vault, rotates cards, signing keys and webhook secrets to the active one, and
//! rotates the signing keys.

mod list;
mod signing;

use std::sync::Arc;

use clap::Subcommand;
use protocol::clock::Clock;
use protocol::ids::short_random;
use serde_json::json;
use store::{AuditAction, Store};

use self::signing::{KeyRevoke, KeyRotate};
use super::operator_name::current_actor;
use super::{Failure, Output};
use crate::config::{Config, Settings};
use crate::pages::rewrap_assets;
use crate::service::open_store;
use merchants::keys::card_vault::CardVault;
use merchants::keys::signing::{RewrappedKeys, SigningKeys, rewrap_signing_keys};
use payments::saved_cards::rotate::{Rotated, rotate};
use webhooks::secret_at_rest::{RewrappedSecrets, WebhookSecretError, rewrap_webhook_secrets};

/// `cardform key`.
#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Prints a new key, which is a line for the file of `vault_key_file`. First add the line at the end of the file
    /// on every node; then move it to the beginning, which makes the key the active one.
    Generate {
        /// The key's id [default: a random one].
        #[arg(long)]
        id: Option<String>,
    },
    /// Wraps everything that is sealed with the active key of the vault, while the service runs: saved cards, signing
    /// keys and webhook secrets. It can be interrupted and started again. Afterwards the other keys can be removed
    /// from the file.
    ///
    /// With --signing it makes a new key that signs client secrets and payloads instead.
    Rotate(Box<KeyRotate>),
    /// Ends a signing key at once: the client secrets and payloads that it signed are invalid from then on. If it was
    /// the active one, a new key replaces it.
    Revoke(Box<KeyRevoke>),
    /// Lists the vault's keys with the number of secrets that each wraps, and the signing keys.
    List(Box<Settings>),
}

/// After how many cards a line of progress is printed.
const CARDS_PER_LINE: u64 = 10_000;

pub(super) async fn run(command: KeyCommand, output: Output) -> Result<(), Failure> {
    match command {
        KeyCommand::Generate { id } => generate(id, output),
        KeyCommand::Rotate(args) if args.signing => signing::rotate(*args, output).await,
        KeyCommand::Rotate(args) => rotate_to_active_key(args.settings, args.wrap_plain, output).await,
        KeyCommand::Revoke(args) => signing::revoke(*args, output).await,
        KeyCommand::List(settings) => list::run(*settings, output).await,
    }
}

/// The vault of the settings, if it is set.
pub(super) fn vault(config: &Config) -> Result<Option<Arc<CardVault>>, Failure> {
    let vault = config.vault_keys.clone().map(CardVault::open).transpose();
    Ok(vault?.map(Arc::new))
}

/// The signing keys of this database. They are not decrypted yet, so a new key can be made even if an old one cannot be
/// decrypted.
fn signing_keys(config: &Config, store: &Store, clock: &Clock) -> Result<SigningKeys, Failure> {
    Ok(SigningKeys::new(store.clone(), clock.clone(), vault(config)?))
}

fn generate(id: Option<String>, output: Output) -> Result<(), Failure> {
    let id = id.unwrap_or_else(|| format!("key-{}", short_random()));
    let key =
        vault::generate_key(&id).map_err(|_| "--id must have 1 to 32 letters, digits, - or _".to_owned())?;
    output.print(&json!({ "id": id, "key": *key }), &key)
}

async fn rotate_to_active_key(settings: Settings, wrap_plain: bool, output: Output) -> Result<(), Failure> {
    let config = settings.resolve()?;
    let source = config
        .vault_keys
        .clone()
        .ok_or("there are no keys: set vault_key_file (--vault-key-file FILE, CARDFORM_VAULT_KEY_FILE)")?;
    let ring = CardVault::open(source)?.ring();
    let store = open_store(&config).await?;
    let active = ring.active_id();
    let by = current_actor(&config, &Clock::system());
    store
        .record_action(&by, AuditAction::VaultRotationBegun, active, &json!({}))
        .await?;
    let signing_keys = rewrap_signing_keys(&store, &ring, wrap_plain, &by).await?;
    let webhooks = rewrap_webhook_secrets(&store, &ring, wrap_plain, &by).await?;
    rewrap_assets(&store, &ring, by.at).await?;
    let mut printed_at = 0;
    let rotated = rotate(&store, &ring, &by, |so_far: &Rotated| {
        if so_far.rewrapped >= printed_at + CARDS_PER_LINE {
            printed_at = so_far.rewrapped;
            // If the progress cannot be printed, the rotation continues.
            let _ = output.print(
                &json!({ "key_id": active, "rewrapped": printed_at }),
                &format!("{printed_at} cards so far"),
            );
        }
    })
    .await?;
    let detail = json!({
        "rewrapped": rotated.rewrapped, "unusable": rotated.unusable_count, "signing_keys": signing_keys.rewrapped,
        "webhook_secrets": webhooks.rewrapped,
    });
    store
        .record_action(&by, AuditAction::VaultRotationEnded, active, &detail)
        .await?;
    store.close().await;
    report(active, &rotated, signing_keys.rewrapped, &webhooks, output)?;
    match unopenable(&rotated, &signing_keys, &webhooks) {
        unopenable if unopenable.is_empty() => Ok(()),
        unopenable => Err(unopenable.join("; ").into()),
    }
}

/// Prints the result.
fn report(
    active: &str,
    rotated: &Rotated,
    signing_keys: u64,
    webhooks: &RewrappedSecrets,
    output: Output,
) -> Result<(), Failure> {
    let (cards, webhook_secrets) = (rotated.rewrapped, webhooks.rewrapped);
    output.print(
        &json!({
            "key_id": active, "rewrapped": cards, "unusable": rotated.unusable_count,
            "signing_keys": signing_keys, "webhook_secrets": webhook_secrets, "done": true,
        }),
        &format!(
            "{cards} cards, {signing_keys} signing keys and {webhook_secrets} webhook secrets are now wrapped by the \
             key {active}; the other keys can be removed when every node has it"
        ),
    )
}

/// Describes cards, signing keys and webhook secrets that no key can open, or that are not wrapped. Then the command fails,
/// so that the operator does not delete a key that may be needed.
fn unopenable(rotated: &Rotated, signing_keys: &RewrappedKeys, webhooks: &RewrappedSecrets) -> Vec<String> {
    let mut unopenable = Vec::new();
    if rotated.unusable_count > 0 {
        unopenable.push(format!(
            "{} cards can be opened by none of these keys, among them {}; keep every key until they are found",
            rotated.unusable_count,
            rotated.unusable.join(" ")
        ));
    }
    if !signing_keys.unusable.is_empty() {
        unopenable.push(format!(
            "the signing keys {} can be opened by none of these keys; keep every key until they are found or ended",
            signing_keys.unusable.join(" ")
        ));
    }
    let is_plain = |cause: &WebhookSecretError| *cause == WebhookSecretError::Plain;
    let merchants_where = |wanted: bool| -> Vec<&str> {
        let of = webhooks
            .unavailable
            .iter()
            .filter(|(_, cause)| is_plain(cause) == wanted);
        of.map(|(endpoint, _)| endpoint.partner_id.as_str()).collect()
    };
    let plain = merchants_where(true);
    if !signing_keys.plain.is_empty() || !plain.is_empty() {
        let ids: Vec<&str> = signing_keys
            .plain
            .iter()
            .map(String::as_str)
            .chain(plain)
            .collect();
        unopenable.push(format!(
            "the signing keys and webhook secrets of {} are not wrapped, so the service refuses them: wrap them with \
             --wrap-plain if it ran without a vault before; otherwise somebody wrote to the database, so end these keys \
             (`cardform key revoke`) and make new secrets (`cardform webhook set --new-secret`)",
            ids.join(" ")
        ));
    }
    let merchants = merchants_where(false);
    if !merchants.is_empty() {
        unopenable.push(format!(
            "the webhook secrets of {} can be opened by none of these keys; keep every key until they are found, or \
             make new ones (`cardform webhook set --new-secret`)",
            merchants.join(" ")
        ));
    }
    unopenable
}
