//! `cardform webhook set`, `show`, `remove`, `list` and `replay`: merchants' webhooks and their events.

use std::sync::Arc;

use clap::{Args, Subcommand};
use protocol::Sensitive;
use protocol::clock::{Clock, rfc3339};
use protocol::webhook_event::kinds;
use serde_json::{Value, json};
use store::{
    Actor, AuditAction, EndpointKey, EventSelection, KnownEndpoint, ListedEvent, Store, WebhookEndpoint,
};

use super::key::vault;
use super::merchant::merchant;
use super::operator_name::current_actor;
use super::webhook_listen::WebhookListen;
use super::{Failure, Output, open, webhook_listen};
use crate::config::{Config, Settings};
use crate::service::open_store;
use merchants::keys::card_vault::CardVault;
use webhooks::secret_at_rest::{opened, stored};
use webhooks::{destination, sender};

/// `cardform webhook`.
#[derive(Debug, Subcommand)]
pub enum WebhookCommand {
    /// Sets the address of a merchant's first webhook endpoint, and prints the secret that signs them.
    Set(Box<WebhookSet>),
    /// Shows where merchants' events are posted, and which.
    Show(Box<WebhookShow>),
    /// Removes a merchant's first webhook endpoint, or another one; events that were not sent yet are given up.
    Remove(Box<WebhookRemove>),
    /// Lists events, the newest first.
    List(Box<WebhookList>),
    /// Sends events again.
    Replay(Box<WebhookReplay>),
    /// Receives events on this machine, checks and prints them. For developers.
    Listen(WebhookListen),
}

/// `cardform webhook set`.
#[derive(Debug, Args)]
pub struct WebhookSet {
    /// The merchant's id.
    #[arg(long)]
    pub partner_id: String,
    /// Where events are posted.
    #[arg(long)]
    pub url: String,
    /// The types of the events that are sent, like charge.succeeded,charge.failed, or `all`; otherwise they do not
    /// change. A new endpoint gets all.
    #[arg(long, value_name = "TYPES", value_delimiter = ',')]
    pub events: Option<Vec<String>>,
    /// Makes a new secret; otherwise an existing one does not change.
    #[arg(long)]
    pub new_secret: bool,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}

/// `cardform webhook show`.
#[derive(Debug, Args)]
pub struct WebhookShow {
    /// The merchant's id [default: all merchants].
    #[arg(long)]
    pub partner_id: Option<String>,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}

/// `cardform webhook remove`.
#[derive(Debug, Args)]
pub struct WebhookRemove {
    /// The merchant's id.
    #[arg(long)]
    pub partner_id: String,
    /// The endpoint's id, as `cardform webhook show` has it [default: the first endpoint].
    #[arg(long, value_name = "ID")]
    pub endpoint: Option<String>,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}

/// The events of a command.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct ReplayedEvents {
    /// One event.
    #[arg(long = "event", value_name = "ID")]
    pub event_id: Option<String>,
    /// All events of a charge.
    #[arg(long = "charge", value_name = "ID")]
    pub charge_id: Option<String>,
    /// All events of a merchant.
    #[arg(long = "partner-id", value_name = "ID")]
    pub partner_id: Option<String>,
    /// The events of a merchant that were given up.
    #[arg(long = "given-up-of", value_name = "PARTNER_ID")]
    pub given_up_of: Option<String>,
}

/// `cardform webhook list`.
#[derive(Debug, Args)]
pub struct WebhookList {
    /// Which events.
    #[command(flatten)]
    pub events: ReplayedEvents,
    /// How many at most.
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub limit: u32,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}

/// `cardform webhook replay`.
#[derive(Debug, Args)]
pub struct WebhookReplay {
    /// Which events.
    #[command(flatten)]
    pub events: ReplayedEvents,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}

