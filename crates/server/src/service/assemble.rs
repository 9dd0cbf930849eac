//! Makes the state of every room. A room comes after the rooms that it uses.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use page::Pages;
use protocol::clock::Clock;
use providers::{Provider, ProviderError};
use reqwest::Url;

use super::app::{App, Rooms};
use super::readiness::Readiness;
use super::{StartError, make_store, unusable_store};
use crate::config::{Config, ConnectorError, reachable};
use crate::pages::{CspReports, ServedPages, keep_assets};
use crate::telemetry::metrics::Metrics;
use crate::telemetry::traces::trace_parent_of_call;
use demo::shop::Demo;
use demo::shop::demo_mode::{
    DemoError, DemoMode, fraud_stand_in, make_data_directory, make_operator_key, make_vault_keys,
};
use demo::simulator::{ClockMover, Simulator};
use experiments::experiment_token::TokenIssuer;
use experiments::{Experiments, Refresher};
use merchants::accounts::Merchants;
use merchants::callers::Callers;
use merchants::keys::card_vault::CardVault;
use merchants::keys::signing::SigningKeys;
use merchants::keys::signing::client_secret::ClientSecrets;
use merchants::operators::Operators;
use payments::charges::counts::ChargeCounts;
use payments::charges::press::Presses;
use payments::charges::{CallLimit, Charges};
use payments::checks::expiry::ChargeExpiry;
use payments::checks::payment_gate::PaymentGate;
use payments::saved_cards::SavedCards;
use tracking::events::Events;
use tracking::operator::{ReportReplica, Reports};
use tracking::visits::Visits;
use web::Connections;
use webhooks::delivery::Webhooks;

