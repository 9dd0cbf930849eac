//! The settings. A flag wins over the environment (`CARDFORM_…`), and both win over the TOML file. Nothing else reads
//! the environment.

mod attempt_limits;
mod connections;
mod demo;
mod events;
mod experiments;
mod file;
mod kafka;
mod operator;
mod pages;
mod precedence;
mod provider;
pub(crate) mod reference;
mod settings;
mod third_parties;
mod tracking;
mod values;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use page::{PageSettings, RenderLimits};
use protocol::SecretSource;
use store::Database;
use url::Url;

pub use self::attempt_limits::LimitSetting;
pub use self::connections::ConnectionSettings;
pub use self::file::ConfigError;
pub(crate) use self::kafka::is_on_this_machine;
pub use self::provider::{ConnectorError, ProviderChoice};
pub use self::settings::Settings;
pub(crate) use self::values::is_unencrypted;
use self::values::{
    charge_lifetime, client_secret_lifetime, database, duration_ms, proxies, public_origin, render_limits,
    tls_files, vault_keys, web_url,
};
pub use self::values::{origin, reachable};

use ::experiments::FeaturesSettings;
use ::tracking::events::settings::EventSettings;
use payments::charges::settings::{AttemptLimits, ChargeSettings, RetentionSettings};
use web::client_ip::Proxies;
use web::tls::TlsFiles;

const LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080);
const DATABASE: &str = "sqlite:cardform.db";
/// Enough for a slow bank, and not too long for a waiting shopper.
const PROVIDER_TIMEOUT_MS: u64 = 30_000;
const PROVIDER_GRACE_MS: u64 = 15_000;
const RECONCILE_INTERVAL_MS: u64 = 2_000;
/// Banks give shoppers about as long.
const CHALLENGE_TIMEOUT_MS: u64 = 600_000;
const WEBHOOK_INTERVAL_MS: u64 = 1_000;

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
    /// Whether the service refuses to start if others can read a file with a key.
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
    /// Where the operator's key comes from; if absent, there is no report.
    pub operator_key: Option<SecretSource>,
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
}

impl Settings {
    fn check(self) -> Result<Config, ConfigError> {
        let provider = self.provider_choice()?;
        let attempt_limits = self.attempt_limits(AttemptLimits::of_provider(self.provider.as_deref()));
        let connection_settings = connections::connection_settings(&self)?;
        let features = experiments::features(&self)?;
        let events = events::event_settings(&self)?;
        let public_url = self.public_url.as_deref().map(public_origin).transpose()?;
        let is_https = public_url
            .as_deref()
            .map_or(self.tls_certificate.is_some(), |url| url.starts_with("https://"));
        let pages = pages::page_settings(&self, is_https, &events.topic)?;
        Ok(Config {
            listen: self.listen.unwrap_or(LISTEN),
            threads: connections::threads(self.threads)?,
            database: database(self.database.as_deref().unwrap_or(DATABASE))?,
            database_replica: self
                .database_replica
                .as_deref()
                .map(values::replica)
                .transpose()?,
            database_connections: connections::database_connections(self.database_connections)?,
            provider,
            provider_public_url: self
                .provider_public_url
                .as_deref()
                .map(|url| web_url("provider_public_url", url))
                .transpose()?,
            charges: ChargeSettings {
                provider_timeout: duration_ms(
                    "provider_timeout_ms",
                    self.provider_timeout_ms,
                    PROVIDER_TIMEOUT_MS,
                )?,
                provider_grace: duration_ms("provider_grace_ms", self.provider_grace_ms, PROVIDER_GRACE_MS)?,
                reconcile_interval: duration_ms(
                    "reconcile_interval_ms",
                    self.reconcile_interval_ms,
                    RECONCILE_INTERVAL_MS,
                )?,
                reconcile_at_start: true,
                challenge_timeout: duration_ms(
                    "challenge_timeout_ms",
                    self.challenge_timeout_ms,
                    CHALLENGE_TIMEOUT_MS,
                )?,
                lifetime: charge_lifetime(self.charge_lifetime_seconds)?,
                attempt_limits,
                accept_plain_cards: pages.accept_plain_cards,
            },
            pages,
            connections: connection_settings,
            drain: Duration::from_millis(self.drain_ms.unwrap_or(0)),
            client_secret_lifetime: client_secret_lifetime(self.client_secret_lifetime_seconds)?,
            proxies: proxies(self.client_ip_header, self.client_ip_proxies.as_deref())?,
            render: render_limits(self.render_engines, self.render_time_ms)?,
            render_ahead: self.render_time_ms != Some(0),
            vault_keys: vault_keys(self.vault_key_file, self.vault_keys),
            strict_permissions: self.strict_permissions.unwrap_or(false),
            audit_name: values::audit_name(self.audit_name)?,
            webhook_interval: duration_ms(
                "webhook_interval_ms",
                self.webhook_interval_ms,
                WEBHOOK_INTERVAL_MS,
            )?,
            webhook_private_networks: self.webhook_private_networks.unwrap_or(false),
            events,
            otlp_endpoint: self
                .otlp_endpoint
                .as_deref()
                .map(|url| web_url("otlp_endpoint", url))
                .transpose()?,
            features,
            public_url,
            tls: tls_files(self.tls_certificate, self.tls_key)?,
            operator_key: operator::key(self.operator_key_file, self.operator_key),
            docs: self.docs.unwrap_or(true),
            visit_retention_ms: operator::visit_retention_ms(self.visit_retention_days)?,
            webhook_retention_ms: operator::webhook_retention_ms(self.webhook_retention_days)?,
            retention: operator::retention(self.charge_retention_days, self.charge_export)?,
            demo: None,
        })
    }
}

#[cfg(test)]
mod tests;
