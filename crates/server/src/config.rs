//! The settings: flags over the environment (`CARDFORM_…`) over the TOML file. Nothing else reads the environment.

mod attempt_limits;
mod connections;
mod demo;
mod events;
mod experiments;
mod file;
mod kafka;
mod logging;
mod operator;
mod pages;
mod precedence;
mod provider;
mod settings;
mod third_parties;
mod tracking;
mod values;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use axum::http::HeaderName;
use ipnet::IpNet;
use url::Url;
use wire::Tracking;

pub use self::attempt_limits::{AttemptLimits, LimitSetting};
pub use self::connections::ConnectionSettings;
pub use self::events::{EventSettings, SinkChoice};
pub use self::file::ConfigError;
pub(crate) use self::kafka::is_here;
pub use self::kafka::{KafkaLogin, KafkaSettings, KafkaTls, PasswordSource, SaslMechanism};
pub use self::logging::{LogFormat, Logging};
pub use self::provider::ProviderChoice;
pub use self::settings::Settings;
pub(crate) use self::values::is_in_the_clear;
use self::values::{
    charge_lifetime, client_secret_lifetime, database, duration_ms, networks, public_origin, render_limits,
    tls_files, vault_keys, web_url,
};
pub use self::values::{origin, reachable};

use crate::experiments::Settings as FeaturesSettings;
use crate::http::tls::TlsFiles;
use crate::operator::key::OperatorKeySource;
use crate::saved_cards::card_vault::KeySource;
use page::{FraudScripts, IpLookup, LocaleRoutes, RenderLimits, RouteRules};
use store::Database;

const LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080);
const DATABASE: &str = "sqlite:cardform.db";
/// Long enough for a slow issuer, short enough for a shopper to wait.
const PROVIDER_TIMEOUT_MS: u64 = 30_000;
const PROVIDER_GRACE_MS: u64 = 15_000;
const RECONCILE_INTERVAL_MS: u64 = 2_000;
/// What banks give a shopper, too.
const CHALLENGE_TIMEOUT_MS: u64 = 600_000;
const DEVICE_DATA_TIMEOUT_MS: u64 = 10_000;
const WEBHOOK_INTERVAL_MS: u64 = 1_000;

/// The settings, checked and complete.
#[derive(Debug, Clone)]
pub struct Config {
    /// The address to listen on.
    pub listen: SocketAddr,
    /// The database.
    pub database: Database,
    /// How many connections to it a node may hold; absent, the database's own default.
    pub database_connections: Option<u32>,
    /// The origin that shoppers reach this service at; the listening address when absent.
    pub public_url: Option<String>,
    /// Who takes the cards.
    pub provider: ProviderChoice,
    /// Where shoppers' browsers reach the provider's pages; its own URL when absent.
    pub provider_public_url: Option<Url>,
    /// How long the provider may take.
    pub provider_timeout: Duration,
    /// How long after the time-out an attempt that the provider does not know counts as never made.
    pub provider_grace: Duration,
    /// How many connections there may be, and how long a client may take.
    pub connections: ConnectionSettings,
    /// How long the service goes on after it has said that it will stop.
    pub drain: Duration,
    /// How often lost outcomes are asked for.
    pub reconcile_interval: Duration,
    /// How long a shopper may take for a 3-D Secure challenge.
    pub challenge_timeout: Duration,
    /// How long collecting device data may take before a charge goes on without.
    pub device_data_timeout: Duration,
    /// How long a client secret is good.
    pub client_secret_lifetime: Duration,
    /// How long a charge can be paid.
    pub charge_lifetime: Duration,
    /// The reverse proxy's header with the client's address.
    pub client_ip_header: Option<HeaderName>,
    /// The networks of the reverse proxies: of others the header is not believed.
    pub client_ip_proxies: Vec<IpNet>,
    /// How much the render engines may use.
    pub render: RenderLimits,
    /// Where the keys of the vault come from; absent, saving cards is off.
    pub vault_keys: Option<KeySource>,
    /// Whether a file with a key in it that others can read keeps the service from starting.
    pub strict_permissions: bool,
    /// Who runs a command, for the audit log; absent, the system's user.
    pub audit_name: Option<String>,
    /// How many attempts to pay are let through.
    pub attempt_limits: AttemptLimits,
    /// How often the outbox of webhooks is looked at.
    pub webhook_interval: Duration,
    /// Whether webhooks may go to private networks.
    pub webhook_private_networks: bool,
    /// What becomes of events.
    pub events: EventSettings,
    /// The addresses of the languages.
    pub locale_routes: LocaleRoutes,
    /// Whether the language cookie must work in frames of other sites.
    pub locale_cookie_cross_origin: bool,
    /// The host below which a link may name the one that the page calls in our place.
    pub dynamic_environment_suffix: Option<String>,
    /// Paths that lead elsewhere.
    pub route_rules: RouteRules,
    /// The OpenTelemetry collector; absent, there are no traces.
    pub otlp_endpoint: Option<Url>,
    /// What the page is told of its events; absent, there are none.
    pub tracking: Option<Tracking>,
    /// The fraud prevention's scripts, if there are any.
    pub fraud_scripts: Option<FraudScripts>,
    /// Who tells the page the client's address.
    pub ip_lookup: IpLookup,
    /// Where the features document comes from.
    pub features: FeaturesSettings,
    /// The certificate; absent, the service speaks plain http.
    pub tls: Option<TlsFiles>,
    /// Where the operator's key comes from; absent, there is no report.
    pub operator_key: Option<OperatorKeySource>,
    /// How long visits are kept for the report, in milliseconds.
    pub visit_retention_ms: i64,
    /// Whether a payload that this service has not signed shows a card form.
    pub accept_unsigned_payloads: bool,
    /// Whether a direct charge may have its card as it was typed, and not sealed.
    pub accept_plain_cards: bool,
    /// Demo mode: where its files are.
    pub demo: Option<PathBuf>,
}

