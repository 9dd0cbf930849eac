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

macro_rules! settings {
    ($($(#[$attribute:meta])* $name:ident: $type:ty = $value_name:literal;)*) => {
        /// Settings as they are given; each can be a flag, `CARDFORM_…` in the environment, or a line of the TOML file.
        /// `cardform.default.toml` describes each of them, for the help, too.
        #[derive(Debug, Clone, Default, clap::Args, Deserialize, Merge)]
        #[command(next_help_heading = SETTINGS_HEADING)]
        #[allow(missing_docs, reason = "cardform.default.toml describes each setting")]
        #[serde(deny_unknown_fields, default)]
        #[merge(strategy = merge::option::overwrite_none)]
        pub struct Settings {
            $(
                $(#[$attribute])*
                #[arg(long, value_name = $value_name)]
                pub $name: Option<$type>,
            )*
            /// Paths that redirect to other addresses; only in the file.
            #[arg(skip)]
            #[merge(strategy = add_missing)]
            pub route_rules: BTreeMap<String, RouteRule>,
        }
    };
}

// Each row has a name, a type, and the word for the value in the help.
settings! {
    /// The TOML file with settings [default: cardform.toml in this folder or in its folder cardform-data, if there is one].
    #[serde(skip)]
    #[merge(skip)]
    config: PathBuf = "FILE";
    listen: SocketAddr = "ADDR";
    tls_certificate: PathBuf = "FILE";
    tls_key: PathBuf = "FILE";
    threads: usize = "N";
    database: String = "URL";
    database_replica: String = "URL";
    database_connections: u32 = "N";
    public_url: String = "URL";
    provider: String = "NAME";
    provider_url: String = "URL";
    provider_public_url: String = "URL";
    provider_test_folder: PathBuf = "DIR";
    provider_key_file: PathBuf = "FILE";
    provider_key: Sensitive = "KEY";
    provider_event_secret_file: PathBuf = "FILE";
    provider_event_secret: Sensitive = "SECRET";
    provider_timeout_ms: u64 = "MS";
    provider_grace_ms: u64 = "MS";
    request_timeout_ms: u64 = "MS";
    head_timeout_ms: u64 = "MS";
    connections_max: NonZero<usize> = "N";
    connections_per_address_max: NonZero<usize> = "N";
    drain_ms: u64 = "MS";
    reconcile_interval_ms: u64 = "MS";
    challenge_timeout_ms: u64 = "MS";
    device_data_timeout_ms: u64 = "MS";
    card_networks_file: PathBuf = "FILE";
    client_secret_lifetime_seconds: u64 = "S";
    charge_lifetime_seconds: u64 = "S";
    client_ip_header: String = "NAME";
    client_ip_proxies: String = "NETWORKS";
    render_engines: usize = "N";
    render_time_ms: u64 = "MS";
    vault_key_file: PathBuf = "FILE";
    vault_keys: Sensitive = "KEYS";
    #[arg(num_args = 0..=1, default_missing_value = "true")]
    strict_permissions: bool = "BOOL";
    audit_name: String = "NAME";
    limit_per_charge: LimitSetting = "N/S";
    limit_per_address: LimitSetting = "N/S";
    limit_per_card: LimitSetting = "N/S";
    limit_per_partner: LimitSetting = "N/S";
    accept_plain_cards: bool = "BOOL";
    accept_unsigned_payloads: bool = "BOOL";
    webhook_interval_ms: u64 = "MS";
    webhook_retention_days: u32 = "DAYS";
    webhook_private_networks: bool = "BOOL";
    event_topic: String = "NAME";
    event_sink: String = "NAME";
    kafka_brokers: String = "HOSTS";
    kafka_tls: bool = "BOOL";
    kafka_root_certificates: PathBuf = "FILE";
    kafka_user: String = "NAME";
    kafka_password_file: PathBuf = "FILE";
    kafka_password: Sensitive = "PASSWORD";
    kafka_sasl_mechanism: String = "NAME";
    event_retention_days: u64 = "DAYS";
    event_storage_mb: u64 = "MB";
    limit_events_per_address: LimitSetting = "N/S";
    locale_strategy: String = "STRATEGY";
    root_redirect: String = "PATH";
    root_redirect_status: u16 = "STATUS";
    locale_cookie_cross_origin: bool = "BOOL";
    otlp_endpoint: String = "URL";
    tracking: bool = "BOOL";
    docs: bool = "BOOL";
    experimentation_mode: String = "MODE";
    session_timeout_ms: u64 = "MS";
    dynamic_environment_suffix: String = "HOST";
    operator_key_file: PathBuf = "FILE";
    operator_key: Sensitive = "KEY";
    operator_keys: PathBuf = "PATH";
    visit_retention_days: u32 = "DAYS";
    charge_retention_days: u32 = "DAYS";
    charge_export: PathBuf = "DIR";
    features_file: PathBuf = "FILE";
    features_url: String = "URL";
    features_client_key: Sensitive = "KEY";
    features_decryption_key: Sensitive = "KEY";
    features_refresh_seconds: u64 = "S";
    features_copy: PathBuf = "FILE";
    ip_lookup_url: String = "URL";
    fraud_script_url: String = "URL";
    fraud_script_origins: String = "ORIGINS";
    fraud_token_cookie: String = "NAME";
    fraud_token_cookie_days: u16 = "DAYS";
}

/// Uses the file's rules if none are given.
fn add_missing(given: &mut BTreeMap<String, RouteRule>, of_file: BTreeMap<String, RouteRule>) {
    if given.is_empty() {
        *given = of_file;
    }
}