/// The rooms of a service that listens on `address`, and the task that keeps its features document up to date.
#[expect(clippy::too_many_lines, reason = "a list of the rooms with their parts")]
pub(super) async fn assemble(
    mut config: Config,
    clock: Clock,
    address: SocketAddr,
    connections: &Connections,
    simulator: Option<Arc<Simulator>>,
) -> Result<(App, Option<Refresher>), StartError> {
    let (own_origin, public_url) = origins(&config, address);
    let public_url: Arc<str> = public_url.into();
    if let Some(data) = config.demo.clone() {
        prepare_demo(&mut config, &data, &public_url)?;
    }
    let provider = Arc::new(provider(&config, &own_origin, &public_url)?);
    let (experiments, refresher) = Experiments::start(config.features.clone())
        .await
        .map_err(StartError::Features)?;
    let vault = config.vault_keys.clone().map(CardVault::open).transpose()?;
    let vault = vault.map(Arc::new);
    let operators = Operators::open(
        config.operator_key.clone(),
        config.operator_keys.as_deref(),
        clock.clone(),
    )?;
    let pages = Pages::start(config.pages.clone(), config.render)?;
    let store = make_store(&config).await?;
    keep_assets(&store, vault.as_deref(), &clock, i64::MAX)
        .await
        .map_err(unusable_store(&config))?;
    let demo = match &config.demo {
        Some(data) => Some(Arc::new(Demo {
            mode: DemoMode::prepare(data, &public_url, &own_origin, &store, vault.as_deref(), &clock).await?,
            public_url: Arc::clone(&public_url),
            challenge_sources: provider.challenge_sources().to_owned(),
            clock: config
                .demo_clock
                .then(|| Arc::new(ClockMover::new(clock.clone(), Some(data)))),
        })),
        None => None,
    };
    let signing_keys = Arc::new(SigningKeys::load(store.clone(), clock.clone(), vault.clone()).await?);
    let client_secrets = ClientSecrets::new(
        Arc::clone(&signing_keys),
        clock.clone(),
        config.client_secret_lifetime,
    );
    let merchants = Merchants::new(store.clone());
    let visits = Arc::new(Visits::new(experiments.clone()));
    let events = Events::new(
        store.clone(),
        clock.clone(),
        Arc::clone(&visits),
        config.events.clone(),
    );
    let counts = ChargeCounts::default();
    // A node that never reaches the provider is late from its start on.
    counts.reconciled(clock.now_seconds());
    let metrics = Arc::new(Metrics::new(&pages, connections, |registry| {
        events.counts.register(registry);
        counts.register(registry);
        provider.register(registry);
    }));
    let gate = PaymentGate::read(store.clone()).await;
    let gate = gate.map_err(unusable_store(&config))?;
    let expiry = ChargeExpiry::new(store.clone(), clock.clone(), config.charges.lifetime, gate);
    let webhooks = Webhooks::new(
        store.clone(),
        clock.clone(),
        vault.clone(),
        config.webhook_interval,
        config.webhook_private_networks,
    );
    let webhooks = Arc::new(webhooks.map_err(StartError::Webhooks)?);
    let saved_cards = Arc::new(SavedCards {
        store: store.clone(),
        clock: clock.clone(),
        vault,
        provider: Arc::clone(&provider),
        networks: Arc::clone(&config.card_networks),
        client_secrets: client_secrets.clone(),
        expiry: expiry.clone(),
        tell_interval: config.charges.reconcile_interval,
    });
    let charges = Arc::new(Charges {
        store: store.clone(),
        clock: clock.clone(),
        provider,
        signing_keys: Arc::clone(&signing_keys),
        client_secrets: client_secrets.clone(),
        experiments: experiments.clone(),
        saved_cards: Arc::clone(&saved_cards),
        expiry,
        webhooks: Arc::clone(&webhooks),
        counts,
        public_url: Arc::clone(&public_url),
        settings: config.charges.clone(),
        presses: Presses::default(),
        merchants: merchants.clone(),
        return_limit: CallLimit::of_returns(),
        device_data_limit: CallLimit::of_card_numbers(),
        networks_limit: CallLimit::of_card_numbers(),
        link_limit: CallLimit::of_links(),
    });
    let app = App::new(Rooms {
        proxies: Arc::new(config.proxies.clone()),
        callers: Arc::new(Callers {
            store: store.clone(),
            clock: clock.clone(),
            client_secrets: client_secrets.clone(),
        }),
        token_issuer: Arc::new(TokenIssuer {
            experiments: experiments.clone(),
            client_secrets,
            clock: clock.clone(),
            is_https: config.pages.is_https,
        }),
        reports: Arc::new(Reports {
            replica: config.database_replica.clone().map(ReportReplica::new),
            store: store.clone(),
            clock: clock.clone(),
            counts: events.counts.clone(),
        }),
        operators: Arc::new(operators),
        pages: Arc::new(ServedPages {
            pages,
            store: store.clone(),
            charges: Arc::clone(&charges),
            experiments: experiments.clone(),
            metrics: Arc::clone(&metrics),
            is_demo: config.demo.is_some(),
            merchants,
            csp_reports: CspReports::default(),
        }),
        readiness: Readiness::new(),
        config,
        public_url,
        store,
        clock,
        signing_keys,
        experiments,
        metrics,
        visits,
        events: Arc::new(events),
        webhooks,
        saved_cards,
        charges,
        demo,
        simulator,
    });
    Ok((app, refresher))
}

/// The origin of the service on this machine, and the one for shoppers.
pub(crate) fn origins(config: &Config, address: SocketAddr) -> (String, String) {
    let scheme = if config.tls.is_some() { "https" } else { "http" };
    let own = format!("{scheme}://{}", reachable(address));
    let public = config.public_url.clone().unwrap_or_else(|| own.clone());
    (own, public)
}

/// Prepares demo mode's folder, and adds its settings.
fn prepare_demo(config: &mut Config, data: &Path, public_url: &str) -> Result<(), DemoError> {
    if config.pages.fraud_scripts.is_none() {
        config.pages.fraud_scripts = fraud_stand_in(public_url);
    }
    make_data_directory(data).map_err(DemoError::Data)?;
    make_vault_keys(data)?;
    make_operator_key(data)
}

/// The provider of the settings. In demo mode the simulator is at the service's own address.
pub(crate) fn provider(config: &Config, own_origin: &str, public_url: &str) -> Result<Provider, StartError> {
    let choice = &config.provider;
    let page_url = config.provider_public_url.as_ref();
    let connector = match &choice.url {
        _ if config.demo.is_some() && choice.is_simulator() => {
            let at = |origin: &str| {
                let url = Url::parse(&format!("{origin}/simulator"));
                url.map_err(|_| ConnectorError::Client(ProviderError))
            };
            choice.connector(&at(own_origin)?, Some(&at(public_url)?))?
        }
        Some(url) => choice.connector(url, page_url)?,
        None => return Err(StartError::NoProvider),
    };
    Ok(Provider::new(connector, trace_parent_of_call))
}