impl Config {
    /// What every page is told of the settings.
    pub(crate) fn page(&self) -> page::Settings<'_> {
        page::Settings {
            locale_strategy: self.locale_routes.strategy,
            locale_cookie_cross_origin: self.locale_cookie_cross_origin,
            fraud_scripts: self.fraud_scripts.as_ref(),
            ip_lookup: &self.ip_lookup,
            device_data_timeout: self.device_data_timeout,
            tracking: self.tracking.as_ref(),
            accept_plain_cards: self.accept_plain_cards,
        }
    }
}

impl Settings {
    fn check(self) -> Result<Config, ConfigError> {
        let provider = self.provider_choice()?;
        let attempt_limits = self.attempt_limits(AttemptLimits::of_provider(self.provider.as_deref()));
        let connection_settings = connections::connection_settings(&self)?;
        let locale_routes = pages::locale_routes(&self)?;
        let features = experiments::features(&self)?;
        let fraud_scripts = third_parties::fraud_scripts(&self)?;
        let ip_lookup = third_parties::ip_lookup(&self)?;
        let events = events::event_settings(&self)?;
        let tracking = tracking::tracking(&self, &events.topic)?;
        Ok(Config {
            listen: self.listen.unwrap_or(LISTEN),
            database: database(self.database.as_deref().unwrap_or(DATABASE))?,
            database_connections: connections::database_connections(self.database_connections)?,
            public_url: self.public_url.as_deref().map(public_origin).transpose()?,
            provider,
            provider_public_url: self
                .provider_public_url
                .as_deref()
                .map(|url| web_url("provider_public_url", url))
                .transpose()?,
            provider_timeout: duration_ms(
                "provider_timeout_ms",
                self.provider_timeout_ms,
                PROVIDER_TIMEOUT_MS,
            )?,
            provider_grace: duration_ms("provider_grace_ms", self.provider_grace_ms, PROVIDER_GRACE_MS)?,
            connections: connection_settings,
            drain: Duration::from_millis(self.drain_ms.unwrap_or(0)),
            reconcile_interval: duration_ms(
                "reconcile_interval_ms",
                self.reconcile_interval_ms,
                RECONCILE_INTERVAL_MS,
            )?,
            challenge_timeout: duration_ms(
                "challenge_timeout_ms",
                self.challenge_timeout_ms,
                CHALLENGE_TIMEOUT_MS,
            )?,
            device_data_timeout: duration_ms(
                "device_data_timeout_ms",
                self.device_data_timeout_ms,
                DEVICE_DATA_TIMEOUT_MS,
            )?,
            client_secret_lifetime: client_secret_lifetime(self.client_secret_lifetime_seconds)?,
            charge_lifetime: charge_lifetime(self.charge_lifetime_seconds)?,
            client_ip_header: self
                .client_ip_header
                .map(|name| name.parse())
                .transpose()
                .map_err(|_| ConfigError::Value("client_ip_header", "must be the name of a header"))?,
            client_ip_proxies: networks("client_ip_proxies", self.client_ip_proxies.as_deref())?,
            render: render_limits(self.render_engines, self.render_time_ms)?,
            vault_keys: vault_keys(self.vault_key_file, self.vault_keys),
            strict_permissions: self.strict_permissions.unwrap_or(false),
            audit_name: values::audit_name(self.audit_name)?,
            attempt_limits,
            webhook_interval: duration_ms(
                "webhook_interval_ms",
                self.webhook_interval_ms,
                WEBHOOK_INTERVAL_MS,
            )?,
            webhook_private_networks: self.webhook_private_networks.unwrap_or(false),
            accept_plain_cards: self.accept_plain_cards.unwrap_or(true),
            accept_unsigned_payloads: self.accept_unsigned_payloads.unwrap_or(false),
            events,
            locale_routes,
            locale_cookie_cross_origin: self.locale_cookie_cross_origin.unwrap_or(false),
            dynamic_environment_suffix: pages::dynamic_environment_suffix(self.dynamic_environment_suffix)?,
            route_rules: pages::route_rules(self.route_rules)?,
            otlp_endpoint: self
                .otlp_endpoint
                .as_deref()
                .map(|url| web_url("otlp_endpoint", url))
                .transpose()?,
            tracking,
            fraud_scripts,
            ip_lookup,
            features,
            tls: tls_files(self.tls_certificate, self.tls_key)?,
            operator_key: operator::key(self.operator_key_file, self.operator_key),
            visit_retention_ms: operator::visit_retention_ms(self.visit_retention_days)?,
            demo: None,
        })
    }
}

#[cfg(test)]
mod tests;
