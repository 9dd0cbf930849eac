//! The settings: flags over the environment (`CARDFORM_…`) over the TOML file. Nothing else reads the environment.

mod attempt_limits;
mod demo;
mod file;
mod values;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use axum::http::HeaderName;
use serde::Deserialize;
use url::Url;
use wire::Sensitive;

pub use self::attempt_limits::{AttemptLimit, AttemptLimits, LimitSetting};
pub use self::file::ConfigError;
use self::file::read;
use self::values::{
    charge_lifetime, client_secret_lifetime, database, duration_ms, provider_url, public_origin,
    render_limits, sensitive, vault_keys,
};
pub use self::values::{origin, reachable};

use crate::page::RenderLimits;
use crate::saved_cards::card_vault::KeySource;
use crate::store::Database;

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

/// Settings as they are given; each can be a flag, `CARDFORM_…` in the environment, or a line of the TOML file.
#[derive(Debug, Clone, Default, clap::Args, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// The TOML file with settings.
    #[arg(long, value_name = "FILE", env = "CARDFORM_CONFIG", hide_env_values = true)]
    #[serde(skip)]
    pub config: Option<PathBuf>,
    /// The address to listen on; port 0 takes a free one [default: 127.0.0.1:8080].
    #[arg(long, value_name = "ADDR", env = "CARDFORM_LISTEN", hide_env_values = true)]
    pub listen: Option<SocketAddr>,
    /// The database: `sqlite:FILE` or `postgres://USER:PASSWORD@HOST/NAME` [default: sqlite:cardform.db].
    #[arg(long, value_name = "URL", env = "CARDFORM_DATABASE", hide_env_values = true)]
    pub database: Option<String>,
    /// The origin that shoppers reach this service at [default: the listening address].
    #[arg(long, value_name = "URL", env = "CARDFORM_PUBLIC_URL", hide_env_values = true)]
    pub public_url: Option<String>,
    /// Who takes the cards: simulator.
    #[arg(long, value_name = "NAME", env = "CARDFORM_PROVIDER", hide_env_values = true)]
    pub provider: Option<String>,
    /// Where the provider is reached.
    #[arg(
        long,
        value_name = "URL",
        env = "CARDFORM_PROVIDER_URL",
        hide_env_values = true
    )]
    pub provider_url: Option<String>,
    /// Where shoppers' browsers reach the provider's pages, like its challenges [default: the provider's URL].
    #[arg(
        long,
        value_name = "URL",
        env = "CARDFORM_PROVIDER_PUBLIC_URL",
        hide_env_values = true
    )]
    pub provider_public_url: Option<String>,
    /// How long the provider may take, in milliseconds [default: 30000].
    #[arg(
        long,
        value_name = "MS",
        env = "CARDFORM_PROVIDER_TIMEOUT_MS",
        hide_env_values = true
    )]
    pub provider_timeout_ms: Option<u64>,
    /// How long after the time-out an attempt that the provider does not know counts as never made, in milliseconds
    /// [default: 15000].
    #[arg(
        long,
        value_name = "MS",
        env = "CARDFORM_PROVIDER_GRACE_MS",
        hide_env_values = true
    )]
    pub provider_grace_ms: Option<u64>,
    /// How often lost outcomes are asked for, in milliseconds [default: 2000].
    #[arg(
        long,
        value_name = "MS",
        env = "CARDFORM_RECONCILE_INTERVAL_MS",
        hide_env_values = true
    )]
    pub reconcile_interval_ms: Option<u64>,
    /// How long a shopper may take for a 3-D Secure challenge, in milliseconds [default: 600000].
    #[arg(
        long,
        value_name = "MS",
        env = "CARDFORM_CHALLENGE_TIMEOUT_MS",
        hide_env_values = true
    )]
    pub challenge_timeout_ms: Option<u64>,
    /// How long collecting device data may take before a charge goes on without, in milliseconds [default: 10000].
    #[arg(
        long,
        value_name = "MS",
        env = "CARDFORM_DEVICE_DATA_TIMEOUT_MS",
        hide_env_values = true
    )]
    pub device_data_timeout_ms: Option<u64>,
    /// How long a client secret is good, in seconds [default: 3600].
    #[arg(
        long,
        value_name = "S",
        env = "CARDFORM_CLIENT_SECRET_LIFETIME_SECONDS",
        hide_env_values = true
    )]
    pub client_secret_lifetime_seconds: Option<u64>,
    /// How long a charge can be paid, in seconds [default: 86400].
    #[arg(
        long,
        value_name = "S",
        env = "CARDFORM_CHARGE_LIFETIME_SECONDS",
        hide_env_values = true
    )]
    pub charge_lifetime_seconds: Option<u64>,
    /// The header in which the reverse proxy tells the client's address, its last entry counting; without it the
    /// connection's address counts.
    #[arg(
        long,
        value_name = "NAME",
        env = "CARDFORM_CLIENT_IP_HEADER",
        hide_env_values = true
    )]
    pub client_ip_header: Option<String>,
    /// How many engines render pages on the server [default: 2].
    #[arg(
        long,
        value_name = "N",
        env = "CARDFORM_RENDER_ENGINES",
        hide_env_values = true
    )]
    pub render_engines: Option<usize>,
    /// How long rendering a page on the server may take, in milliseconds; after that, and always at 0, the browser
    /// renders it [default: 500].
    #[arg(
        long,
        value_name = "MS",
        env = "CARDFORM_RENDER_TIME_MS",
        hide_env_values = true
    )]
    pub render_time_ms: Option<u64>,
    /// The file with the keys that seal saved cards, one `id:key` a line, the first of them active; `cardform key
    /// generate` makes one. It is read again when it changes. Without keys no card is saved.
    #[arg(
        long,
        value_name = "FILE",
        env = "CARDFORM_VAULT_KEY_FILE",
        hide_env_values = true
    )]
    pub vault_key_file: Option<PathBuf>,
    /// The keys themselves, with spaces between; they win over the file. Use the environment: a command line is seen by
    /// everybody on the machine.
    #[arg(
        long,
        value_name = "KEYS",
        env = "CARDFORM_VAULT_KEYS",
        hide_env_values = true,
        value_parser = sensitive
    )]
    pub vault_keys: Option<Sensitive>,
    /// How many attempts to pay one charge in so many seconds, or off [default: 20/3600].
    #[arg(
        long,
        value_name = "N/S",
        env = "CARDFORM_LIMIT_PER_CHARGE",
        hide_env_values = true
    )]
    pub limit_per_charge: Option<LimitSetting>,
    /// How many attempts from one public client address, or off [default: 60/600].
    #[arg(
        long,
        value_name = "N/S",
        env = "CARDFORM_LIMIT_PER_ADDRESS",
        hide_env_values = true
    )]
    pub limit_per_address: Option<LimitSetting>,
    /// How many attempts with one card at one merchant, or off; needs keys of the vault [default: 20/3600,
    /// with the simulator off].
    #[arg(
        long,
        value_name = "N/S",
        env = "CARDFORM_LIMIT_PER_CARD",
        hide_env_values = true
    )]
    pub limit_per_card: Option<LimitSetting>,
    /// How many attempts at one merchant, or off [default: 10000/600].
    #[arg(
        long,
        value_name = "N/S",
        env = "CARDFORM_LIMIT_PER_PARTNER",
        hide_env_values = true
    )]
    pub limit_per_partner: Option<LimitSetting>,
    /// How often the outbox of webhooks is looked at, in milliseconds [default: 1000].
    #[arg(
        long,
        value_name = "MS",
        env = "CARDFORM_WEBHOOK_INTERVAL_MS",
        hide_env_values = true
    )]
    pub webhook_interval_ms: Option<u64>,
    /// Webhooks may go to private networks and over plain http, for development [default: false].
    #[arg(
        long,
        value_name = "BOOL",
        env = "CARDFORM_WEBHOOK_PRIVATE_NETWORKS",
        hide_env_values = true
    )]
    pub webhook_private_networks: Option<bool>,
}

