//! `cardform webhook set`, `show`, `remove`, `list` and `replay`: merchants' webhooks and their events.

use std::sync::Arc;

use model::clock::{Clock, rfc3339};
use model::webhook_event::{kind, statuses};
use serde_json::{Value, json};
use store::{Actor, AuditAction, AuditedAction, EventSelection, ListedEvent, Store, WebhookEndpoint};
use wire::Sensitive;

use super::key::vault;
use super::operator_name::current_actor;
use super::{Output, one_line, webhook_listen};
use crate::cli::webhook::{
    ReplayedEvents, WebhookCommand, WebhookList, WebhookRemove, WebhookReplay, WebhookSet, WebhookShow,
};
use crate::config::Config;
use crate::keys::card_vault::CardVault;
use crate::service::open_store;
use crate::webhooks::secret_at_rest::{opened, stored};
use crate::webhooks::{destination, sender};

pub(super) async fn run(command: WebhookCommand, output: Output) -> Result<(), String> {
    match command {
        WebhookCommand::Set(args) => set(*args, output).await,
        WebhookCommand::Show(args) => show(*args, output).await,
        WebhookCommand::Remove(args) => remove(*args, output).await,
        WebhookCommand::List(args) => list(*args, output).await,
        WebhookCommand::Replay(args) => replay(*args, output).await,
        WebhookCommand::Listen(args) => webhook_listen::run(args, output).await,
    }
}

/// Every type of event.
fn known_kinds() -> Vec<String> {
    statuses().map(kind).collect()
}

/// Checks a type of event.
pub(super) fn checked_kind(given: &str, flag: &str) -> Result<String, String> {
    let known = known_kinds();
    if known.iter().any(|kind| kind == given) {
        return Ok(given.to_owned());
    }
    Err(format!(
        "{flag} has no event `{given}`; there are {}",
        known.join(", ")
    ))
}

/// Which events an endpoint is to take.
pub(super) enum EventChoice {
    /// Those that it took before; all at a new endpoint.
    Unchanged,
    All,
    /// These types.
    Only(Vec<String>),
}

