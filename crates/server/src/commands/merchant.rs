//! `cardform merchant`: adds and lists merchants.

use serde_json::json;

use super::{Output, line, webhook};
use crate::cli::{MerchantAdd, MerchantCommand};
use crate::clock::{Clock, rfc3339};
use crate::config::{Settings, origin};
use crate::ids::{Kind, new_id, new_secret_key};
use crate::service::open_store;
use crate::store::Partner;

/// The longest name, in characters.
const NAME_CHARACTERS_MAX: usize = 255;

pub(super) async fn run(command: MerchantCommand, output: Output) -> Result<(), String> {
    match command {
        MerchantCommand::Add(args) => add(*args, output).await,
        MerchantCommand::List(settings) => list(*settings, output).await,
    }
}

async fn add(args: MerchantAdd, output: Output) -> Result<(), String> {
    if args.name.trim().is_empty() || args.name.chars().count() > NAME_CHARACTERS_MAX {
        return Err("--name must have 1 to 255 characters".to_owned());
    }
    if let Some(wrong) = args.allowed_origins.iter().find(|text| origin(text).is_none()) {
        return Err(format!(
            "--allowed-origin {wrong} is not an origin; write it as https://shop.example, without a path"
        ));
    }
    let config = args.settings.resolve().map_err(line)?;
    let webhook_url = args
        .webhook_url
        .map(|url| webhook::checked_url(&url, "--webhook-url", &config))
        .transpose()?;
    let store = open_store(&config).await.map_err(line)?;
    let clock = Clock::system();
    let secret_key = new_secret_key().map_err(line)?;
    let partner = Partner {
        id: new_id(Kind::Partner, &clock),
        name: args.name,
        allowed_origins: args.allowed_origins,
        created_at: clock.now_ms(),
    };
    store.put_partner(&partner, &secret_key).await.map_err(line)?;
    let mut json = json!({ "partner_id": partner.id, "secret_key": secret_key });
    let mut text = format!(
        "partner id  {}\nsecret key  {secret_key}\nThe secret key is not shown again.",
        partner.id
    );
    if let Some(url) = webhook_url {
        let endpoint = webhook::put_endpoint(&store, &partner.id, url, true).await?;
        json["webhook_secret"] = json!(endpoint.secret);
        text = format!("{text}\nwebhook secret  {}", endpoint.secret);
    }
    store.close().await;
    output.say(&json, &text)
}

async fn list(settings: Settings, output: Output) -> Result<(), String> {
    let config = settings.resolve().map_err(line)?;
    let store = open_store(&config).await.map_err(line)?;
    let partners = store.partners().await.map_err(line)?;
    store.close().await;
    let rows: Vec<_> = partners
        .iter()
        .map(|partner| {
            json!({
                "partner_id": partner.id,
                "name": partner.name,
                "allowed_origins": partner.allowed_origins,
                "created_at": rfc3339(partner.created_at),
            })
        })
        .collect();
    let text: Vec<_> = partners
        .iter()
        .map(|partner| {
            format!(
                "{}  {}  {}",
                partner.id,
                partner.name,
                partner.allowed_origins.join(" ")
            )
        })
        .collect();
    output.say(&json!(rows), &text.join("\n"))
}