/// What is logged, for every command.
#[derive(Debug, Clone, clap::Args)]
pub struct Logging {
    /// What is logged: error, warn, info, debug, trace.
    #[arg(
        long,
        global = true,
        value_name = "FILTER",
        env = "RUST_LOG",
        hide_env_values = true,
        default_value = "info"
    )]
    pub log: String,
}

/// The settings, checked and complete.
#[derive(Debug, Clone)]
pub struct Config {
    /// The address to listen on.
    pub listen: SocketAddr,
    /// The database.
    pub database: Database,
    /// The origin that shoppers reach this service at; the listening address when absent.
    pub public_url: Option<String>,
    /// Where the provider is reached; absent in demo mode, which mounts its own.
    pub provider_url: Option<Url>,
    /// Where shoppers' browsers reach the provider's pages; its own URL when absent.
    pub provider_public_url: Option<Url>,
    /// How long the provider may take.
    pub provider_timeout: Duration,
    /// How long after the time-out an attempt that the provider does not know counts as never made.
    pub provider_grace: Duration,
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
    /// How much the render engines may use.
    pub render: RenderLimits,
    /// Where the keys of the vault come from; absent, saving cards is off.
    pub vault_keys: Option<KeySource>,
    /// How many attempts to pay are let through.
    pub attempt_limits: AttemptLimits,
    /// How often the outbox of webhooks is looked at.
    pub webhook_interval: Duration,
    /// Whether webhooks may go to private networks.
    pub webhook_private_networks: bool,
    /// Demo mode: where its files are.
    pub demo: Option<PathBuf>,
}

