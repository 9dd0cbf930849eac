//! `cardform charge create`: creates a charge from the command line, in the same way as `POST /v1/charges`.
//! `cardform charge show`: the events of a charge.

mod show;

use std::sync::Arc;

use clap::{Args, Subcommand};
use protocol::CreateCharge;
use protocol::clock::Clock;
use serde_json::json;

use self::show::ChargeShow;
use super::key::vault;
use super::merchant::merchant;
use super::{Failure, Output, open};
use crate::config::Settings;
use crate::service::origins;
use merchants::keys::signing::SigningKeys;
use merchants::keys::signing::client_secret::ClientSecrets;
use payments::charges::create_charge::ChargeCreator;

/// `cardform charge`.
#[derive(Debug, Subcommand)]
pub enum ChargeCommand {
    /// Creates a charge, as POST /v1/charges does, and prints the address where it is paid.
    Create(Box<ChargeCreate>),
    /// Prints all events of a charge in the order of time: states, attempts, calls to the provider, 3-D Secure, webhooks,
    /// audit log. It shows no card data.
    Show(Box<ChargeShow>),
}

/// `cardform charge create`.
#[derive(Debug, Args)]
pub struct ChargeCreate {
    /// The merchant's id.
    #[arg(long)]
    pub partner_id: String,
    /// The merchant's code of the item.
    #[arg(long)]
    pub item_code: String,
    /// The name of the item.
    #[arg(long)]
    pub item_name: String,
    /// A decimal number in the currency's major unit: 12.50.
    #[arg(long)]
    pub amount_value: String,
    /// ISO 4217: USD.
    #[arg(long)]
    pub amount_currency: String,
    /// The merchant's own reference.
    #[arg(long)]
    pub partner_reference: String,
    /// The shopper's id in the vault.
    #[arg(long)]
    pub shopper_id: Option<String>,
    /// The shopper's email.
    #[arg(long)]
    pub shopper_email: Option<String>,
    /// Where the payment page leads back to.
    #[arg(long)]
    pub return_url: Option<String>,
    /// Where the payment page leads a shopper who cancels.
    #[arg(long)]
    pub cancel_url: Option<String>,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}

pub(super) async fn run(command: ChargeCommand, output: Output) -> Result<(), Failure> {
    match command {
        ChargeCommand::Create(args) => create(args, output).await,
        ChargeCommand::Show(args) => show::run(*args, output).await,
    }
}

async fn create(args: Box<ChargeCreate>, output: Output) -> Result<(), Failure> {
    let (config, store) = open(args.settings.clone()).await?;
    let clock = Clock::system();
    let partner = merchant(&store, &args.partner_id).await?;
    let vault = vault(&config)?;
    let keys = SigningKeys::load(store.clone(), clock.clone(), vault).await?;
    let client_secrets = ClientSecrets::new(Arc::new(keys), clock.clone(), config.client_secret_lifetime);
    let public_url = origins(&config, config.listen).1;
    let provider = crate::service::provider(&config, &public_url, &public_url).ok();
    let creator = ChargeCreator {
        store: &store,
        clock: &clock,
        client_secrets: &client_secrets,
        public_url: &public_url,
        can_save_cards: config.vault_keys.is_some(),
        provider: provider.as_ref(),
    };
    let made = creator
        .create(&partner, None, body(*args))
        .await
        .map_err(|error| error.to_string())?;
    store.close().await;
    let text = format!("charge  {}\npay at  {}", made.id, made.url);
    output.print(&json!(made), &text)
}

fn body(args: ChargeCreate) -> CreateCharge {
    CreateCharge {
        item_code: args.item_code,
        item_name: args.item_name,
        amount_value: args.amount_value,
        amount_currency: args.amount_currency,
        partner_reference: args.partner_reference,
        shopper_id: args.shopper_id,
        shopper_email: args.shopper_email,
        return_url: args.return_url,
        cancel_url: args.cancel_url,
        ..CreateCharge::default()
    }
}
