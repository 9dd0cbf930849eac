//! Starts and stops the service: database, keys, provider, listener, reconciler.

pub mod app;
pub mod demo_mode;
mod exposure;
pub mod housekeeping;
pub mod key_files;
pub mod readiness;
pub mod routes;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use model::clock::Clock;
use page::{AssetsError, Pages};
use providers::stripe::api_key::{ApiKey, ApiKeyError};
use providers::{Provider, ProviderError};
use reqwest::Url;
use store::{Database, Store, StoreError};
use thiserror::Error;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

use self::app::{App, SharedApp};
use self::demo_mode::{
    DemoError, DemoMode, fraud_stand_in, make_data_directory, make_operator_key, make_vault_keys,
};
use self::exposure::{log_database_exposure, log_exposures};
use self::key_files::{OpenKeyFile, open_key_files};
use self::readiness::Readiness;
use self::routes::router;
use crate::charges::active_partners::ActivePartners;
use crate::charges::client_secret::ClientSecrets;
use crate::charges::press::Presses;
use crate::charges::reconciler;
use crate::charges::return_looks::ReturnLooks;
use crate::config::{Config, ProviderChoice, SinkChoice, reachable};
use crate::events::{Events, KafkaAccess, KafkaLoginError, collector};
use crate::experiments::{Experiments, Refresher};
use crate::http::connection::Pace;
use crate::http::connections::{Connections, DESCRIPTORS_WANTED, raise_descriptor_limit};
use crate::http::listener::{ListenError, Listening, bind};
use crate::http::tls::{Tls, TlsError};
use crate::operator::key::{Operator, OperatorKeyError};
use crate::pages::{CspReports, Embedders, Payees, keep_assets};
use crate::saved_cards::at_provider;
use crate::saved_cards::card_vault::{CardVault, KeysError};
use crate::signing::{SigningError, SigningKeys};
use crate::telemetry::metrics::Metrics;
use crate::visits::{self, Visits};
use crate::webhooks::delivery::{self, Webhooks};
use crate::webhooks::secret_at_rest::protect_secrets;

/// How long after the provider's time-out a stopping service waits for what is under way.
const DRAIN_GRACE: Duration = Duration::from_secs(5);

/// A running service.
pub struct Service {
    /// Where it listens.
    pub address: SocketAddr,
    /// Its parts.
    pub app: SharedApp,
    server: Listening,
    stop: watch::Sender<bool>,
    reconciler: JoinHandle<()>,
    deliveries: JoinHandle<()>,
    saved_cards: JoinHandle<()>,
    features: Option<JoinHandle<()>>,
    features_now: Arc<Notify>,
    tls: Option<Tls>,
    housekeeping: JoinHandle<()>,
    readiness: JoinHandle<()>,
    events: JoinHandle<()>,
    events_stop: watch::Sender<bool>,
    visits: JoinHandle<()>,
}