impl Settings {
    /// Adds the settings file, fills in the defaults and checks every value.
    pub fn resolve(self) -> Result<Config, ConfigError> {
        self.with_file()?.check()
    }

    fn with_file(self) -> Result<Self, ConfigError> {
        let file = self.config.as_deref().map(read).transpose()?;
        Ok(self.or(file.unwrap_or_default()))
    }

    fn or(self, file: Self) -> Self {
        Self {
            config: self.config,
            listen: self.listen.or(file.listen),
            database: self.database.or(file.database),
            public_url: self.public_url.or(file.public_url),
            provider: self.provider.or(file.provider),
            provider_url: self.provider_url.or(file.provider_url),
            provider_public_url: self.provider_public_url.or(file.provider_public_url),
            provider_timeout_ms: self.provider_timeout_ms.or(file.provider_timeout_ms),
            provider_grace_ms: self.provider_grace_ms.or(file.provider_grace_ms),
            reconcile_interval_ms: self.reconcile_interval_ms.or(file.reconcile_interval_ms),
            challenge_timeout_ms: self.challenge_timeout_ms.or(file.challenge_timeout_ms),
            device_data_timeout_ms: self.device_data_timeout_ms.or(file.device_data_timeout_ms),
            client_secret_lifetime_seconds: self
                .client_secret_lifetime_seconds
                .or(file.client_secret_lifetime_seconds),
            charge_lifetime_seconds: self.charge_lifetime_seconds.or(file.charge_lifetime_seconds),
            client_ip_header: self.client_ip_header.or(file.client_ip_header),
            render_engines: self.render_engines.or(file.render_engines),
            render_time_ms: self.render_time_ms.or(file.render_time_ms),
            vault_key_file: self.vault_key_file.or(file.vault_key_file),
            vault_keys: self.vault_keys.or(file.vault_keys),
            limit_per_charge: self.limit_per_charge.or(file.limit_per_charge),
            limit_per_address: self.limit_per_address.or(file.limit_per_address),
            limit_per_card: self.limit_per_card.or(file.limit_per_card),
            limit_per_partner: self.limit_per_partner.or(file.limit_per_partner),
            webhook_interval_ms: self.webhook_interval_ms.or(file.webhook_interval_ms),
            webhook_private_networks: self.webhook_private_networks.or(file.webhook_private_networks),
        }
    }

    fn check(self) -> Result<Config, ConfigError> {
        if self.provider.as_deref().is_some_and(|name| name != "simulator") {
            return Err(ConfigError::Value("provider", "must be simulator"));
        }
        let attempt_limits = self.attempt_limits(AttemptLimits::of_provider(self.provider.as_deref()));
        Ok(Config {
            listen: self.listen.unwrap_or(LISTEN),
            database: database(self.database.as_deref().unwrap_or(DATABASE))?,
            public_url: self.public_url.as_deref().map(public_origin).transpose()?,
            provider_url: self.provider_url.as_deref().map(provider_url).transpose()?,
            provider_public_url: self
                .provider_public_url
                .as_deref()
                .map(provider_url)
                .transpose()?,
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
            render: render_limits(self.render_engines, self.render_time_ms)?,
            vault_keys: vault_keys(self.vault_key_file, self.vault_keys),
            attempt_limits,
            webhook_interval: duration_ms(
                "webhook_interval_ms",
                self.webhook_interval_ms,
                WEBHOOK_INTERVAL_MS,
            )?,
            webhook_private_networks: self.webhook_private_networks.unwrap_or(false),
            demo: None,
        })
    }
}

#[cfg(test)]
mod tests;
