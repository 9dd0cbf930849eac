//! `cardform charge create`: creates a charge from the command line, in the same way as `POST /v1/charges`.
//! `cardform charge show`: what happened to a charge.

mod show;
mod story;

use std::sync::Arc;

use model::clock::Clock;
use serde_json::json;
use wire::CreateCharge;

use super::key::vault;
use super::{Output, one_line};
use crate::charges::create_charge::ChargeCreator;
use crate::cli::{ChargeCommand, ChargeCreate};
use crate::config::reachable;
use crate::service::open_store;
use crate::signing::SigningKeys;
use crate::signing::client_secret::ClientSecrets;

pub(super) async fn run(command: ChargeCommand, output: Output) -> Result<(), String> {
    match command {
        ChargeCommand::Create(args) => create(args, output).await,
        ChargeCommand::Show(args) => show::run(*args, output).await,
    }
}

async fn create(args: Box<ChargeCreate>, output: Output) -> Result<(), String> {
    let config = args.settings.clone().resolve().map_err(one_line)?;
    let store = open_store(&config).await.map_err(one_line)?;
    let clock = Clock::system();
    let partner = store
        .partner(&args.partner_id)
        .await
        .map_err(one_line)?
        .ok_or("there is no merchant with this --partner-id")?;
    let vault = vault(&config)?;
    let keys = SigningKeys::load(store.clone(), clock.clone(), vault)
        .await
        .map_err(one_line)?;
    let client_secrets = ClientSecrets::new(Arc::new(keys), clock.clone(), config.client_secret_lifetime);
    let public_url = config
        .public_url
        .unwrap_or_else(|| format!("http://{}", reachable(config.listen)));
    let creator = ChargeCreator {
        store: &store,
        clock: &clock,
        client_secrets: &client_secrets,
        public_url: &public_url,
        can_save_cards: config.vault_keys.is_some(),
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
        partner_shopper_id: None,
        payment_method_country_code: None,
        partner_custom_data: None,
        shopper_id: args.shopper_id,
        shopper_email: args.shopper_email,
        zip_code: None,
        user_initiated: None,
        enable_save_payment_method: None,
        display_saved_payment_method_list: None,
        eligible_save_payment_methods: None,
        return_url: args.return_url,
        cancel_url: args.cancel_url,
    }
}
