//! Makes the state of every room, from the lowest floor up.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use page::Pages;
use protocol::clock::Clock;
use providers::{Provider, ProviderError};
use reqwest::Url;
use store::Store;

use super::app::{App, Rooms};
use super::readiness::Readiness;
use super::{StartError, make_store};
use crate::config::{Config, ConnectorError, reachable};
use crate::pages::{CspReports, ServedPages, keep_assets};
use crate::telemetry::metrics::Metrics;
use crate::telemetry::traces::trace_parent_of_call;
use demo::shop::Demo;
use demo::shop::demo_mode::{
    DemoError, DemoMode, fraud_stand_in, make_data_directory, make_operator_key, make_vault_keys,
};
use experiments::experiment_token::TokenIssuer;
use experiments::{Experiments, Refresher};
use merchants::accounts::Merchants;
use merchants::callers::Callers;
use merchants::keys::card_vault::CardVault;
use merchants::keys::signing::SigningKeys;
use merchants::keys::signing::client_secret::ClientSecrets;
use payments::charges::Charges;
use payments::charges::ReturnLookupLimit;
use payments::charges::counts::ChargeCounts;
use payments::charges::press::Presses;
use payments::checks::expiry::ChargeExpiry;
use payments::checks::payment_gate::PaymentGate;
use payments::saved_cards::SavedCards;
use tracking::events::Events;
use tracking::operator::key::Operator;
use tracking::operator::{ReportReplica, Reports};
use tracking::visits::Visits;
use web::connections::Connections;
use webhooks::delivery::Webhooks;

/// What most rooms need.
struct SharedParts {
    store: Store,
    merchants: Merchants,
    clock: Clock,
    public_url: Arc<str>,
    provider: Arc<Provider>,
    vault: Option<Arc<CardVault>>,
    signing_keys: Arc<SigningKeys>,
    client_secrets: ClientSecrets,
    experiments: Experiments,
    metrics: Arc<Metrics>,
    charge_counts: ChargeCounts,
    gate: PaymentGate,
}

/// The rooms of a service that listens on `address`, and the task that keeps its features document up to date.
pub(super) async fn assemble(
    mut config: Config,
    clock: Clock,
    address: SocketAddr,
    connections: &Connections,
) -> Result<(App, Option<Refresher>), StartError> {
    let scheme = if config.tls.is_some() { "https" } else { "http" };
    let own_origin = format!("{scheme}://{}", reachable(address));
    let public_url: Arc<str> = config.public_url.as_deref().unwrap_or(&own_origin).into();
    if let Some(data) = config.demo.clone() {
        prepare_demo(&mut config, &data, &public_url)?;
    }
    let provider = Arc::new(provider(&config, &own_origin, &public_url)?);
    let (experiments, refresher) = Experiments::start(config.features.clone())
        .await
        .map_err(StartError::Features)?;
    let vault = config.vault_keys.clone().map(CardVault::open).transpose()?;
    let vault = vault.map(Arc::new);
    let operator = config.operator_key.clone().map(Operator::open).transpose()?;
    let pages = Pages::start(config.pages.clone(), config.render)?;
    let store = make_store(&config).await?;
    let unusable = |error| StartError::Store(Box::new(config.database.clone()), error);
    keep_assets(&store, &clock).await.map_err(unusable)?;
    let demo = match &config.demo {
        Some(data) => Some(Arc::new(Demo {
            mode: DemoMode::prepare(data, &public_url, &own_origin, &store, vault.as_deref(), &clock).await?,
            public_url: Arc::clone(&public_url),
            challenge_sources: provider.challenge_sources().to_owned(),
        })),
        None => None,
    };
    let signing_keys = Arc::new(SigningKeys::load(store.clone(), clock.clone(), vault.clone()).await?);
    let known_experiments = store.experiments_told().await.map_err(unusable)?;
    let visits = Arc::new(Visits::new(known_experiments));
    let events = Events::new(
        store.clone(),
        clock.clone(),
        Arc::clone(&visits),
        config.events.clone(),
    );
    let lifetime = config.client_secret_lifetime;
    let charge_counts = ChargeCounts::default();
    let shared = SharedParts {
        client_secrets: ClientSecrets::new(Arc::clone(&signing_keys), clock.clone(), lifetime),
        metrics: Arc::new(Metrics::new(&pages, connections, |registry| {
            events.counts.register(registry);
            charge_counts.register(registry);
            provider.register(registry);
        })),
        charge_counts,
        gate: PaymentGate::read(store.clone()).await.map_err(unusable)?,
        merchants: Merchants::new(store.clone()),
        store,
        clock,
        public_url,
        provider,
        vault,
        signing_keys,
        experiments,
    };
    let webhooks = Arc::new(shared.webhooks(&config)?);
    let saved_cards = Arc::new(shared.saved_cards(&config));
    let charges = Arc::new(shared.charges(&config, Arc::clone(&saved_cards), Arc::clone(&webhooks)));
    let app = App::new(Rooms {
        proxies: Arc::new(config.proxies.clone()),
        callers: Arc::new(shared.callers()),
        token_issuer: Arc::new(shared.token_issuer(&config)),
        reports: Arc::new(Reports {
            replica: config.database_replica.clone().map(ReportReplica::new),
            store: shared.store.clone(),
            clock: shared.clock.clone(),
            counts: events.counts.clone(),
            operator,
        }),
        pages: Arc::new(shared.pages(&config, pages, Arc::clone(&charges))),
        readiness: Readiness::new(),
        config,
        public_url: shared.public_url,
        store: shared.store,
        clock: shared.clock,
        signing_keys: shared.signing_keys,
        experiments: shared.experiments,
        metrics: shared.metrics,
        visits,
        events: Arc::new(events),
        webhooks,
        saved_cards,
        charges,
        demo,
    });
    Ok((app, refresher))
}

