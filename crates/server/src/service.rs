//! Starts and stops the service: database, keys, provider, listener, reconciler.

pub mod app;
mod assemble;
pub(crate) use assemble::{origins, provider};
mod every_request;
pub mod housekeeping;
pub mod key_files;
mod metrics;
mod own_simulator;
pub mod readiness;
pub mod retention;
pub mod routes;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use page::AssetsError;
use protocol::clock::Clock;
use providers::Provider;
use store::{Database, Store, StoreError};
use thiserror::Error;
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;

use self::app::App;
use self::assemble::assemble;
use self::key_files::open_key_files;
use self::own_simulator::OwnSimulator;
use self::routes::router;
use crate::config::{Config, ConnectorError};
use crate::doctor::{log_database_exposure, log_exposures};
use crate::pages::render_ahead;
use demo::shop::demo_mode::DemoError;
use demo::simulator::JournalError;
use merchants::keys::card_vault::KeysError;
use merchants::keys::key_file::OpenKeyFile;
use merchants::keys::signing::SigningError;
use merchants::operators::OperatorKeyError;
use payments::charges::reconciler;
use payments::saved_cards::at_provider;
use tracking::events::settings::SinkChoice;
pub use tracking::events::{KafkaAccess, KafkaLoginError, collector};
use tracking::operator::tallying;
use tracking::visits;
pub use web::{Connections, DESCRIPTORS_WANTED, raise_descriptor_limit};
use web::{ListenError, Listening, TimeLimits, Tls, TlsError, bind};
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
    /// The API of the simulator in this process.
    own_server: Option<Listening>,
    tls: Option<Tls>,
    /// Refreshes the features document now.
    features_now: Arc<Notify>,
    /// The tasks in the background. All but the collector of events end after `stop`.
    tasks: JoinSet<()>,
    stop: watch::Sender<bool>,
    /// Ends the collector of events.
    events_stop: watch::Sender<bool>,
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
    /// The folder of the simulator's ledger cannot be made.
    #[error("cannot use provider_test_folder {0}: {1}")]
    TestFolder(PathBuf, std::io::Error),
    /// The ledger of the simulator cannot be used.
    #[error(transparent)]
    TestLedger(#[from] JournalError),
}