pub(super) async fn run(command: WebhookCommand, output: Output) -> Result<(), Failure> {
    match command {
        WebhookCommand::Set(args) => set(*args, output).await,
        WebhookCommand::Show(args) => show(*args, output).await,
        WebhookCommand::Remove(args) => remove(*args, output).await,
        WebhookCommand::List(args) => list(*args, output).await,
        WebhookCommand::Replay(args) => replay(*args, output).await,
        WebhookCommand::Listen(args) => webhook_listen::run(args, output).await,
    }
}

const NO_WEBHOOK: &str = "there is no webhook of a merchant with this --partner-id";

/// The endpoints of this merchant, at least one.
async fn existing_endpoints(store: &Store, partner_id: &str) -> Result<Vec<KnownEndpoint>, Failure> {
    let endpoints = store.webhook_endpoints_of(partner_id).await?;
    if endpoints.is_empty() {
        return Err(NO_WEBHOOK.into());
    }
    Ok(endpoints)
}

/// The first endpoint of this merchant; if that was removed, its oldest one.
pub(super) async fn existing_endpoint(store: &Store, partner_id: &str) -> Result<KnownEndpoint, Failure> {
    let endpoints = existing_endpoints(store, partner_id).await?;
    let first = endpoints.iter().position(|one| one.endpoint_id.is_empty());
    let endpoint = endpoints.into_iter().nth(first.unwrap_or_default());
    Ok(endpoint.ok_or(NO_WEBHOOK)?)
}

/// Every type of event.
fn known_kinds() -> Vec<String> {
    kinds().collect()
}

/// Checks a type of event.
pub(super) fn checked_kind(given: &str, flag: &str, known: &[String]) -> Result<String, String> {
    if known.iter().any(|kind| kind == given) {
        return Ok(given.to_owned());
    }
    Err(format!(
        "{flag} has no event `{given}`; there are {}",
        known.join(", ")
    ))
}

/// The events that an endpoint gets.
pub(super) enum EventChoice {
    /// The same as before; all at a new endpoint.
    Unchanged,
    All,
    /// These types.
    Only(Vec<String>),
}

