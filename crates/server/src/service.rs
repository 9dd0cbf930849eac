//! Starts and stops the service: database, keys, provider, listener, reconciler.

pub mod app;
mod assemble;
mod every_request;
mod exposure;
pub mod housekeeping;
pub mod key_files;
mod metrics;
pub mod readiness;
pub mod retention;
pub mod routes;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use page::AssetsError;
use protocol::clock::Clock;
use providers::Provider;
use store::{Database, Store, StoreError};
use thiserror::Error;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

use self::app::App;
use self::assemble::{assemble, provider};
use self::exposure::{log_database_exposure, log_exposures};
use self::key_files::open_key_files;
use self::routes::router;
use crate::config::{Config, ConnectorError};
use crate::pages::render_ahead;
use demo::shop::demo_mode::DemoError;
use merchants::keys::card_vault::KeysError;
use merchants::keys::key_file::OpenKeyFile;
use merchants::keys::signing::SigningError;
use payments::charges::reconciler;
use payments::saved_cards::at_provider;
use tracking::events::settings::SinkChoice;
pub use tracking::events::{KafkaAccess, KafkaLoginError, collector};
use tracking::operator::key::OperatorKeyError;
use tracking::operator::tallying;
use tracking::visits;
use web::connection::TimeLimits;
pub use web::connections::{Connections, DESCRIPTORS_WANTED, raise_descriptor_limit};
use web::listener::{ListenError, Listening, bind};
use web::tls::{Tls, TlsError};
use webhooks::delivery;

/// How long a stopping service waits for unfinished requests, in addition to the provider's timeout.
const DRAIN_GRACE: Duration = Duration::from_secs(5);

/// A running service.
pub struct Service {
    /// The address that it listens on.
    pub address: SocketAddr,
    /// Its parts.
    pub app: App,
    server: Listening,
    stop: watch::Sender<bool>,
    reconciler: JoinHandle<()>,
    deliveries: JoinHandle<()>,
    saved_cards: JoinHandle<()>,
    features: Option<JoinHandle<()>>,
    features_now: Arc<Notify>,
    tls: Option<Tls>,
    housekeeping: JoinHandle<()>,
    ahead: Option<JoinHandle<()>>,
    readiness: JoinHandle<()>,
    events: JoinHandle<()>,
    events_stop: watch::Sender<bool>,
    visits: JoinHandle<()>,
    tallying: JoinHandle<()>,
}

