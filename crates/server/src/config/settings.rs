//! The settings as they are given.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::num::NonZero;
use std::path::PathBuf;

use merge::Merge;
use page::RouteRule;
use protocol::Sensitive;
use serde::Deserialize;

use super::attempt_limits::LimitSetting;
use super::reference::SETTINGS_HEADING;

/// Settings as they are given; each can be a flag, `CARDFORM_…` in the environment, or a line of the TOML file.
/// `cardform.default.toml` describes each of them, for the help, too.
#[derive(Debug, Clone, Default, clap::Args, Deserialize, Merge)]
#[command(next_help_heading = SETTINGS_HEADING)]
#[allow(missing_docs, reason = "cardform.default.toml describes each setting")]
#[serde(deny_unknown_fields, default)]
#[merge(strategy = merge::option::overwrite_none)]
pub struct Settings {
    /// The TOML file with settings [default: cardform.toml in this folder or in its folder cardform-data, if there is one].
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    #[merge(skip)]
    pub config: Option<PathBuf>,
    #[arg(long, value_name = "ADDR")]
    pub listen: Option<SocketAddr>,
    #[arg(long, value_name = "FILE")]
    pub tls_certificate: Option<PathBuf>,
    #[arg(long, value_name = "FILE")]
    pub tls_key: Option<PathBuf>,
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    #[arg(long, value_name = "URL")]
    pub database: Option<String>,
    #[arg(long, value_name = "URL")]
    pub database_replica: Option<String>,
    #[arg(long, value_name = "N")]
    pub database_connections: Option<u32>,
    #[arg(long, value_name = "URL")]
    pub public_url: Option<String>,
    #[arg(long, value_name = "NAME")]
    pub provider: Option<String>,
    #[arg(long, value_name = "URL")]
    pub provider_url: Option<String>,
    #[arg(long, value_name = "URL")]
    pub provider_public_url: Option<String>,
    #[arg(long, value_name = "DIR")]
    pub provider_test_folder: Option<PathBuf>,
    #[arg(long, value_name = "FILE")]
    pub provider_key_file: Option<PathBuf>,
    #[arg(long, value_name = "KEY")]
    pub provider_key: Option<Sensitive>,
    #[arg(long, value_name = "FILE")]
    pub provider_event_secret_file: Option<PathBuf>,
    #[arg(long, value_name = "SECRET")]
    pub provider_event_secret: Option<Sensitive>,
    #[arg(long, value_name = "MS")]
    pub provider_timeout_ms: Option<u64>,
    #[arg(long, value_name = "MS")]
    pub provider_grace_ms: Option<u64>,
    #[arg(long, value_name = "MS")]
    pub request_timeout_ms: Option<u64>,
    #[arg(long, value_name = "MS")]
    pub head_timeout_ms: Option<u64>,
    #[arg(long, value_name = "N")]
    pub connections_max: Option<NonZero<usize>>,
    #[arg(long, value_name = "N")]
    pub connections_per_address_max: Option<NonZero<usize>>,
    #[arg(long, value_name = "MS")]
    pub drain_ms: Option<u64>,
    #[arg(long, value_name = "MS")]
    pub reconcile_interval_ms: Option<u64>,
    #[arg(long, value_name = "MS")]
    pub challenge_timeout_ms: Option<u64>,
    #[arg(long, value_name = "MS")]
    pub device_data_timeout_ms: Option<u64>,
    #[arg(long, value_name = "FILE")]
    pub card_networks_file: Option<PathBuf>,
    #[arg(long, value_name = "S")]
    pub client_secret_lifetime_seconds: Option<u64>,
    #[arg(long, value_name = "S")]
    pub charge_lifetime_seconds: Option<u64>,
    #[arg(long, value_name = "NAME")]
    pub client_ip_header: Option<String>,
    #[arg(long, value_name = "NETWORKS")]
    pub client_ip_proxies: Option<String>,
    #[arg(long, value_name = "N")]
    pub render_engines: Option<usize>,
    #[arg(long, value_name = "MS")]
    pub render_time_ms: Option<u64>,
    #[arg(long, value_name = "FILE")]
    pub vault_key_file: Option<PathBuf>,
    #[arg(long, value_name = "KEYS")]
    pub vault_keys: Option<Sensitive>,
    #[arg(
        long,
        value_name = "BOOL",
        num_args = 0..=1,
        default_missing_value = "true"
    )]
    pub strict_permissions: Option<bool>,
    #[arg(long, value_name = "NAME")]
    pub audit_name: Option<String>,
    #[arg(long, value_name = "N/S")]
    pub limit_per_charge: Option<LimitSetting>,
    #[arg(long, value_name = "N/S")]
    pub limit_per_address: Option<LimitSetting>,
    #[arg(long, value_name = "N/S")]
    pub limit_per_card: Option<LimitSetting>,
    #[arg(long, value_name = "N/S")]
    pub limit_per_partner: Option<LimitSetting>,
    #[arg(long, value_name = "BOOL")]
    pub accept_plain_cards: Option<bool>,
    #[arg(long, value_name = "BOOL")]
    pub accept_unsigned_payloads: Option<bool>,
    #[arg(long, value_name = "MS")]
    pub webhook_interval_ms: Option<u64>,
    #[arg(long, value_name = "DAYS")]
    pub webhook_retention_days: Option<u32>,
    #[arg(long, value_name = "BOOL")]
    pub webhook_private_networks: Option<bool>,
    #[arg(long, value_name = "NAME")]
    pub event_topic: Option<String>,
    #[arg(long, value_name = "NAME")]
    pub event_sink: Option<String>,
    #[arg(long, value_name = "HOSTS")]
    pub kafka_brokers: Option<String>,
    #[arg(long, value_name = "BOOL")]
    pub kafka_tls: Option<bool>,
    #[arg(long, value_name = "FILE")]
    pub kafka_root_certificates: Option<PathBuf>,
    #[arg(long, value_name = "NAME")]
    pub kafka_user: Option<String>,
    #[arg(long, value_name = "FILE")]
    pub kafka_password_file: Option<PathBuf>,
    #[arg(long, value_name = "PASSWORD")]
    pub kafka_password: Option<Sensitive>,
    #[arg(long, value_name = "NAME")]
    pub kafka_sasl_mechanism: Option<String>,
    #[arg(long, value_name = "DAYS")]
    pub event_retention_days: Option<u64>,
    #[arg(long, value_name = "MB")]
    pub event_storage_mb: Option<u64>,
    #[arg(long, value_name = "N/S")]
    pub limit_events_per_address: Option<LimitSetting>,
    #[arg(long, value_name = "STRATEGY")]
    pub locale_strategy: Option<String>,
    #[arg(long, value_name = "PATH")]
    pub root_redirect: Option<String>,
    #[arg(long, value_name = "STATUS")]
    pub root_redirect_status: Option<u16>,
    #[arg(long, value_name = "BOOL")]
    pub locale_cookie_cross_origin: Option<bool>,
    #[arg(long, value_name = "URL")]
    pub otlp_endpoint: Option<String>,
    #[arg(long, value_name = "BOOL")]
    pub tracking: Option<bool>,
    #[arg(long, value_name = "BOOL")]
    pub docs: Option<bool>,
    #[arg(long, value_name = "MODE")]
    pub experimentation_mode: Option<String>,
    #[arg(long, value_name = "MS")]
    pub session_timeout_ms: Option<u64>,
    #[arg(long, value_name = "HOST")]
    pub dynamic_environment_suffix: Option<String>,
    #[arg(long, value_name = "FILE")]
    pub operator_key_file: Option<PathBuf>,
    #[arg(long, value_name = "KEY")]
    pub operator_key: Option<Sensitive>,
    #[arg(long, value_name = "PATH")]
    pub operator_keys: Option<PathBuf>,
    #[arg(long, value_name = "DAYS")]
    pub visit_retention_days: Option<u32>,
    #[arg(long, value_name = "DAYS")]
    pub charge_retention_days: Option<u32>,
    #[arg(long, value_name = "DIR")]
    pub charge_export: Option<PathBuf>,
    #[arg(long, value_name = "FILE")]
    pub features_file: Option<PathBuf>,
    #[arg(long, value_name = "URL")]
    pub features_url: Option<String>,
    #[arg(long, value_name = "KEY")]
    pub features_client_key: Option<Sensitive>,
    #[arg(long, value_name = "KEY")]
    pub features_decryption_key: Option<Sensitive>,
    #[arg(long, value_name = "S")]
    pub features_refresh_seconds: Option<u64>,
    #[arg(long, value_name = "FILE")]
    pub features_copy: Option<PathBuf>,
    #[arg(long, value_name = "URL")]
    pub ip_lookup_url: Option<String>,
    #[arg(long, value_name = "URL")]
    pub fraud_script_url: Option<String>,
    #[arg(long, value_name = "ORIGINS")]
    pub fraud_script_origins: Option<String>,
    #[arg(long, value_name = "NAME")]
    pub fraud_token_cookie: Option<String>,
    #[arg(long, value_name = "DAYS")]
    pub fraud_token_cookie_days: Option<u16>,
    /// Paths that redirect to other addresses; only in the file.
    #[arg(skip)]
    #[merge(strategy = add_missing)]
    pub route_rules: BTreeMap<String, RouteRule>,
}

/// Uses the file's rules if none are given.
fn add_missing(given: &mut BTreeMap<String, RouteRule>, of_file: BTreeMap<String, RouteRule>) {
    if given.is_empty() {
        *given = of_file;
    }
}