/// The choice that `--events` names.
fn event_choice(given: &[String]) -> Result<EventChoice, Failure> {
    if given.iter().any(|kind| kind == "all") {
        return match given.len() {
            1 => Ok(EventChoice::All),
            _ => Err("--events has `all` beside other types".into()),
        };
    }
    let mut kinds = Vec::new();
    for kind in given {
        let kind = checked_kind(kind.trim(), "--events", &known_kinds())?;
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    Ok(EventChoice::Only(kinds))
}

/// A change of a merchant's endpoint.
pub(super) struct EndpointChange {
    /// Where events are posted.
    pub(super) url: String,
    /// The events that it gets.
    pub(super) events: EventChoice,
    /// Whether it gets a new secret.
    pub(super) new_secret: bool,
}

/// Checks a merchant's URL against the settings.
pub(super) fn checked_url(url: &str, flag: &str, config: &Config) -> Result<String, String> {
    destination::parse(url, config.webhook_private_networks)
        .map(String::from)
        .map_err(|error| format!("{flag} {error}"))
}

/// The vault that wraps secrets. If the database has wrapped secrets, a command without a vault fails, so that it adds
/// no secret that is not wrapped.
pub(super) async fn vault_of_secrets(
    config: &Config,
    store: &Store,
) -> Result<Option<Arc<CardVault>>, Failure> {
    let vault = vault(config)?;
    if vault.is_none() && store.has_wrapped_secrets().await? {
        return Err(
            "this database's secrets are wrapped by the vault's keys: give this command the vault_key_file of the \
             service (--vault-key-file FILE, CARDFORM_VAULT_KEY_FILE, or its --config)"
                .into(),
        );
    }
    Ok(vault)
}

/// Sets a merchant's first endpoint and returns it with its newest secret. An existing secret does not change, unless a new one is
/// wanted; then the former one also signs for a while.
pub(super) async fn put_endpoint(
    store: &Store,
    vault: Option<&CardVault>,
    partner_id: &str,
    change: EndpointChange,
    by: &Actor,
) -> Result<(WebhookEndpoint, Sensitive), Failure> {
    let ring = vault.map(CardVault::ring);
    let ring = ring.as_deref();
    let before = store.webhook_endpoint(partner_id).await?;
    let opened = before
        .as_ref()
        .map(|before| opened(ring, partner_id, &before.secret));
    let (secrets, is_new) = match opened {
        Some(former) if !change.new_secret => (
            former.map_err(|cause| {
                format!(
                    "the webhook secret of {partner_id} cannot be opened: {cause}; --new-secret makes another, which \
                     the merchant must be given"
                )
            })?,
            false,
        ),
        Some(Ok(former)) => {
            let until = by.at / 1_000 + sender::FORMER_SECRET_SECONDS;
            (sender::rolled(&sender::new_secret()?, &former, until), true)
        }
        _ => (sender::new_secret()?, true),
    };
    let endpoint = WebhookEndpoint {
        partner_id: partner_id.to_owned(),
        url: change.url,
        events: match change.events {
            EventChoice::Unchanged => before.and_then(|before| before.events),
            EventChoice::All => None,
            EventChoice::Only(kinds) => Some(kinds),
        },
        secret: stored(ring, partner_id, &secrets)
            .map_err(|cause| format!("the webhook secret of {partner_id} cannot be kept: {cause}"))?,
        created_at: by.at,
    };
    store.put_webhook_endpoint(&endpoint).await?;
    let detail = json!({ "url": endpoint.url, "events": endpoint.events, "new_secret": is_new });
    store
        .record_action(by, AuditAction::WebhookSet, partner_id, &detail)
        .await?;
    Ok((endpoint, sender::newest(&secrets)))
}

async fn set(args: WebhookSet, output: Output) -> Result<(), Failure> {
    let config = args.settings.resolve()?;
    let url = checked_url(&args.url, "--url", &config)?;
    let events = match args.events.as_deref() {
        Some(given) => event_choice(given)?,
        None => EventChoice::Unchanged,
    };
    let store = open_store(&config).await?;
    merchant(&store, &args.partner_id).await?;
    let vault = vault_of_secrets(&config, &store).await?;
    let by = current_actor(&config, &Clock::system());
    let partner_id = args.partner_id;
    let change = EndpointChange {
        url,
        events,
        new_secret: args.new_secret,
    };
    let (endpoint, secret) = put_endpoint(&store, vault.as_deref(), &partner_id, change, &by).await?;
    let secret = secret.expose();
    store.close().await;
    let mut json = endpoint_row(&endpoint.partner_id, &endpoint.url, endpoint.events.as_deref());
    json["webhook_secret"] = json!(secret);
    let text = endpoint_text(&endpoint.partner_id, &endpoint.url, endpoint.events.as_deref());
    output.print(&json, &format!("{text}\nwebhook secret  {secret}"))
}

async fn show(args: WebhookShow, output: Output) -> Result<(), Failure> {
    let (_, store) = open(args.settings).await?;
    let endpoints = match &args.partner_id {
        Some(partner_id) => existing_endpoints(&store, partner_id).await?,
        None => store.webhook_endpoints(&EndpointKey::first(""), i64::MAX).await?,
    };
    store.close().await;
    let rows: Vec<Value> = endpoints.iter().map(known_row).collect();
    let text: Vec<String> = endpoints.iter().map(known_text).collect();
    output.print(&json!(rows), &text.join("\n\n"))
}

/// An endpoint without its secret.
fn endpoint_row(partner_id: &str, url: &str, events: Option<&[String]>) -> Value {
    json!({
        "partner_id": partner_id,
        "webhook_url": url,
        "events": events.map_or_else(known_kinds, <[String]>::to_vec),
    })
}

fn endpoint_text(partner_id: &str, url: &str, events: Option<&[String]>) -> String {
    let events = events.map_or_else(|| "all".to_owned(), |events| events.join(", "));
    format!("partner id      {partner_id}\nwebhook url     {url}\nevents          {events}")
}

fn known_row(endpoint: &KnownEndpoint) -> Value {
    let mut row = endpoint_row(&endpoint.partner_id, &endpoint.url, endpoint.events.as_deref());
    row["endpoint_id"] = json!(endpoint.id);
    row["description"] = json!(endpoint.description);
    row
}

fn known_text(endpoint: &KnownEndpoint) -> String {
    let text = endpoint_text(&endpoint.partner_id, &endpoint.url, endpoint.events.as_deref());
    format!("{text}\nendpoint id     {}", endpoint.id)
}

async fn remove(args: WebhookRemove, output: Output) -> Result<(), Failure> {
    let (config, store) = open(args.settings).await?;
    let by = current_actor(&config, &Clock::system());
    let key = match &args.endpoint {
        None => EndpointKey::first(&args.partner_id),
        Some(id) => {
            let endpoints = existing_endpoints(&store, &args.partner_id).await?;
            let found = endpoints.iter().find(|endpoint| endpoint.id == *id);
            found
                .ok_or("the merchant has no webhook endpoint with this id")?
                .key()
        }
    };
    if !store.remove_webhook_endpoint(&key, None, by.at).await? {
        return Err(NO_WEBHOOK.into());
    }
    store
        .record_action(
            &by,
            AuditAction::WebhookRemoved,
            &args.partner_id,
            &json!({ "endpoint": args.endpoint }),
        )
        .await?;
    store.close().await;
    output.print(&json!({ "removed": args.partner_id }), "removed")
}

async fn list(args: WebhookList, output: Output) -> Result<(), Failure> {
    let (_, store) = open(args.settings).await?;
    let events = store
        .webhook_events(event_selection(&args.events)?, args.limit.into())
        .await?;
    store.close().await;
    let rows: Vec<Value> = events.iter().map(row).collect();
    let text: Vec<String> = events.iter().map(text).collect();
    output.print(&json!(rows), &text.join("\n"))
}

async fn replay(args: WebhookReplay, output: Output) -> Result<(), Failure> {
    let (_, store) = open(args.settings).await?;
    let replayed = store
        .replay_events(event_selection(&args.events)?, Clock::system().now_ms())
        .await?;
    store.close().await;
    output.print(
        &json!({ "replayed": replayed }),
        &format!("{replayed} events are sent again by the running service"),
    )
}

fn event_selection(events: &ReplayedEvents) -> Result<EventSelection<'_>, Failure> {
    let ReplayedEvents {
        event_id,
        charge_id,
        partner_id,
        given_up_of,
    } = events;
    event_id
        .as_deref()
        .map(EventSelection::Event)
        .or(charge_id.as_deref().map(EventSelection::OfCharge))
        .or(partner_id.as_deref().map(EventSelection::OfPartner))
        .or(given_up_of.as_deref().map(EventSelection::GivenUp))
        .ok_or_else(|| "say which events: --event, --charge, --partner-id or --given-up-of".into())
}

fn row(event: &ListedEvent) -> Value {
    json!({
        "id": event.id,
        "partner_id": event.partner_id,
        "endpoint_id": event.endpoint_id,
        "charge_id": event.charge_id,
        "type": event.kind,
        "sequence": event.number,
        "state": event.state,
        "tries": event.tries,
        "last_result": event.last_result,
        "created_at": rfc3339(event.created_at),
        "next_try_at": (event.state == "due").then(|| rfc3339(event.next_try_at)),
    })
}

fn text(event: &ListedEvent) -> String {
    let ListedEvent {
        id,
        charge_id,
        kind,
        state,
        tries,
        ..
    } = event;
    let result = event.last_result.as_deref().unwrap_or("-");
    format!("{id}  {charge_id}  {kind}  {state}  {tries} tries  {result}")
}
