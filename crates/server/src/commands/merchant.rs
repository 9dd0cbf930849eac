//! `cardform merchant`: adds, changes and lists merchants.

mod keys;
mod set;

use clap::{ArgGroup, Args, Subcommand};
use page::is_site_id;
use protocol::clock::{Clock, rfc3339};
use protocol::ids::{IdKind, new_id, new_secret_key};
use rules::AllowedOrigin;
use rules::letters::{is_direction_mark, is_hidden_control, is_visible};
use serde_json::{Value, json};
use store::{MerchantPage, Partner, Store};

use self::keys::MerchantKeyCommand;
use self::set::MerchantSet;
use super::merchant_page::{MerchantPageArgs, checked_change, is_empty};
use super::operator_name::current_actor;
use super::{Failure, Output, one_line, open, webhook};
use crate::config::Settings;
use crate::service::open_store;

/// `cardform merchant`.
#[derive(Debug, Subcommand)]
pub enum MerchantCommand {
    /// Adds a merchant and prints its secret key, which is not shown again.
    Add(Box<MerchantAdd>),
    /// Changes a merchant; running nodes notice within seconds.
    Set(Box<MerchantSet>),
    /// Lists the merchants.
    List(Box<Settings>),
    /// Gives a merchant new secret keys, ends and lists them.
    #[command(subcommand)]
    Key(MerchantKeyCommand),
}

/// `cardform merchant add`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("changes").multiple(true))]
pub struct MerchantAdd {
    /// The merchant's name.
    #[arg(long)]
    pub name: String,
    /// An origin whose pages may embed the form, like <https://shop.example>; can be repeated. Without it every page
    /// may embed the form.
    #[arg(long = "allowed-origin", value_name = "ORIGIN")]
    pub allowed_origins: Vec<String>,
    /// The merchant's site id at the fraud prevention, whose script its forms may load; can be repeated.
    #[arg(long = "site-id", value_name = "ID")]
    pub site_ids: Vec<String>,
    /// The merchant's website and logo on its payment page.
    #[command(flatten)]
    pub page: MerchantPageArgs,
    /// The address to which the merchant's events are posted; the secret that signs them is printed.
    #[arg(long, value_name = "URL")]
    pub webhook_url: Option<String>,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}

pub(super) const NO_MERCHANT: &str = "there is no merchant with this --partner-id";
/// The longest name, in characters.
const NAME_CHARACTERS_MAX: usize = 255;
/// The most bytes of a merchant's origins together: a client secret contains them, and one of more than 8 KiB is refused.
const ORIGINS_BYTES_MAX: usize = 4 * 1024;

pub(super) async fn run(command: MerchantCommand, output: Output) -> Result<(), Failure> {
    match command {
        MerchantCommand::Add(args) => add(*args, output).await,
        MerchantCommand::Set(args) => set::run(*args, output).await,
        MerchantCommand::List(settings) => list(*settings, output).await,
        MerchantCommand::Key(command) => keys::run(command, output).await,
    }
}

pub(super) fn check_name(name: &str) -> Result<(), Failure> {
    if !is_visible(name) || name.chars().count() > NAME_CHARACTERS_MAX {
        return Err("--name must have 1 to 255 characters".into());
    }
    if name
        .chars()
        .any(|c| is_hidden_control(c) && !is_direction_mark(c))
    {
        return Err(
            "--name must not have control characters, or characters that change the text's direction".into(),
        );
    }
    Ok(())
}

fn check_origins(origins: &[String]) -> Result<(), Failure> {
    // A client secret has them as JSON, with quotation marks and commas.
    if origins.iter().map(|text| text.len() + 3).sum::<usize>() > ORIGINS_BYTES_MAX {
        return Err("--allowed-origin: the origins of a merchant may have at most 4 KiB together".into());
    }
    let wrong = origins.iter().find(|text| AllowedOrigin::parse(text).is_none());
    wrong.map_or(Ok(()), |wrong| {
        Err(format!(
            "--allowed-origin {wrong} is not an origin; write it as https://shop.example, without a path, or as \
             https://*.shop.example for every subdomain"
        )
        .into())
    })
}