/// Why the service cannot start. The text is one line for the operator.
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
    /// The provider's connector could not be made.
    #[error(transparent)]
    Provider(#[from] ConnectorError),
    /// No provider is set.
    #[error("there is no provider: set provider_url (--provider-url URL, CARDFORM_PROVIDER_URL)")]
    NoProvider,
    /// The vault's keys cannot be used.
    #[error(transparent)]
    Keys(#[from] KeysError),
    /// The operator's key cannot be used.
    #[error(transparent)]
    OperatorKey(#[from] OperatorKeyError),
    /// The client that sends webhooks could not be made.
    #[error("cannot prepare the sending of webhooks: {0}")]
    Webhooks(reqwest::Error),
    /// The client that fetches the features document could not be made.
    #[error("cannot prepare the fetching of the features document: {0}")]
    Features(reqwest::Error),
    /// The built page cannot be used.
    #[error(transparent)]
    Assets(#[from] AssetsError),
    /// Other users of this machine can read a key file, and `strict_permissions` is set.
    #[error("{0}, or leave strict_permissions out")]
    OpenKeyFile(OpenKeyFile),
    /// Demo mode could not be prepared.
    #[error(transparent)]
    Demo(#[from] DemoError),
}

impl Service {
    /// Starts with these settings. When it returns, the service answers requests.
    pub async fn start(config: Config, clock: Clock) -> Result<Self, StartError> {
        log_exposures(&config);
        if let SinkChoice::Kafka(kafka) = &config.events.sink {
            // A wrong certificate or password is reported at start, not at the first event.
            KafkaAccess::open(kafka)?;
        }
        key_files_are_private(&config)?;
        let tls = config.tls.clone().map(Tls::open).transpose()?;
        let listener = bind(config.listen).await?;
        let address = listener.local_addr().map_err(ListenError::Address)?;
        let connections = limited_connections(&config);
        let (app, refresher) = assemble(config, clock, address, &connections).await?;
        if app.saved_cards.vault.is_none() {
            // Payments work without a vault.
            tracing::warn!(
                "saving cards is off, and the keys that sign client secrets and the secrets that sign webhooks lie in the \
                 database as they are: there is no vault_key_file (`cardform key generate` makes a key for it)"
            );
        }
        let protected = app.webhooks.protect_secrets().await;
        protected.map_err(|error| StartError::Store(Box::new(app.config.database.clone()), error))?;
        // So that the first request to `/readyz` gets the real state.
        readiness::try_database(&app).await;
        let features_now = Arc::new(Notify::new());
        let (stop, stopped) = watch::channel(false);
        let (events_stop, events_stopped) = watch::channel(false);
        let time_limits = TimeLimits::new(
            app.config.connections.head_timeout,
            app.config.connections.request_timeout,
            app.config.charges.provider_timeout + DRAIN_GRACE,
        );
        Ok(Self {
            address,
            server: Listening::serve_within(connections, listener, tls.clone(), router(&app), time_limits),
            reconciler: tokio::spawn(reconciler::run(Arc::clone(&app.charges), stopped.clone())),
            deliveries: tokio::spawn(delivery::run(Arc::clone(&app.webhooks), stopped.clone())),
            saved_cards: tokio::spawn(at_provider::run(Arc::clone(&app.saved_cards), stopped.clone())),
            visits: tokio::spawn(visits::run(
                Arc::clone(&app.visits),
                app.store.clone(),
                stopped.clone(),
            )),
            tallying: tokio::spawn(tallying::run(
                app.store.clone(),
                app.clock.clone(),
                stopped.clone(),
            )),
            features: refresher
                .map(|refresher| tokio::spawn(refresher.run(stopped.clone(), Arc::clone(&features_now)))),
            features_now,
            readiness: tokio::spawn(readiness::run(app.clone(), tls.clone(), stopped.clone())),
            housekeeping: tokio::spawn(housekeeping::run(app.clone(), stopped.clone())),
            ahead: (app.config.render_ahead)
                .then(|| tokio::spawn(render_ahead::run(Arc::clone(&app.pages), stopped))),
            events: tokio::spawn(collector::run(Arc::clone(&app.events), events_stopped)),
            tls,
            events_stop,
            app,
            stop,
        })
    }

    /// The URL of the service on this machine.
    pub fn url(&self) -> String {
        let scheme = if self.app.config.tls.is_some() {
            "https"
        } else {
            "http"
        };
        format!("{scheme}://{}", self.address)
    }

    /// Reads certificates, the vault's keys and the features document again. What cannot be used is logged, and the
    /// version in use stays.
    pub fn reload(&self) {
        tracing::info!("asked to read certificates, keys and features again");
        if let Some(tls) = &self.tls {
            tls.reload();
        }
        if let Some(vault) = &self.app.saved_cards.vault {
            vault.ring();
        }
        self.features_now.notify_one();
    }

    /// Makes `/readyz` fail and goes on serving for the time in the settings, so that load balancers send no more
    /// requests before the service stops.
    pub async fn drain(&self) {
        self.app.readiness.stop();
        tokio::time::sleep(self.app.config.drain).await;
    }

    /// Stops: accepts no new connections, gives unfinished requests the provider's timeout to finish, and closes the
    /// database.
    pub async fn stop(self) {
        let limit = self.app.config.charges.provider_timeout + DRAIN_GRACE;
        self.stop.send_replace(true);
        self.server.stop(limit).await;
        self.app.charges.presses.wait_until_drained(limit).await;
        // Requests could send events until now.
        self.events_stop.send_replace(true);
        // A task that panicked has nothing left to stop.
        let _ = self.reconciler.await;
        let _ = self.deliveries.await;
        let _ = self.saved_cards.await;
        if let Some(features) = self.features {
            let _ = features.await;
        }
        let _ = self.housekeeping.await;
        if let Some(ahead) = self.ahead {
            let _ = ahead.await;
        }
        let _ = self.readiness.await;
        let _ = self.events.await;
        let _ = self.visits.await;
        let _ = self.tallying.await;
        // The last events came while the other tasks stopped.
        if let Err(cause) = self.app.visits.flush(&self.app.store).await {
            tracing::warn!(%cause, "the last visits could not be written");
        }
        self.app.store.close().await;
    }
}

/// Raises the limit of file descriptors, and limits the connections to what it allows.
fn limited_connections(config: &Config) -> Connections {
    let descriptors = raise_descriptor_limit();
    let mut limits = config.connections.limits(descriptors);
    limits.proxies.clone_from(&config.proxies.networks);
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

/// Logs each key file that other users can read. With `strict_permissions` the first one is an error.
fn key_files_are_private(config: &Config) -> Result<(), StartError> {
    for open in open_key_files(config) {
        if config.strict_permissions {
            return Err(StartError::OpenKeyFile(open));
        }
        tracing::warn!("{open}");
    }
    Ok(())
}

/// The provider of the settings, for a command.
pub(crate) fn provider_of(config: &Config) -> Result<Provider, StartError> {
    provider(config, "", "")
}

/// Opens the database of the settings; creates it if it is missing.
pub async fn make_store(config: &Config) -> Result<Store, StartError> {
    log_database_exposure(&config.database);
    Store::connect_with(&config.database, config.database_connections)
        .await
        .map_err(|error| StartError::Store(Box::new(config.database.clone()), error))
}

/// Checks that the database of the settings exists. A service that was started with a wrong path must not begin with an
/// empty database.
pub async fn check_store_exists(config: &Config) -> Result<(), StartError> {
    Store::must_exist(&config.database)
        .await
        .map_err(|error| StartError::Store(Box::new(config.database.clone()), error))
}

/// Opens the database of the settings. It does not create a missing one, because a command in the wrong folder must not
/// leave an empty database there.
pub async fn open_store(config: &Config) -> Result<Store, StartError> {
    log_database_exposure(&config.database);
    Store::connect_existing(&config.database)
        .await
        .map_err(|error| StartError::Store(Box::new(config.database.clone()), error))
}
