//! The settings. A flag wins over the environment (`CARDFORM_…`), and both win over the TOML file. Nothing else reads
//! the environment.

mod attempt_limits;
mod card_networks;
mod connections;
mod demo;
mod events;
mod experiments;
mod file;
mod kafka;
mod pages;
mod provider;
pub(crate) mod reference;
mod retention;
mod settings;
mod third_parties;
mod tracking;
mod values;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use page::{PageSettings, RenderLimits};
use protocol::SecretSource;
use rules::CardNetworks;
use store::Database;
use url::Url;

pub use self::attempt_limits::LimitSetting;
pub use self::connections::ConnectionSettings;
pub use self::file::{CONFIG_FILE, ConfigError, DATA_FOLDER};
pub(crate) use self::kafka::is_on_this_machine;
pub use self::provider::{ConnectorError, ProviderChoice};
use self::retention::{charge_retention, retention_ms};
pub use self::settings::Settings;
pub(crate) use self::values::{database, is_unencrypted};
use self::values::{duration_ms, optional_url, proxies, public_origin, tls_files, within};
pub use self::values::{origin, reachable, web_address};

use ::experiments::FeaturesSettings;
use ::tracking::events::settings::EventSettings;
use payments::charges::settings::{AttemptLimits, ChargeSettings, RetentionSettings};
use web::{Proxies, TlsFiles};

const LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080);
const DATABASE: &str = "sqlite:cardform.db";
/// Enough for a slow bank, and not too long for a waiting shopper.
const PROVIDER_TIMEOUT_MS: u64 = 30_000;
const PROVIDER_GRACE_MS: u64 = 15_000;
const RECONCILE_INTERVAL_MS: u64 = 2_000;
/// Banks give shoppers about as long.
const CHALLENGE_TIMEOUT_MS: u64 = 600_000;
const WEBHOOK_INTERVAL_MS: u64 = 1_000;
/// A day: a shopper who has not paid by then rarely comes back.
const CHARGE_LIFETIME_SECONDS: u64 = 86_400;
const CLIENT_SECRET_LIFETIME_SECONDS: u64 = 3_600;
/// A quarter, so that two months can be compared.
const VISIT_RETENTION_DAYS: u32 = 90;
/// A merchant can ask for last month's events again.
const WEBHOOK_RETENTION_DAYS: u32 = 30;

const DAY_SECONDS: u64 = 86_400;
const YEAR_SECONDS: u64 = 365 * DAY_SECONDS;

/// The settings, checked and complete.
#[derive(Debug, Clone)]
pub struct Config {
    /// The address to listen on.
    pub listen: SocketAddr,
    /// How many threads answer requests; without a number as many as there are processors.
    pub threads: Option<usize>,
    /// The database.
    pub database: Database,
    /// A copy of it that PostgreSQL keeps, for reports.
    pub database_replica: Option<Database>,
    /// How many connections to it a node may hold; if absent, the database's own default.
    pub database_connections: Option<u32>,
    /// The origin at which shoppers reach this service; if absent, the listening address.
    pub public_url: Option<String>,
    /// The provider, which charges the cards.
    pub provider: ProviderChoice,
    /// Where shoppers' browsers reach the provider's pages; if absent, the provider's URL.
    pub provider_public_url: Option<Url>,
    /// The settings of charges.
    pub charges: ChargeSettings,
    /// The settings of pages.
    pub pages: PageSettings,
    /// How many connections there may be, and how long a client may take.
    pub connections: ConnectionSettings,
    /// The ranges of numbers with their card networks.
    pub card_networks: Arc<CardNetworks>,
    /// How long the service keeps running after `/readyz` says that it will stop.
    pub drain: Duration,
    /// How long a client secret is valid.
    pub client_secret_lifetime: Duration,
    /// The reverse proxies before this service.
    pub proxies: Proxies,
    /// Whether the usual pages are rendered when the service starts, before a shopper asks for them.
    pub render_ahead: bool,
    /// How many render engines there are, and how much time and memory they may use.
    pub render: RenderLimits,
    /// Where the keys of the vault come from; if absent, cards cannot be saved.
    pub vault_keys: Option<SecretSource>,
    /// The settings file, if it holds a key or a password itself.
    pub file_with_keys: Option<PathBuf>,
    /// Whether the service refuses to start if others can read or replace a file with a key.
    pub strict_permissions: bool,
    /// The name of the person who runs a command, for the audit log; if absent, the system's user.
    pub audit_name: Option<String>,
    /// How often the service looks for webhooks to send.
    pub webhook_interval: Duration,
    /// Whether webhooks may be sent to private networks.
    pub webhook_private_networks: bool,
    /// The settings of events.
    pub events: EventSettings,
    /// The OpenTelemetry collector; if absent, there are no traces.
    pub otlp_endpoint: Option<Url>,
    /// Where the features document comes from.
    pub features: FeaturesSettings,
    /// The certificate; if absent, the service uses plain http.
    pub tls: Option<TlsFiles>,
    /// Where the key of an operator without a name comes from.
    pub operator_key: Option<SecretSource>,
    /// The file or the folder with operators' own keys. Without any key there is no operator's page.
    pub operator_keys: Option<PathBuf>,
    /// Whether the documentation is served.
    pub docs: bool,
    /// How long visits are kept for the report, in milliseconds.
    pub visit_retention_ms: i64,
    /// How long finished webhooks are kept, in milliseconds.
    pub webhook_retention_ms: i64,
    /// How long charges are kept; if absent, for ever.
    pub retention: Option<RetentionSettings>,
    /// The folder of demo mode's files; if absent, this is not demo mode.
    pub demo: Option<PathBuf>,
    /// Whether the time of demo mode can be moved.
    pub demo_clock: bool,
}

