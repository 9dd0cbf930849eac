//! `cardform key`: makes keys of the vault, and changes the saved cards over to the active one.

use serde_json::json;

use super::{Output, line};
use crate::cli::KeyCommand;
use crate::config::Settings;
use crate::ids::short_random;
use crate::saved_cards::card_vault::CardVault;
use crate::saved_cards::rotate::{Rotated, rotate};
use crate::service::open_store;

/// How many cards pass between two lines of progress.
const CARDS_PER_LINE: u64 = 10_000;

pub(super) async fn run(command: KeyCommand, output: Output) -> Result<(), String> {
    match command {
        KeyCommand::Generate { id } => generate(id, output),
        KeyCommand::Rotate(settings) => change_over(*settings, output).await,
    }
}

fn generate(id: Option<String>, output: Output) -> Result<(), String> {
    let id = id.unwrap_or_else(|| format!("key-{}", short_random()));
    let key =
        vault::generate_key(&id).map_err(|_| "--id must have 1 to 32 letters, digits, - or _".to_owned())?;
    output.say(&json!({ "id": id, "key": *key }), &key)
}

async fn change_over(settings: Settings, output: Output) -> Result<(), String> {
    let config = settings.resolve().map_err(line)?;
    let source = config
        .vault_keys
        .clone()
        .ok_or("there are no keys: set vault_key_file (--vault-key-file FILE, CARDFORM_VAULT_KEY_FILE)")?;
    let ring = CardVault::open(source).map_err(line)?.ring();
    let store = open_store(&config).await.map_err(line)?;
    let active = ring.active_id();
    let mut told = 0;
    let rotated = rotate(&store, &ring, |so_far: &Rotated| {
        if so_far.rewrapped >= told + CARDS_PER_LINE {
            told = so_far.rewrapped;
            // Who does not listen to the progress still gets the rotation.
            let _ = output.say(
                &json!({ "key_id": active, "rewrapped": told }),
                &format!("{told} cards so far"),
            );
        }
    })
    .await
    .map_err(line)?;
    store.close().await;
    report(active, &rotated, output)
}

/// The last line. Cards that no key opens make the command fail, so that nobody throws away a key over them.
fn report(active: &str, rotated: &Rotated, output: Output) -> Result<(), String> {
    let count = rotated.rewrapped;
    output.say(
        &json!({
            "key_id": active, "rewrapped": count, "unusable": rotated.unusable_count, "done": true,
        }),
        &format!("{count} cards were changed over to the key {active}; the others can be retired once every node has it"),
    )?;
    if rotated.unusable_count == 0 {
        return Ok(());
    }
    Err(format!(
        "{} cards can be opened by none of these keys, among them {}; keep every key until they are found",
        rotated.unusable_count,
        rotated.unusable.join(" ")
    ))
}