fn check_site_ids(site_ids: &[String]) -> Result<(), Failure> {
    let wrong = site_ids.iter().find(|id| !is_site_id(id));
    wrong.map_or(Ok(()), |wrong| {
        Err(format!("--site-id {wrong} is not 1 to 64 letters, digits, - and _").into())
    })
}

async fn add(args: MerchantAdd, output: Output) -> Result<(), Failure> {
    check_name(&args.name)?;
    check_origins(&args.allowed_origins)?;
    check_site_ids(&args.site_ids)?;
    let config = args.settings.resolve()?;
    let webhook_url = args
        .webhook_url
        .map(|url| webhook::checked_url(&url, "--webhook-url", &config))
        .transpose()?;
    let page = checked_change(args.page)?;
    let store = open_store(&config).await?;
    // Before anything is written, because it can fail.
    let vault = match webhook_url {
        Some(_) => webhook::vault_of_secrets(&config, &store).await?,
        None => None,
    };
    let clock = Clock::system();
    let secret_key = new_secret_key()?;
    let partner = Partner {
        id: new_id(IdKind::Partner, &clock),
        name: args.name,
        allowed_origins: args.allowed_origins,
        site_ids: args.site_ids,
        active: true,
        created_at: clock.now_ms(),
    };
    let by = current_actor(&config, &clock);
    store.put_partner_by(&partner, &secret_key, &by).await?;
    let mut json = json!({ "partner_id": partner.id, "secret_key": secret_key });
    let mut text = format!(
        "partner id  {}\nsecret key  {secret_key}\nThe secret key is not shown again.",
        partner.id
    );
    let added = async {
        if !is_empty(&page) {
            store.change_merchant_page(&partner.id, &page, &by).await?;
        }
        if let Some(url) = webhook_url {
            let change = webhook::EndpointChange {
                url,
                events: webhook::EventChoice::All,
                new_secret: true,
            };
            let (_, secret) =
                webhook::put_endpoint(&store, vault.as_deref(), &partner.id, change, &by).await?;
            json["webhook_secret"] = json!(secret.expose());
            text = format!("{text}\nwebhook secret  {}", secret.expose());
        }
        Ok::<_, Failure>(())
    }
    .await;
    store.close().await;
    // Also after an error, because the merchant is stored, and its key only here.
    output.print(&json, &text)?;
    added
}

async fn list(settings: Settings, output: Output) -> Result<(), Failure> {
    let (_, store) = open(settings).await?;
    let partners = store.partners().await?;
    let (mut rows, mut text) = (Vec::new(), Vec::new());
    for partner in &partners {
        rows.push(row(partner, &store.merchant_page(&partner.id).await?));
        text.push(line(partner));
    }
    store.close().await;
    output.print(&json!(rows), &text.join("\n"))
}

/// The merchant with this id.
pub(super) async fn merchant(store: &Store, partner_id: &str) -> Result<Partner, Failure> {
    let partner = store.partner(partner_id).await?;
    Ok(partner.ok_or(NO_MERCHANT)?)
}

/// A merchant and its payment page as the commands print them.
fn row(partner: &Partner, page: &MerchantPage) -> Value {
    json!({
        "partner_id": partner.id,
        "name": partner.name,
        "allowed_origins": partner.allowed_origins,
        "site_ids": partner.site_ids,
        "active": partner.active,
        "created_at": rfc3339(partner.created_at),
        "website": page.website,
        "has_logo": page.logo_name.is_some(),
    })
}

fn line(partner: &Partner) -> String {
    let state = if partner.active { "active" } else { "not active" };
    let origins = match partner.allowed_origins.join(" ") {
        none if none.is_empty() => "any origin".to_owned(),
        origins => origins,
    };
    format!("{}  {}  {state}  {origins}", partner.id, one_line(&partner.name))
}