impl Settings {
    fn check(self) -> Result<Config, ConfigError> {
        let connections = ConnectionSettings::of(&self)?;
        let features = experiments::features(&self)?;
        let events = events::event_settings(&self)?;
        let public_url = self.public_url.as_deref().map(public_origin).transpose()?;
        let is_https = public_url
            .as_deref()
            .map_or(self.tls_certificate.is_some(), |url| url.starts_with("https://"));
        let provider = self.provider_choice()?;
        let pages = pages::page_settings(&self, is_https, &events.topic, provider.is_test())?;
        let threads = self.threads.map(|threads| within("threads", threads, 1..=1_024));
        let webhook_interval = self.webhook_interval_ms.unwrap_or(WEBHOOK_INTERVAL_MS);
        let visit_days = self.visit_retention_days.unwrap_or(VISIT_RETENTION_DAYS);
        let webhook_days = self.webhook_retention_days.unwrap_or(WEBHOOK_RETENTION_DAYS);
        Ok(Config {
            listen: self.listen.unwrap_or(LISTEN),
            threads: threads.transpose()?,
            database: database(self.database.as_deref().unwrap_or(DATABASE))?,
            database_replica: self
                .database_replica
                .as_deref()
                .map(values::replica)
                .transpose()?,
            database_connections: self
                .database_connections
                .map(|connections| within("database_connections", connections, 1..=1_000))
                .transpose()?,
            provider,
            provider_public_url: optional_url("provider_public_url", self.provider_public_url.as_deref())?,
            charges: self.charge_settings(pages.accept_plain_cards)?,
            pages,
            connections,
            card_networks: card_networks::read(self.card_networks_file.as_deref())?,
            drain: Duration::from_millis(self.drain_ms.unwrap_or(0)),
            client_secret_lifetime: self.client_secret_lifetime()?,
            render: self.render_limits()?,
            proxies: proxies(self.client_ip_header, self.client_ip_proxies.as_deref())?,
            render_ahead: self.render_time_ms != Some(0),
            vault_keys: SecretSource::of_settings(self.vault_keys, self.vault_key_file),
            strict_permissions: self.strict_permissions.unwrap_or(false),
            audit_name: values::audit_name(self.audit_name)?,
            webhook_interval: duration_ms("webhook_interval_ms", webhook_interval)?,
            webhook_private_networks: self.webhook_private_networks.unwrap_or(false),
            events,
            otlp_endpoint: optional_url("otlp_endpoint", self.otlp_endpoint.as_deref())?,
            features,
            public_url,
            tls: tls_files(self.tls_certificate, self.tls_key)?,
            operator_key: SecretSource::of_settings(self.operator_key, self.operator_key_file),
            operator_keys: self.operator_keys,
            docs: self.docs.unwrap_or(true),
            visit_retention_ms: retention_ms("visit_retention_days", visit_days)?,
            webhook_retention_ms: retention_ms("webhook_retention_days", webhook_days)?,
            retention: charge_retention(self.charge_retention_days, self.charge_export)?,
            file_with_keys: None,
            demo: None,
            demo_clock: false,
        })
    }

    fn charge_settings(&self, accept_plain_cards: bool) -> Result<ChargeSettings, ConfigError> {
        let ms = |name, given: Option<u64>, default| duration_ms(name, given.unwrap_or(default));
        let lifetime = self.charge_lifetime_seconds.unwrap_or(CHARGE_LIFETIME_SECONDS);
        let lifetime = within("charge_lifetime_seconds", lifetime, 1..=YEAR_SECONDS)?;
        let (timeout, grace) = (self.provider_timeout_ms, self.provider_grace_ms);
        let (interval, challenge) = (self.reconcile_interval_ms, self.challenge_timeout_ms);
        Ok(ChargeSettings {
            provider_timeout: ms("provider_timeout_ms", timeout, PROVIDER_TIMEOUT_MS)?,
            provider_grace: ms("provider_grace_ms", grace, PROVIDER_GRACE_MS)?,
            reconcile_interval: ms("reconcile_interval_ms", interval, RECONCILE_INTERVAL_MS)?,
            reconcile_at_start: true,
            challenge_timeout: ms("challenge_timeout_ms", challenge, CHALLENGE_TIMEOUT_MS)?,
            lifetime: Duration::from_secs(lifetime),
            attempt_limits: self.attempt_limits(AttemptLimits::of_provider(self.provider.as_deref())),
            accept_plain_cards,
        })
    }

    /// At most a day. A client secret that is valid for longer would be like a password.
    fn client_secret_lifetime(&self) -> Result<Duration, ConfigError> {
        let given = self.client_secret_lifetime_seconds;
        let seconds = given.unwrap_or(CLIENT_SECRET_LIFETIME_SECONDS);
        within("client_secret_lifetime_seconds", seconds, 1..=DAY_SECONDS).map(Duration::from_secs)
    }

    /// Each engine is a thread and some megabytes. If rendering takes longer than ten seconds, the browser renders the
    /// page sooner.
    fn render_limits(&self) -> Result<RenderLimits, ConfigError> {
        let default = RenderLimits::default();
        let time = self
            .render_time_ms
            .map(|ms| within("render_time_ms", ms, 0..=10_000));
        Ok(RenderLimits {
            engines: within(
                "render_engines",
                self.render_engines.unwrap_or(default.engines),
                1..=64,
            )?,
            time: time.transpose()?.map_or(default.time, Duration::from_millis),
            ..default
        })
    }
}

#[cfg(test)]
mod tests;