/// The choice that `--events` names.
fn event_choice(given: &[String]) -> Result<EventChoice, String> {
    if given.iter().any(|kind| kind == "all") {
        return match given.len() {
            1 => Ok(EventChoice::All),
            _ => Err("--events has `all` beside other types".to_owned()),
        };
    }
    let mut kinds = Vec::new();
    for kind in given {
        let kind = checked_kind(kind.trim(), "--events")?;
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    Ok(EventChoice::Only(kinds))
}

/// What is to change of a merchant's endpoint.
pub(super) struct EndpointChange {
    /// Where events are posted.
    pub(super) url: String,
    /// The events that it takes.
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
) -> Result<Option<Arc<CardVault>>, String> {
    let vault = vault(config)?;
    if vault.is_none() && store.has_wrapped_secrets().await.map_err(one_line)? {
        return Err(
            "this database's secrets are wrapped by the vault's keys: give this command the vault_key_file of the \
             service (--vault-key-file FILE, CARDFORM_VAULT_KEY_FILE, or its --config)"
                .to_owned(),
        );
    }
    Ok(vault)
}

/// Sets a merchant's endpoint and returns it with its secret. An existing secret does not change, unless a new one is
/// wanted.
pub(super) async fn put_endpoint(
    store: &Store,
    vault: Option<&CardVault>,
    partner_id: &str,
    change: EndpointChange,
    by: &Actor,
) -> Result<(WebhookEndpoint, Sensitive), String> {
    let ring = vault.map(CardVault::ring);
    let ring = ring.as_deref();
    let before = store.webhook_endpoint(partner_id).await.map_err(one_line)?;
    let (secret, is_new) = match &before {
        Some(before) if !change.new_secret => (
            opened(ring, partner_id, &before.secret).map_err(|cause| {
                format!(
                    "the webhook secret of {partner_id} cannot be opened: {cause}; --new-secret makes another, which \
                     the merchant must be given"
                )
            })?,
            false,
        ),
        _ => (sender::new_secret().map_err(one_line)?, true),
    };
    let endpoint = WebhookEndpoint {
        partner_id: partner_id.to_owned(),
        url: change.url,
        events: match change.events {
            EventChoice::Unchanged => before.and_then(|before| before.events),
            EventChoice::All => None,
            EventChoice::Only(kinds) => Some(kinds),
        },
        secret: stored(ring, partner_id, &secret)
            .map_err(|cause| format!("the webhook secret of {partner_id} cannot be kept: {cause}"))?,
        created_at: by.at,
    };
    store.put_webhook_endpoint(&endpoint).await.map_err(one_line)?;
    let act = AuditedAction {
        action: AuditAction::WebhookSet,
        subject: partner_id,
        detail: json!({ "url": endpoint.url, "events": endpoint.events, "new_secret": is_new }),
    };
    store.record_action(by, &act).await.map_err(one_line)?;
    Ok((endpoint, secret))
}

async fn set(args: WebhookSet, output: Output) -> Result<(), String> {
    let config = args.settings.resolve().map_err(one_line)?;
    let url = checked_url(&args.url, "--url", &config)?;
    let events = match args.events.as_deref() {
        Some(given) => event_choice(given)?,
        None => EventChoice::Unchanged,
    };
    let store = open_store(&config).await.map_err(one_line)?;
    if store.partner(&args.partner_id).await.map_err(one_line)?.is_none() {
        return Err("there is no merchant with this --partner-id".to_owned());
    }
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
    let mut json = endpoint_row(&endpoint);
    json["webhook_secret"] = json!(secret);
    let text = endpoint_text(&endpoint);
    output.print(&json, &format!("{text}\nwebhook secret  {secret}"))
}

async fn show(args: WebhookShow, output: Output) -> Result<(), String> {
    let config = args.settings.resolve().map_err(one_line)?;
    let store = open_store(&config).await.map_err(one_line)?;
    let endpoints = match &args.partner_id {
        Some(partner_id) => vec![
            store
                .webhook_endpoint(partner_id)
                .await
                .map_err(one_line)?
                .ok_or("there is no webhook of a merchant with this --partner-id")?,
        ],
        None => store.webhook_endpoints("", i64::MAX).await.map_err(one_line)?,
    };
    store.close().await;
    let rows: Vec<Value> = endpoints.iter().map(endpoint_row).collect();
    let text: Vec<String> = endpoints.iter().map(endpoint_text).collect();
    output.print(&json!(rows), &text.join("\n\n"))
}

/// An endpoint without its secret.
fn endpoint_row(endpoint: &WebhookEndpoint) -> Value {
    json!({
        "partner_id": endpoint.partner_id,
        "webhook_url": endpoint.url,
        "events": endpoint.events.clone().unwrap_or_else(known_kinds),
    })
}

fn endpoint_text(endpoint: &WebhookEndpoint) -> String {
    let events = match &endpoint.events {
        Some(events) => events.join(", "),
        None => "all".to_owned(),
    };
    format!(
        "partner id      {}\nwebhook url     {}\nevents          {events}",
        endpoint.partner_id, endpoint.url
    )
}

async fn remove(args: WebhookRemove, output: Output) -> Result<(), String> {
    let config = args.settings.resolve().map_err(one_line)?;
    let store = open_store(&config).await.map_err(one_line)?;
    let removed = store
        .remove_webhook_endpoint(&args.partner_id, Clock::system().now_ms())
        .await
        .map_err(one_line)?;
    if !removed {
        return Err("there is no webhook of a merchant with this --partner-id".to_owned());
    }
    let act = AuditedAction {
        action: AuditAction::WebhookRemoved,
        subject: &args.partner_id,
        detail: json!({}),
    };
    store
        .record_action(&current_actor(&config, &Clock::system()), &act)
        .await
        .map_err(one_line)?;
    store.close().await;
    output.print(&json!({ "removed": args.partner_id }), "removed")
}

async fn list(args: WebhookList, output: Output) -> Result<(), String> {
    let config = args.settings.resolve().map_err(one_line)?;
    let store = open_store(&config).await.map_err(one_line)?;
    let events = store
        .webhook_events(event_selection(&args.events)?, args.limit.into())
        .await
        .map_err(one_line)?;
    store.close().await;
    let rows: Vec<Value> = events.iter().map(row).collect();
    let text: Vec<String> = events.iter().map(text).collect();
    output.print(&json!(rows), &text.join("\n"))
}

async fn replay(args: WebhookReplay, output: Output) -> Result<(), String> {
    let config = args.settings.resolve().map_err(one_line)?;
    let store = open_store(&config).await.map_err(one_line)?;
    let replayed = store
        .replay_events(event_selection(&args.events)?, Clock::system().now_ms())
        .await
        .map_err(one_line)?;
    store.close().await;
    output.print(
        &json!({ "replayed": replayed }),
        &format!("{replayed} events are sent again by the running service"),
    )
}

fn event_selection(events: &ReplayedEvents) -> Result<EventSelection<'_>, String> {
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
        .ok_or_else(|| "say which events: --event, --charge, --partner-id or --given-up-of".to_owned())
}

fn row(event: &ListedEvent) -> Value {
    json!({
        "id": event.id,
        "partner_id": event.partner_id,
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