impl SharedParts {
    fn callers(&self) -> Callers {
        Callers {
            store: self.store.clone(),
            clock: self.clock.clone(),
            client_secrets: self.client_secrets.clone(),
        }
    }

    fn token_issuer(&self, config: &Config) -> TokenIssuer {
        TokenIssuer {
            experiments: self.experiments.clone(),
            client_secrets: self.client_secrets.clone(),
            clock: self.clock.clone(),
            is_https: config.pages.is_https,
        }
    }

    fn webhooks(&self, config: &Config) -> Result<Webhooks, StartError> {
        let webhooks = Webhooks::new(
            self.store.clone(),
            self.clock.clone(),
            self.vault.clone(),
            config.webhook_interval,
            config.webhook_private_networks,
        );
        webhooks.map_err(StartError::Webhooks)
    }

    fn expiry(&self, config: &Config) -> ChargeExpiry {
        let lifetime = config.charges.lifetime;
        ChargeExpiry::new(
            self.store.clone(),
            self.clock.clone(),
            lifetime,
            self.gate.clone(),
        )
    }

    fn saved_cards(&self, config: &Config) -> SavedCards {
        SavedCards {
            store: self.store.clone(),
            clock: self.clock.clone(),
            vault: self.vault.clone(),
            provider: Arc::clone(&self.provider),
            client_secrets: self.client_secrets.clone(),
            expiry: self.expiry(config),
            tell_interval: config.charges.reconcile_interval,
        }
    }

    fn charges(&self, config: &Config, saved_cards: Arc<SavedCards>, webhooks: Arc<Webhooks>) -> Charges {
        Charges {
            store: self.store.clone(),
            clock: self.clock.clone(),
            provider: Arc::clone(&self.provider),
            signing_keys: Arc::clone(&self.signing_keys),
            client_secrets: self.client_secrets.clone(),
            experiments: self.experiments.clone(),
            saved_cards,
            expiry: self.expiry(config),
            webhooks,
            counts: self.charge_counts.clone(),
            public_url: Arc::clone(&self.public_url),
            settings: config.charges.clone(),
            presses: Presses::default(),
            merchants: self.merchants.clone(),
            return_lookup_limit: ReturnLookupLimit::default(),
        }
    }

    fn pages(&self, config: &Config, pages: Pages, charges: Arc<Charges>) -> ServedPages {
        ServedPages {
            pages,
            store: self.store.clone(),
            charges,
            experiments: self.experiments.clone(),
            metrics: Arc::clone(&self.metrics),
            is_demo: config.demo.is_some(),
            merchants: self.merchants.clone(),
            csp_reports: CspReports::default(),
        }
    }
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
pub(super) fn provider(config: &Config, own_origin: &str, public_url: &str) -> Result<Provider, StartError> {
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