/// Why the service cannot start. Each is one line for the operator.
#[derive(Debug, Error)]
pub enum StartError {
    /// The address cannot be listened on.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// The database cannot be used.
    #[error("cannot use the database {0}: {1}")]
    Store(Box<Database>, StoreError),
    /// The certificate cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// Kafka's certificates or password cannot be used.
    #[error(transparent)]
    Kafka(#[from] KafkaLoginError),
    /// The signing keys cannot be used.
    #[error(transparent)]
    Signing(#[from] SigningError),
    /// The provider's connection.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// No provider is set.
    #[error("there is no provider: set provider_url (--provider-url URL, CARDFORM_PROVIDER_URL)")]
    NoProvider,
    /// The provider's key.
    #[error(transparent)]
    ProviderKey(#[from] ApiKeyError),
    /// The vault's keys.
    #[error(transparent)]
    Keys(#[from] KeysError),
    /// The operator's key.
    #[error(transparent)]
    OperatorKey(#[from] OperatorKeyError),
    /// The connection to merchants' endpoints.
    #[error("cannot prepare the sending of webhooks: {0}")]
    Webhooks(reqwest::Error),
    /// The connection to the features document.
    #[error("cannot prepare the fetching of the features document: {0}")]
    Features(reqwest::Error),
    /// The built page.
    #[error(transparent)]
    Assets(#[from] AssetsError),
    /// Others on this machine can read a key.
    #[error("{0}, or leave strict_permissions out")]
    OpenKeyFile(OpenKeyFile),
    /// Demo mode.
    #[error(transparent)]
    Demo(#[from] DemoError),
}

impl Service {
    /// Starts with these settings. When it returns, requests are answered.
    pub async fn start(config: Config, clock: Clock) -> Result<Self, StartError> {
        log_exposures(&config);
        if let SinkChoice::Kafka(kafka) = &config.events.sink {
            // What cannot be used is known now, and not when the first event comes.
            KafkaAccess::open(kafka)?;
        }
        key_files_are_private(&config)?;
        let tls = config.tls.clone().map(Tls::open).transpose()?;
        let listener = bind(config.listen).await?;
        let address = listener.local_addr().map_err(ListenError::Address)?;
        let connections = limited_connections(&config);
        let (app, refresher) = assemble(config, clock, address, &connections).await?;
        let app = Arc::new(app);
        if app.vault.is_none() {
            // Payments go on without.
            tracing::warn!(
                "saving cards is off, and the keys that sign client secrets and the secrets that sign webhooks lie in the \
                 database as they are: there is no vault_key_file (`cardform key generate` makes a key for it)"
            );
        }
        let protected = protect_secrets(&app).await;
        protected.map_err(|error| StartError::Store(Box::new(app.config.database.clone()), error))?;
        // So that the first question is answered with what is so.
        readiness::try_database(&app).await;
        let features_now = Arc::new(Notify::new());
        let (stop, stopped) = watch::channel(false);
        let (events_stop, events_stopped) = watch::channel(false);
        let pace = Pace::new(
            app.config.connections.head_timeout,
            app.config.connections.request_timeout,
            app.config.provider_timeout + DRAIN_GRACE,
        );
        Ok(Self {
            address,
            server: Listening::serve_within(connections, listener, tls.clone(), router(&app), pace),
            reconciler: tokio::spawn(reconciler::run(Arc::clone(&app), stopped.clone())),
            deliveries: tokio::spawn(delivery::run(Arc::clone(&app), stopped.clone())),
            saved_cards: tokio::spawn(at_provider::run(Arc::clone(&app), stopped.clone())),
            visits: tokio::spawn(visits::run(Arc::clone(&app), stopped.clone())),
            features: refresher
                .map(|refresher| tokio::spawn(refresher.run(stopped.clone(), Arc::clone(&features_now)))),
            features_now,
            tls,
            readiness: tokio::spawn(readiness::run(Arc::clone(&app), stopped.clone())),
            housekeeping: tokio::spawn(housekeeping::run(Arc::clone(&app), stopped)),
            events: tokio::spawn(collector::run(Arc::clone(&app), events_stopped)),
            events_stop,
            app,
            stop,
        })
    }

    /// Where it is reached on this machine.
    pub fn url(&self) -> String {
        let scheme = if self.app.config.tls.is_some() {
            "https"
        } else {
            "http"
        };
        format!("{scheme}://{}", self.address)
    }

    /// Reads certificates, the vault's keys and the features document again. What has become unusable is an error in the log,
    /// and what is in use stays.
    pub fn reload(&self) {
        tracing::info!("asked to read certificates, keys and features again");
        if let Some(tls) = &self.tls {
            tls.reload();
        }
        if let Some(vault) = &self.app.vault {
            vault.ring();
        }
        self.features_now.notify_one();
    }

    /// Says that it will stop, and serves on for as long as the settings say, until whoever sends it requests has heard.
    pub async fn drain(&self) {
        self.app.readiness.stop();
        tokio::time::sleep(self.app.config.drain).await;
    }

    /// Stops: takes no new connections, lets what is under way finish within the provider's time-out, and closes the
    /// database.
    pub async fn stop(self) {
        let limit = self.app.config.provider_timeout + DRAIN_GRACE;
        self.stop.send_replace(true);
        self.server.stop(limit).await;
        self.app.presses.drained(limit).await;
        // Requests put events in until now.
        self.events_stop.send_replace(true);
        // One that panicked has nothing left to stop.
        let _ = self.reconciler.await;
        let _ = self.deliveries.await;
        let _ = self.saved_cards.await;
        if let Some(features) = self.features {
            let _ = features.await;
        }
        let _ = self.housekeeping.await;
        let _ = self.readiness.await;
        let _ = self.events.await;
        let _ = self.visits.await;
        // The last events came while the others stopped.
        if let Err(cause) = self.app.visits.flush(&self.app.store).await {
            tracing::warn!(%cause, "the last visits could not be written");
        }
        self.app.store.close().await;
    }
}

/// How many connections there may be, with the limit of descriptors raised as far as it goes.
fn limited_connections(config: &Config) -> Connections {
    let descriptors = raise_descriptor_limit();
    let mut limits = config.connections.limits(descriptors);
    limits.proxies.clone_from(&config.client_ip_proxies);
    let connections_max = limits.total;
    if config
        .connections
        .total
        .is_some_and(|wanted| wanted > connections_max)
    {
        tracing::warn!(
            descriptors,
            connections_max,
            "connections_max is more than there are file descriptors for (raise LimitNOFILE, or ulimit -n)"
        );
    } else if descriptors < DESCRIPTORS_WANTED {
        tracing::warn!(
            descriptors,
            connections_max,
            "there are few file descriptors (raise LimitNOFILE, or ulimit -n)"
        );
    }
    Connections::new(limits)
}

/// Says which files with keys others can read; with `strict_permissions` one is enough not to start.
fn key_files_are_private(config: &Config) -> Result<(), StartError> {
    for open in open_key_files(config) {
        if config.strict_permissions {
            return Err(StartError::OpenKeyFile(open));
        }
        tracing::warn!("{open}");
    }
    Ok(())
}

/// The parts of the service, for one that listens on `address`, and what keeps its features document up to date.
async fn assemble(
    mut config: Config,
    clock: Clock,
    address: SocketAddr,
    connections: &Connections,
) -> Result<(App, Option<Refresher>), StartError> {
    let scheme = if config.tls.is_some() { "https" } else { "http" };
    let own_origin = format!("{scheme}://{}", reachable(address));
    let public_url = config.public_url.clone().unwrap_or_else(|| own_origin.clone());
    let provider = provider(&config, &own_origin, &public_url)?;
    if config.demo.is_some() && config.fraud_scripts.is_none() {
        config.fraud_scripts = fraud_stand_in(&public_url);
    }
    if let Some(data) = &config.demo {
        make_data_directory(data).map_err(DemoError::Data)?;
        make_vault_keys(data)?;
        make_operator_key(data)?;
    }
    let (experiments, refresher) = Experiments::start(config.features.clone())
        .await
        .map_err(StartError::Features)?;
    let vault = config
        .vault_keys
        .clone()
        .map(CardVault::open)
        .transpose()?
        .map(Arc::new);
    let operator = config.operator_key.clone().map(Operator::open).transpose()?;
    let webhooks = Webhooks::new(config.webhook_private_networks).map_err(StartError::Webhooks)?;
    let pages = Pages::start(config.render, &config.locale_routes)?;
    let store = make_store(&config).await?;
    keep_assets(&store, &clock)
        .await
        .map_err(|error| StartError::Store(Box::new(config.database.clone()), error))?;
    let demo = match &config.demo {
        Some(data) => Some(DemoMode::prepare(data, &public_url, &own_origin, &store, &clock).await?),
        None => None,
    };
    let signing_keys = Arc::new(SigningKeys::load(store.clone(), clock.clone(), vault.clone()).await?);
    let client_secrets = ClientSecrets::new(
        Arc::clone(&signing_keys),
        clock.clone(),
        config.client_secret_lifetime,
    );
    let events = Events::new(&config.events);
    let metrics = Metrics::new(&pages, &events.counts, connections);
    let told = store
        .experiments_told()
        .await
        .map_err(|error| StartError::Store(Box::new(config.database.clone()), error))?;
    let app = App {
        metrics,
        config,
        public_url,
        store,
        pages,
        embedders: Embedders::default(),
        payees: Payees::default(),
        experiments,
        clock,
        signing_keys,
        active_partners: ActivePartners::default(),
        client_secrets,
        provider,
        vault,
        presses: Presses::default(),
        webhooks,
        events,
        visits: Visits::new(told),
        operator,
        csp_reports: CspReports::default(),
        return_looks: ReturnLooks::default(),
        readiness: Readiness::new(),
        demo,
    };
    Ok((app, refresher))
}

fn provider(config: &Config, own_origin: &str, public_url: &str) -> Result<Provider, StartError> {
    let page_url = config.provider_public_url.as_ref();
    Ok(match (&config.provider, &config.demo) {
        (ProviderChoice::Stripe(url, key), _) => Provider::stripe(url, &ApiKey::read(key)?, page_url)?,
        (ProviderChoice::Simulator(_), Some(_)) => mounted_simulator(own_origin, public_url)?,
        (ProviderChoice::Simulator(Some(url)), None) => Provider::simulator(url, page_url.unwrap_or(url))?,
        (ProviderChoice::Simulator(None), None) => return Err(StartError::NoProvider),
    })
}

fn mounted_simulator(own_origin: &str, public_url: &str) -> Result<Provider, ProviderError> {
    let at = |origin: &str| Url::parse(&format!("{origin}/simulator")).map_err(|_| ProviderError);
    Provider::simulator(&at(own_origin)?, &at(public_url)?)
}

/// Opens the database that the settings name, and makes it when it is missing.
pub async fn make_store(config: &Config) -> Result<Store, StartError> {
    log_database_exposure(&config.database);
    Store::connect_with(&config.database, config.database_connections)
        .await
        .map_err(|error| StartError::Store(Box::new(config.database.clone()), error))
}

/// Whether there is a database where the settings name one. A service that was started with a wrong path must not begin
/// new, empty books.
pub async fn store_must_exist(config: &Config) -> Result<(), StartError> {
    Store::must_exist(&config.database)
        .await
        .map_err(|error| StartError::Store(Box::new(config.database.clone()), error))
}

/// Opens the database that the settings name; one that is missing stays so, since a command that was run in the wrong
/// folder must not make an empty one there.
pub async fn open_store(config: &Config) -> Result<Store, StartError> {
    log_database_exposure(&config.database);
    Store::connect_existing(&config.database)
        .await
        .map_err(|error| StartError::Store(Box::new(config.database.clone()), error))
}
