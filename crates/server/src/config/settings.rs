//! The settings as they are given.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;

use merge::Merge;
use page::RouteRule;
use serde::Deserialize;
use wire::Sensitive;

use super::attempt_limits::LimitSetting;
use super::values::sensitive;

/// Settings as they are given; each can be a flag, `CARDFORM_…` in the environment, or a line of the TOML file.
#[derive(Debug, Clone, Default, clap::Args, Deserialize, Merge)]
#[serde(deny_unknown_fields, default)]
#[merge(strategy = merge::option::overwrite_none)]
pub struct Settings {
    /// The TOML file with settings.
    #[arg(long, value_name = "FILE", env = "CARDFORM_CONFIG")]
    #[serde(skip)]
    #[merge(skip)]
    pub config: Option<PathBuf>,
    /// The address to listen on; port 0 takes a free one [default: 127.0.0.1:8080].
    #[arg(long, value_name = "ADDR", env = "CARDFORM_LISTEN")]
    pub listen: Option<SocketAddr>,
    /// The PEM file with the certificate, followed by its chain; with it the service speaks https itself.
    #[arg(long, value_name = "FILE", env = "CARDFORM_TLS_CERTIFICATE")]
    pub tls_certificate: Option<PathBuf>,
    /// The PEM file with the certificate's private key.
    #[arg(long, value_name = "FILE", env = "CARDFORM_TLS_KEY")]
    pub tls_key: Option<PathBuf>,
    /// How many threads answer requests [default: as many as there are processors].
    #[arg(long, value_name = "N", env = "CARDFORM_THREADS")]
    pub threads: Option<usize>,
    /// The database: `sqlite:FILE` or `postgres://USER:PASSWORD@HOST/NAME` [default: sqlite:cardform.db].
    #[arg(long, value_name = "URL", env = "CARDFORM_DATABASE")]
    pub database: Option<String>,
    /// A replica of the PostgreSQL database, from which the operator's reports are read: `postgres://…`. Its lag is shown,
    /// and if it cannot be read the database itself is.
    #[arg(long, value_name = "URL", env = "CARDFORM_DATABASE_REPLICA")]
    pub database_replica: Option<String>,
    /// How many connections to PostgreSQL a node may hold, or how many readers of SQLite [default: 16, or 4].
    #[arg(long, value_name = "N", env = "CARDFORM_DATABASE_CONNECTIONS")]
    pub database_connections: Option<u32>,
    /// The origin at which shoppers reach this service [default: the listening address].
    #[arg(long, value_name = "URL", env = "CARDFORM_PUBLIC_URL")]
    pub public_url: Option<String>,
    /// The provider that charges the cards: simulator, stripe [default: simulator].
    #[arg(long, value_name = "NAME", env = "CARDFORM_PROVIDER")]
    pub provider: Option<String>,
    /// The URL of the provider's API [default for stripe: its own address].
    #[arg(long, value_name = "URL", env = "CARDFORM_PROVIDER_URL")]
    pub provider_url: Option<String>,
    /// Where shoppers' browsers reach the provider's pages, like its challenges [default: the provider's URL].
    #[arg(long, value_name = "URL", env = "CARDFORM_PROVIDER_PUBLIC_URL")]
    pub provider_public_url: Option<String>,
    /// The file with the provider's secret key, which Stripe needs.
    #[arg(long, value_name = "FILE", env = "CARDFORM_PROVIDER_KEY_FILE")]
    pub provider_key_file: Option<PathBuf>,
    /// The key itself; it wins over the file. Use the environment, because everybody on the machine can see a command
    /// line.
    #[arg(
        long,
        value_name = "KEY",
        env = "CARDFORM_PROVIDER_KEY",
        value_parser = sensitive
    )]
    pub provider_key: Option<Sensitive>,
    /// How long the provider may take, in milliseconds [default: 30000].
    #[arg(long, value_name = "MS", env = "CARDFORM_PROVIDER_TIMEOUT_MS")]
    pub provider_timeout_ms: Option<u64>,
    /// How long after the time-out an attempt that the provider does not know counts as never made, in milliseconds
    /// [default: 15000].
    #[arg(long, value_name = "MS", env = "CARDFORM_PROVIDER_GRACE_MS")]
    pub provider_grace_ms: Option<u64>,
    /// How long a client may take to send a request's body, and may keep a connection without a request, in milliseconds
    /// [default: 75000].
    #[arg(long, value_name = "MS", env = "CARDFORM_REQUEST_TIMEOUT_MS")]
    pub request_timeout_ms: Option<u64>,
    /// How long a client may take to send a request's head, in milliseconds [default: 10000].
    #[arg(long, value_name = "MS", env = "CARDFORM_HEAD_TIMEOUT_MS")]
    pub head_timeout_ms: Option<u64>,
    /// How many connections there may be; if there are more, the oldest idle one is closed [default: 10000, or as many
    /// as there are file descriptors for].
    #[arg(long, value_name = "N", env = "CARDFORM_CONNECTIONS_MAX")]
    pub connections_max: Option<usize>,
    /// How many connections one public address may have; reverse proxies have no such limit [default: a quarter].
    #[arg(long, value_name = "N", env = "CARDFORM_CONNECTIONS_PER_ADDRESS_MAX")]
    pub connections_per_address_max: Option<usize>,
    /// How long the service keeps running after SIGTERM with /readyz at 503, so that a load balancer notices, in
    /// milliseconds [default: 0].
    #[arg(long, value_name = "MS", env = "CARDFORM_DRAIN_MS")]
    pub drain_ms: Option<u64>,
    /// How often lost outcomes are asked for, in milliseconds [default: 2000].
    #[arg(long, value_name = "MS", env = "CARDFORM_RECONCILE_INTERVAL_MS")]
    pub reconcile_interval_ms: Option<u64>,
    /// How long a shopper may take for a 3-D Secure challenge, in milliseconds [default: 600000].
    #[arg(long, value_name = "MS", env = "CARDFORM_CHALLENGE_TIMEOUT_MS")]
    pub challenge_timeout_ms: Option<u64>,
    /// How long collecting device data may take before the charge goes on without it, in milliseconds [default:
    /// 10000].
    #[arg(long, value_name = "MS", env = "CARDFORM_DEVICE_DATA_TIMEOUT_MS")]
    pub device_data_timeout_ms: Option<u64>,
    /// How long a client secret is valid, in seconds [default: 3600].
    #[arg(long, value_name = "S", env = "CARDFORM_CLIENT_SECRET_LIFETIME_SECONDS")]
    pub client_secret_lifetime_seconds: Option<u64>,
    /// How long a charge can be paid, in seconds [default: 86400].
    #[arg(long, value_name = "S", env = "CARDFORM_CHARGE_LIFETIME_SECONDS")]
    pub charge_lifetime_seconds: Option<u64>,
    /// The header in which the reverse proxy sends the client's address, as its last entry; without it the
    /// connection's address counts.
    #[arg(long, value_name = "NAME", env = "CARDFORM_CLIENT_IP_HEADER")]
    pub client_ip_header: Option<String>,
    /// The networks of the reverse proxy, separated by commas; the header of any other connection is ignored [default:
    /// this machine and private networks].
    #[arg(long, value_name = "NETWORKS", env = "CARDFORM_CLIENT_IP_PROXIES")]
    pub client_ip_proxies: Option<String>,
    /// How many engines render pages on the server [default: 2].
    #[arg(long, value_name = "N", env = "CARDFORM_RENDER_ENGINES")]
    pub render_engines: Option<usize>,
    /// How long rendering a page on the server may take, in milliseconds; after that the browser renders it. At 0 the
    /// browser always does [default: 500].
    #[arg(long, value_name = "MS", env = "CARDFORM_RENDER_TIME_MS")]
    pub render_time_ms: Option<u64>,
    /// The file with the keys that seal saved cards, one `id:key` per line, the active one first; `cardform key
    /// generate` makes one. It is read again when it changes. Without keys no card is saved.
    #[arg(long, value_name = "FILE", env = "CARDFORM_VAULT_KEY_FILE")]
    pub vault_key_file: Option<PathBuf>,
    /// The keys themselves, separated by spaces; they win over the file. Use the environment, because everybody on the
    /// machine can see a command line.
    #[arg(
        long,
        value_name = "KEYS",
        env = "CARDFORM_VAULT_KEYS",
        value_parser = sensitive
    )]
    pub vault_keys: Option<Sensitive>,
    /// Whether the service refuses to start if others on this machine can read a file with a key, instead of only
    /// logging it [default: false].
    #[arg(
        long,
        value_name = "BOOL",
        env = "CARDFORM_STRICT_PERMISSIONS",
        num_args = 0..=1,
        default_missing_value = "true"
    )]
    pub strict_permissions: Option<bool>,
    /// The name of the person who runs a command, for the audit log [default: the system's user and machine].
    #[arg(long, value_name = "NAME", env = "CARDFORM_AUDIT_NAME")]
    pub audit_name: Option<String>,
    /// How many attempts to pay one charge are allowed in how many seconds, or off [default: 20/3600].
    #[arg(long, value_name = "N/S", env = "CARDFORM_LIMIT_PER_CHARGE")]
    pub limit_per_charge: Option<LimitSetting>,
    /// How many attempts from one public client address are allowed in how many seconds, or off [default: 60/600].
    #[arg(long, value_name = "N/S", env = "CARDFORM_LIMIT_PER_ADDRESS")]
    pub limit_per_address: Option<LimitSetting>,
    /// How many attempts with one card at one merchant are allowed in how many seconds, or off; needs keys of the
    /// vault [default: 20/3600, with the simulator off].
    #[arg(long, value_name = "N/S", env = "CARDFORM_LIMIT_PER_CARD")]
    pub limit_per_card: Option<LimitSetting>,
    /// How many attempts at one merchant are allowed in how many seconds, or off [default: 10000/600].
    #[arg(long, value_name = "N/S", env = "CARDFORM_LIMIT_PER_PARTNER")]
    pub limit_per_partner: Option<LimitSetting>,
    /// Whether a direct charge may send its card without sealing it: servers do, and browsers without `WebCrypto`
    /// [default: true].
    #[arg(long, value_name = "BOOL", env = "CARDFORM_ACCEPT_PLAIN_CARDS")]
    pub accept_plain_cards: Option<bool>,
    /// Whether payloads without this service's signature show a card form, too. Anybody can make one, so what the page
    /// shows may be false [default: false].
    #[arg(long, value_name = "BOOL", env = "CARDFORM_ACCEPT_UNSIGNED_PAYLOADS")]
    pub accept_unsigned_payloads: Option<bool>,
    /// How often the service looks for webhooks to send, in milliseconds [default: 1000].
    #[arg(long, value_name = "MS", env = "CARDFORM_WEBHOOK_INTERVAL_MS")]
    pub webhook_interval_ms: Option<u64>,
    /// How long finished webhooks are kept, in days [default: 30].
    #[arg(long, value_name = "DAYS", env = "CARDFORM_WEBHOOK_RETENTION_DAYS")]
    pub webhook_retention_days: Option<u32>,
    /// Whether webhooks may be sent to private networks and over plain http, for development [default: false].
    #[arg(long, value_name = "BOOL", env = "CARDFORM_WEBHOOK_PRIVATE_NETWORKS")]
    pub webhook_private_networks: Option<bool>,
    /// The topic of events [default: cardform-events].
    #[arg(long, value_name = "NAME", env = "CARDFORM_EVENT_TOPIC")]
    pub event_topic: Option<String>,
    /// Where events are kept: database, kafka [default: database].
    #[arg(long, value_name = "NAME", env = "CARDFORM_EVENT_SINK")]
    pub event_sink: Option<String>,
    /// Kafka's brokers: hosts with their ports, separated by commas.
    #[arg(long, value_name = "HOSTS", env = "CARDFORM_KAFKA_BROKERS")]
    pub kafka_brokers: Option<String>,
    /// Whether the brokers use TLS [default: false].
    #[arg(long, value_name = "BOOL", env = "CARDFORM_KAFKA_TLS")]
    pub kafka_tls: Option<bool>,
    /// The PEM file with the root certificates of the brokers [default: this machine's].
    #[arg(long, value_name = "FILE", env = "CARDFORM_KAFKA_ROOT_CERTIFICATES")]
    pub kafka_root_certificates: Option<PathBuf>,
    /// The user name at the brokers.
    #[arg(long, value_name = "NAME", env = "CARDFORM_KAFKA_USER")]
    pub kafka_user: Option<String>,
    /// The file with the user's password.
    #[arg(long, value_name = "FILE", env = "CARDFORM_KAFKA_PASSWORD_FILE")]
    pub kafka_password_file: Option<PathBuf>,
    /// The password itself; it wins over the file. Use the environment, because everybody on the machine can see a
    /// command line.
    #[arg(
        long,
        value_name = "PASSWORD",
        env = "CARDFORM_KAFKA_PASSWORD",
        value_parser = sensitive
    )]
    pub kafka_password: Option<Sensitive>,
    /// How the login proves the password: plain, scram-sha-256, scram-sha-512 [default: scram-sha-512].
    #[arg(long, value_name = "NAME", env = "CARDFORM_KAFKA_SASL_MECHANISM")]
    pub kafka_sasl_mechanism: Option<String>,
    /// How long events are kept in the database, in days [default: 30].
    #[arg(long, value_name = "DAYS", env = "CARDFORM_EVENT_RETENTION_DAYS")]
    pub event_retention_days: Option<u64>,
    /// How many megabytes of events the database keeps; the oldest are removed [default: 2048].
    #[arg(long, value_name = "MB", env = "CARDFORM_EVENT_STORAGE_MB")]
    pub event_storage_mb: Option<u64>,
    /// How many events one public client address may send in how many seconds, or off [default: 6000/60].
    #[arg(long, value_name = "N/S", env = "CARDFORM_LIMIT_EVENTS_PER_ADDRESS")]
    pub limit_events_per_address: Option<LimitSetting>,
    /// Which languages have an address of their own: `no_prefix`, `prefix`, `prefix_except_default` or
    /// `prefix_and_default` [default: `prefix_and_default`].
    #[arg(long, value_name = "STRATEGY", env = "CARDFORM_LOCALE_STRATEGY")]
    pub locale_strategy: Option<String>,
    /// The path to which the root redirects, like /en-US, instead of showing the form.
    #[arg(long, value_name = "PATH", env = "CARDFORM_ROOT_REDIRECT")]
    pub root_redirect: Option<String>,
    /// The status of redirects from the root: 301, 302, 303, 307 or 308 [default: 302].
    #[arg(long, value_name = "STATUS", env = "CARDFORM_ROOT_REDIRECT_STATUS")]
    pub root_redirect_status: Option<u16>,
    /// Whether the cookie with the chosen language also works in frames on other sites, which needs https [default:
    /// false].
    #[arg(long, value_name = "BOOL", env = "CARDFORM_LOCALE_COOKIE_CROSS_ORIGIN")]
    pub locale_cookie_cross_origin: Option<bool>,
    /// The OpenTelemetry collector that receives traces over HTTP, like `http://127.0.0.1:4318` [default: none].
    #[arg(long, value_name = "URL", env = "CARDFORM_OTLP_ENDPOINT")]
    pub otlp_endpoint: Option<String>,
    /// Whether the form sends events: where shoppers give up, which experiments they saw [default: true].
    #[arg(long, value_name = "BOOL", env = "CARDFORM_TRACKING")]
    pub tracking: Option<bool>,
    /// Whether the documentation of this version is served at `/docs` and `/llms.txt` [default: true].
    #[arg(long, value_name = "BOOL", env = "CARDFORM_DOCS")]
    pub docs: Option<bool>,
    /// The environment of experiments and events: production, staging, or dev, in which events are only written to the
    /// browser's console [default: production].
    #[arg(long, value_name = "MODE", env = "CARDFORM_EXPERIMENTATION_MODE")]
    pub experimentation_mode: Option<String>,
    /// After how much idle time a shopper's session ends, in milliseconds [default: 1800000].
    #[arg(long, value_name = "MS", env = "CARDFORM_SESSION_TIMEOUT_MS")]
    pub session_timeout_ms: Option<u64>,
    /// The host whose subdomains are dynamic environments; a link's `origin` names the one that the page calls
    /// [default: none, and `origin` is ignored].
    #[arg(long, value_name = "HOST", env = "CARDFORM_DYNAMIC_ENVIRONMENT_SUFFIX")]
    pub dynamic_environment_suffix: Option<String>,
    /// The file with the key that opens the operator's page and report, at least 32 characters. Without a key there is
    /// neither of them.
    #[arg(long, value_name = "FILE", env = "CARDFORM_OPERATOR_KEY_FILE")]
    pub operator_key_file: Option<PathBuf>,
    /// The key itself; it wins over the file. Use the environment, because everybody on the machine can see a command
    /// line.
    #[arg(
        long,
        value_name = "KEY",
        env = "CARDFORM_OPERATOR_KEY",
        value_parser = sensitive
    )]
    pub operator_key: Option<Sensitive>,
    /// How long visits are kept for the operator's report, in days [default: 90].
    #[arg(long, value_name = "DAYS", env = "CARDFORM_VISIT_RETENTION_DAYS")]
    pub visit_retention_days: Option<u32>,
    /// How long ended charges are kept, in days; paid ones stay for 540 at least [default: for ever].
    #[arg(long, value_name = "DAYS", env = "CARDFORM_CHARGE_RETENTION_DAYS")]
    pub charge_retention_days: Option<u32>,
    /// The folder where charges are written to, as lines of JSON, before they are removed.
    #[arg(long, value_name = "DIR", env = "CARDFORM_CHARGE_EXPORT")]
    pub charge_export: Option<PathBuf>,
    /// The file with the features document, in GrowthBook's format; it is read again when it changes.
    #[arg(long, value_name = "FILE", env = "CARDFORM_FEATURES_FILE")]
    pub features_file: Option<PathBuf>,
    /// The address of the features document; with a client key, GrowthBook's API host.
    #[arg(long, value_name = "URL", env = "CARDFORM_FEATURES_URL")]
    pub features_url: Option<String>,
    /// The client key of GrowthBook's SDK connection.
    #[arg(
        long,
        value_name = "KEY",
        env = "CARDFORM_FEATURES_CLIENT_KEY",
        value_parser = sensitive
    )]
    pub features_client_key: Option<Sensitive>,
    /// The key of an encrypted features document, in base64.
    #[arg(
        long,
        value_name = "KEY",
        env = "CARDFORM_FEATURES_DECRYPTION_KEY",
        value_parser = sensitive
    )]
    pub features_decryption_key: Option<Sensitive>,
    /// How often the features document is checked for changes, in seconds [default: 60].
    #[arg(long, value_name = "S", env = "CARDFORM_FEATURES_REFRESH_SECONDS")]
    pub features_refresh_seconds: Option<u64>,
    /// Where the last valid features document is kept [default: cardform-features.json beside the database's file].
    #[arg(long, value_name = "FILE", env = "CARDFORM_FEATURES_COPY")]
    pub features_copy: Option<PathBuf>,
    /// The address that tells the page the client's address, as text [default: this service].
    #[arg(long, value_name = "URL", env = "CARDFORM_IP_LOOKUP_URL")]
    pub ip_lookup_url: Option<String>,
    /// The URL of the fraud prevention's script, with `{site_id}` for the merchant's site [default: none].
    #[arg(long, value_name = "URL", env = "CARDFORM_FRAUD_SCRIPT_URL")]
    pub fraud_script_url: Option<String>,
    /// The origins that the script calls, separated by spaces [default: none].
    #[arg(long, value_name = "ORIGINS", env = "CARDFORM_FRAUD_SCRIPT_ORIGINS")]
    pub fraud_script_origins: Option<String>,
    /// The cookie with the script's token [default: forterToken].
    #[arg(long, value_name = "NAME", env = "CARDFORM_FRAUD_TOKEN_COOKIE")]
    pub fraud_token_cookie: Option<String>,
    /// How many days that cookie lasts, 1 to 400 [default: 400].
    #[arg(long, value_name = "DAYS", env = "CARDFORM_FRAUD_TOKEN_COOKIE_DAYS")]
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
