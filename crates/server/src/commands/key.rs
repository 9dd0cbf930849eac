//! `cardform key`: makes keys of the vault, rotates cards, signing keys and webhook secrets to the active one, and
//! rotates the signing keys.

mod list;
mod signing;

use std::sync::Arc;

use clap::Subcommand;
use protocol::clock::Clock;
use protocol::ids::short_random;
use serde_json::json;
use store::{AuditAction, AuditedAction, Store};

use self::signing::{KeyRevoke, KeyRotate};
use super::operator_name::current_actor;
use super::{Failure, Output};
use crate::config::{Config, Settings};
use crate::service::open_store;
use merchants::keys::card_vault::CardVault;
use merchants::keys::signing::{SigningKeys, rewrap_signing_keys};
use payments::saved_cards::rotate::{Rotated, rotate};
use webhooks::secret_at_rest::{RewrappedSecrets, rewrap_webhook_secrets};

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
    /// Lists the vault's keys with what each wraps, and the signing keys.
    List(Box<Settings>),
}

/// After how many cards a line of progress is printed.
const CARDS_PER_LINE: u64 = 10_000;

pub(super) async fn run(command: KeyCommand, output: Output) -> Result<(), Failure> {
    match command {
        KeyCommand::Generate { id } => generate(id, output),
        KeyCommand::Rotate(args) if args.signing => signing::rotate(*args, output).await,
        KeyCommand::Rotate(args) => rotate_to_active_key(args.settings, output).await,
        KeyCommand::Revoke(args) => signing::revoke(*args, output).await,
        KeyCommand::List(settings) => list::run(*settings, output).await,
    }
}

/// The vault of the settings, if it is set.
pub(super) fn vault(config: &Config) -> Result<Option<Arc<CardVault>>, Failure> {
    let vault = config.vault_keys.clone().map(CardVault::open).transpose();
    Ok(vault?.map(Arc::new))
}

/// The signing keys of this database. None is opened yet, so a new one can be made even if an old one cannot be
/// opened.
fn signing_keys(config: &Config, store: &Store, clock: &Clock) -> Result<SigningKeys, Failure> {
    Ok(SigningKeys::new(store.clone(), clock.clone(), vault(config)?))
}

fn generate(id: Option<String>, output: Output) -> Result<(), Failure> {
    let id = id.unwrap_or_else(|| format!("key-{}", short_random()));
    let key =
        vault::generate_key(&id).map_err(|_| "--id must have 1 to 32 letters, digits, - or _".to_owned())?;
    output.print(&json!({ "id": id, "key": *key }), &key)
}

async fn rotate_to_active_key(settings: Settings, output: Output) -> Result<(), Failure> {
    let config = settings.resolve()?;
    let source = config
        .vault_keys
        .clone()
        .ok_or("there are no keys: set vault_key_file (--vault-key-file FILE, CARDFORM_VAULT_KEY_FILE)")?;
    let ring = CardVault::open(source)?.ring();
    let store = open_store(&config).await?;
    let active = ring.active_id();
    let by = current_actor(&config, &Clock::system());
    let noted = |action, detail| AuditedAction {
        action,
        subject: active,
        detail,
    };
    let begun = noted(AuditAction::VaultRotationBegun, json!({}));
    store.record_action(&by, &begun).await?;
    let (signing_keys, lost_signing_keys) = rewrap_signing_keys(&store, &ring, &by).await?;
    let webhooks = rewrap_webhook_secrets(&store, &ring, &by).await?;
    let mut printed_at = 0;
    let rotated = rotate(&store, &ring, &by, |so_far: &Rotated| {
        if so_far.rewrapped >= printed_at + CARDS_PER_LINE {
            printed_at = so_far.rewrapped;
            // If the progress cannot be printed, the rotation still goes on.
            let _ = output.print(
                &json!({ "key_id": active, "rewrapped": printed_at }),
                &format!("{printed_at} cards so far"),
            );
        }
    })
    .await?;
    let ended = noted(
        AuditAction::VaultRotationEnded,
        json!({
            "rewrapped": rotated.rewrapped, "unusable": rotated.unusable_count, "signing_keys": signing_keys,
            "webhook_secrets": webhooks.rewrapped,
        }),
    );
    store.record_action(&by, &ended).await?;
    store.close().await;
    report(active, &rotated, signing_keys, &webhooks, output)?;
    match unopenable(&rotated, &lost_signing_keys, &webhooks) {
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
            "{cards} cards, {signing_keys} signing keys and {webhook_secrets} webhook secrets were changed over to the \
             key {active}; the others can be retired once every node has it"
        ),
    )
}

/// Describes what no key can open. Then the command fails, so that the operator does not delete a key that may be
/// needed.
fn unopenable(rotated: &Rotated, signing_keys: &[String], webhooks: &RewrappedSecrets) -> Vec<String> {
    let mut unopenable = Vec::new();
    if rotated.unusable_count > 0 {
        unopenable.push(format!(
            "{} cards can be opened by none of these keys, among them {}; keep every key until they are found",
            rotated.unusable_count,
            rotated.unusable.join(" ")
        ));
    }
    if !signing_keys.is_empty() {
        unopenable.push(format!(
            "the signing keys {} can be opened by none of these keys; keep every key until they are found or ended",
            signing_keys.join(" ")
        ));
    }
    if !webhooks.unavailable.is_empty() {
        let merchants: Vec<_> = webhooks.unavailable.iter().map(|(id, _)| id.as_str()).collect();
        unopenable.push(format!(
            "the webhook secrets of {} can be opened by none of these keys; keep every key until they are found, or \
             make new ones (`cardform webhook set --new-secret`)",
            merchants.join(" ")
        ));
    }
    unopenable
}