impl Service {
    /// Starts with these settings. When it returns, the service answers requests.
    pub async fn start(mut config: Config, clock: Clock) -> Result<Self, StartError> {
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
        let public_url = origins(&config, address).1;
        let own = Box::pin(OwnSimulator::start(&mut config, &public_url, &clock)).await?;
        let (simulator, own_server) = own.map(|own| (own.simulator, own.server)).unzip();
        let (app, refresher) = Box::pin(assemble(config, clock, address, &connections, simulator)).await?;
        if app.saved_cards.vault.is_none() {
            // Payments work without a vault.
            tracing::warn!(
                "vault_key_file is not set: saving cards and `limit_per_card` are off, and signing keys and webhook \
                 secrets are stored unencrypted in the database (`cardform key generate` makes a key for the file)"
            );
        }
        let checked = app.webhooks.check_secrets().await;
        checked.map_err(unusable_store(&app.config))?;
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
        let server = Listening::serve_within(connections, listener, tls.clone(), router(&app), time_limits);
        let (visits, store, clock) = (Arc::clone(&app.visits), app.store.clone(), app.clock.clone());
        let mut tasks = JoinSet::new();
        tasks.spawn(reconciler::run(Arc::clone(&app.charges), stopped.clone()));
        tasks.spawn(delivery::run(Arc::clone(&app.webhooks), stopped.clone()));
        tasks.spawn(at_provider::run(Arc::clone(&app.saved_cards), stopped.clone()));
        tasks.spawn(visits::run(visits, store.clone(), stopped.clone()));
        tasks.spawn(tallying::run(store, clock, stopped.clone()));
        if let Some(refresher) = refresher {
            tasks.spawn(refresher.run(stopped.clone(), Arc::clone(&features_now)));
        }
        tasks.spawn(readiness::run(app.clone(), tls.clone(), stopped.clone()));
        tasks.spawn(housekeeping::run(app.clone(), stopped.clone()));
        if app.config.render_ahead {
            tasks.spawn(render_ahead::run(Arc::clone(&app.pages), stopped));
        }
        tasks.spawn(collector::run(Arc::clone(&app.events), events_stopped));
        Ok(Self {
            address,
            app,
            server,
            own_server,
            tls,
            features_now,
            tasks,
            stop,
            events_stop,
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

    /// Reads certificates, the vault's keys and the features document again. If one of them cannot be used, this is logged,
    /// and the version in use stays.
    pub fn reload(&self) {
        tracing::info!("reload requested: reading certificates, keys and features again");
        if let Some(tls) = &self.tls {
            tls.reload();
        }
        if let Some(vault) = &self.app.saved_cards.vault {
            vault.ring();
        }
        self.features_now.notify_one();
    }

    /// Makes `/readyz` fail and continues to serve for the time in the settings, so that load balancers stop sending
    /// requests before the service stops.
    pub async fn drain(&self) {
        self.app.readiness.stop();
        tokio::time::sleep(self.app.config.drain).await;
    }

    /// Stops: accepts no new connections, gives unfinished requests the provider's timeout to finish, and closes the
    /// database.
    pub async fn stop(mut self) {
        let limit = self.app.config.charges.provider_timeout + DRAIN_GRACE;
        self.stop.send_replace(true);
        let began = Instant::now();
        self.server.stop(limit).await;
        let left = limit.saturating_sub(began.elapsed());
        self.app.charges.presses.wait_until_drained(left).await;
        if let Some(simulator) = self.own_server {
            simulator.stop(DRAIN_GRACE).await;
        }
        // Requests could send events until now.
        self.events_stop.send_replace(true);
        // A task that panicked has ended, too.
        while self.tasks.join_next().await.is_some() {}
        // The last events came while the other tasks stopped.
        if let Err(cause) = self.app.visits.flush(&self.app.store).await {
            tracing::warn!(%cause, "the last visits could not be written");
        }
        self.app.store.close().await;
    }
}

/// Raises the limit of file descriptors, and limits the connections to the available descriptors.
fn limited_connections(config: &Config) -> Connections {
    let descriptors = raise_descriptor_limit();
    let mut limits = config.connections.limits(descriptors);
    limits.proxies.clone_from(&config.proxies.networks);
    let connections_max = limits.total;
    let wanted = config.connections.total;
    if wanted.is_some_and(|wanted| wanted > connections_max) {
        tracing::warn!(
            descriptors,
            connections_max,
            "connections_max is lowered because of the limit of file descriptors (raise LimitNOFILE, or ulimit -n)"
        );
    } else if descriptors < DESCRIPTORS_WANTED {
        tracing::warn!(
            descriptors,
            connections_max,
            "the limit of file descriptors is low (raise LimitNOFILE, or ulimit -n)"
        );
    }
    Connections::new(limits)
}

/// Logs each key file that other users can read or replace. With `strict_permissions` the first one is an error.
fn key_files_are_private(config: &Config) -> Result<(), StartError> {
    for open in open_key_files(config, service_user()) {
        if config.strict_permissions {
            return Err(StartError::OpenKeyFile(open));
        }
        tracing::warn!("{open}");
    }
    Ok(())
}

/// The user that runs the service. `None` in a container that has users of its own: there a file of the host's root looks like
/// a stranger's, so owners say nothing.
fn service_user() -> Option<u32> {
    let map = std::fs::read_to_string("/proc/self/uid_map").ok()?;
    has_hosts_root(&map).then(|| rustix::process::geteuid().as_raw())
}

/// Whether root is the host's root with this map of users: on the host itself, and with systemd's `PrivateUsers`.
fn has_hosts_root(map: &str) -> bool {
    map.lines()
        .any(|line| line.split_whitespace().take(2).eq(["0", "0"]))
}

/// The provider of the settings, for a command.
pub(crate) fn provider_of(config: &Config) -> Result<Provider, StartError> {
    provider(config, "", "")
}

/// The error of a database that cannot be used.
fn unusable_store(config: &Config) -> impl Fn(StoreError) -> StartError {
    |error| StartError::Store(Box::new(config.database.clone()), error)
}

/// Opens the database of the settings; creates it if it is missing.
pub async fn make_store(config: &Config) -> Result<Store, StartError> {
    log_database_exposure(&config.database);
    let store = Store::connect_with(&config.database, config.database_connections).await;
    store.map_err(unusable_store(config))
}

/// Checks that the database of the settings exists. A service that was started with a wrong path must not begin with an
/// empty database.
pub async fn check_store_exists(config: &Config) -> Result<(), StartError> {
    let exists = config.database.must_exist().await;
    exists.map_err(unusable_store(config))
}

/// Opens the database of the settings. It does not create a missing one, because a command in the wrong folder must not
/// leave an empty database there.
pub async fn open_store(config: &Config) -> Result<Store, StartError> {
    log_database_exposure(&config.database);
    let store = Store::connect_existing(&config.database).await;
    store.map_err(unusable_store(config))
}

#[cfg(test)]
mod tests;
