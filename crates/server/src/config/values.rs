//! The values that settings can have: origins, URLs, files, durations.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;
use page::RenderLimits;
use protocol::SecretSource;
use protocol::Sensitive;
use store::Database;
use url::{Host, Url};

use super::ConfigError;
use web::client_ip::Proxies;
use web::tls::TlsFiles;

/// The longest name for the audit log, in characters.
const AUDIT_NAME_CHARACTERS_MAX: usize = 128;
/// A day: a shopper who has not paid by then rarely comes back.
const CHARGE_LIFETIME_SECONDS: u64 = 86_400;
/// A year.
const CHARGE_LIFETIME_SECONDS_MAX: u64 = 31_536_000;

/// Each engine is a thread and some megabytes; more engines than cores are useless.
const RENDER_ENGINES_MAX: usize = 64;
/// If the server takes longer, the browser renders the page sooner.
const RENDER_TIME_MAX: Duration = Duration::from_secs(10);

const CLIENT_SECRET_LIFETIME_SECONDS: u64 = 3_600;
/// A day. A client secret that is valid for longer would be like a password.
const CLIENT_SECRET_LIFETIME_SECONDS_MAX: u64 = 86_400;

pub(super) fn client_secret_lifetime(given: Option<u64>) -> Result<Duration, ConfigError> {
    let seconds = given.unwrap_or(CLIENT_SECRET_LIFETIME_SECONDS);
    if !(1..=CLIENT_SECRET_LIFETIME_SECONDS_MAX).contains(&seconds) {
        return Err(ConfigError::Value(
            "client_secret_lifetime_seconds",
            "must be 1 to 86400",
        ));
    }
    Ok(Duration::from_secs(seconds))
}

/// Reads a duration of one millisecond to an hour.
pub(super) fn duration_ms(
    name: &'static str,
    given: Option<u64>,
    default: u64,
) -> Result<Duration, ConfigError> {
    let ms = given.unwrap_or(default);
    if (1..=3_600_000).contains(&ms) {
        Ok(Duration::from_millis(ms))
    } else {
        Err(ConfigError::Value(name, "must be 1 to 3600000 milliseconds"))
    }
}

/// A name for the audit log, in one line and without spaces around it.
pub(super) fn audit_name(given: Option<String>) -> Result<Option<String>, ConfigError> {
    let is_line = |name: &String| {
        let name = name.trim();
        (1..=AUDIT_NAME_CHARACTERS_MAX).contains(&name.chars().count()) && !name.contains(char::is_control)
    };
    match given {
        Some(name) if !is_line(&name) => {
            Err(ConfigError::Value("audit_name", "must have 1 to 128 characters"))
        }
        given => Ok(given.map(|name| name.trim().to_owned())),
    }
}

pub(super) fn charge_lifetime(given: Option<u64>) -> Result<Duration, ConfigError> {
    let seconds = given.unwrap_or(CHARGE_LIFETIME_SECONDS);
    if (1..=CHARGE_LIFETIME_SECONDS_MAX).contains(&seconds) {
        Ok(Duration::from_secs(seconds))
    } else {
        Err(ConfigError::Value(
            "charge_lifetime_seconds",
            "must be 1 to 31536000",
        ))
    }
}

pub(super) fn database(url: &str) -> Result<Database, ConfigError> {
    const WRONG: ConfigError = ConfigError::Value(
        "database",
        "must be sqlite: and a file's path, or postgres:// and user, host and name",
    );
    if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        return Url::parse(url).map(Database::Postgres).map_err(|_| WRONG);
    }
    let file = url
        .strip_prefix("sqlite://")
        .or_else(|| url.strip_prefix("sqlite:"));
    match file {
        Some(":memory:" | "") | None => Err(WRONG),
        Some(file) => Ok(Database::Sqlite(PathBuf::from(file))),
    }
}

/// A replica; only PostgreSQL has any.
pub(super) fn replica(url: &str) -> Result<Database, ConfigError> {
    const WRONG: ConfigError =
        ConfigError::Value("database_replica", "must be postgres:// and user, host and name");
    match database(url) {
        Ok(replica @ Database::Postgres(_)) => Ok(replica),
        Ok(Database::Sqlite(_)) | Err(_) => Err(WRONG),
    }
}

/// An origin without a path; `/?payload=` is appended to it.
pub(super) fn public_origin(text: &str) -> Result<String, ConfigError> {
    origin(text.trim_end_matches('/')).ok_or(ConfigError::Value(
        "public_url",
        "must be http(s):// and a host, without a path",
    ))
}

/// `text` if it is an origin exactly as browsers write it: scheme, host, and a port only if it is not the scheme's
/// default.
pub fn origin(text: &str) -> Option<String> {
    let url = Url::parse(text).ok()?;
    let ascii = url.origin().ascii_serialization();
    (matches!(url.scheme(), "http" | "https") && ascii == text).then_some(ascii)
}

/// An http(s) URL without a query, so that a path can be appended.
pub(super) fn web_url(name: &'static str, text: &str) -> Result<Url, ConfigError> {
    Url::parse(text.trim_end_matches('/'))
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https") && url.query().is_none())
        .ok_or(ConfigError::Value(name, "must be an http(s) URL without a query"))
}

/// Whether data that is sent to `url` crosses a network without encryption.
pub(crate) fn is_unencrypted(url: &Url) -> bool {
    let loopback = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    url.scheme() == "http" && !loopback
}

/// A secret from the command line or the environment.
#[allow(clippy::unnecessary_wraps, reason = "clap takes a fallible reader")]
pub(super) fn sensitive(text: &str) -> Result<Sensitive, Infallible> {
    Ok(Sensitive::new(text.to_owned()))
}

/// The keys of the vault: the setting wins over the file.
pub(super) fn vault_keys(file: Option<PathBuf>, keys: Option<Sensitive>) -> Option<SecretSource> {
    SecretSource::of_settings(keys, file)
}

/// The certificate and its key; one of them alone is an error.
pub(super) fn tls_files(
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
) -> Result<Option<TlsFiles>, ConfigError> {
    match (certificate, key) {
        (None, None) => Ok(None),
        (Some(certificate), Some(key)) => Ok(Some(TlsFiles { certificate, key })),
        (Some(_), None) => Err(ConfigError::Value("tls_key", "is missing beside tls_certificate")),
        (None, Some(_)) => Err(ConfigError::Value("tls_certificate", "is missing beside tls_key")),
    }
}

/// This machine and the private networks, where reverse proxies usually are.
const PRIVATE_NETWORKS: &str = "127.0.0.0/8, ::1/128, 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 169.254.0.0/16, \
     fc00::/7, fe80::/10";

/// Reads whose header names the client's address.
pub(super) fn proxies(header: Option<String>, given: Option<&str>) -> Result<Proxies, ConfigError> {
    Ok(Proxies {
        header: header
            .map(|name| name.parse())
            .transpose()
            .map_err(|_| ConfigError::Value("client_ip_header", "must be the name of a header"))?,
        networks: networks("client_ip_proxies", given)?,
    })
}

/// Reads networks that are separated by commas: `10.0.0.0/8, 192.0.2.7/32`.
fn networks(name: &'static str, given: Option<&str>) -> Result<Vec<IpNet>, ConfigError> {
    given
        .unwrap_or(PRIVATE_NETWORKS)
        .split(',')
        .map(|network| network.trim().parse())
        .collect::<Result<_, _>>()
        .map_err(|_| ConfigError::Value(name, "must be networks like 10.0.0.0/8, with commas between"))
}

/// The address at which this machine reaches a server that listens on `address`.
pub fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

pub(super) fn render_limits(
    engines: Option<usize>,
    time_ms: Option<u64>,
) -> Result<RenderLimits, ConfigError> {
    let default = RenderLimits::default();
    let engines = engines.unwrap_or(default.engines);
    if !(1..=RENDER_ENGINES_MAX).contains(&engines) {
        return Err(ConfigError::Value("render_engines", "must be 1 to 64"));
    }
    let time = time_ms.map_or(default.time, Duration::from_millis);
    if time > RENDER_TIME_MAX {
        return Err(ConfigError::Value(
            "render_time_ms",
            "must be 0 to 10000 milliseconds",
        ));
    }
    Ok(RenderLimits {
        engines,
        time,
        ..default
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_origin_as_browsers_write_it_is_read() {
        assert_eq!(
            origin("https://shop.example").as_deref(),
            Some("https://shop.example")
        );
        assert_eq!(
            origin("http://127.0.0.1:8080").as_deref(),
            Some("http://127.0.0.1:8080")
        );
        for wrong in [
            "https://shop.example/",
            "https://shop.example:443",
            "https://Shop.example",
            "null",
            "*",
        ] {
            assert_eq!(origin(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_server_on_every_address_is_reached_at_the_loopback() {
        let reached = |address: &str| reachable(address.parse().unwrap()).to_string();
        assert_eq!(reached("0.0.0.0:80"), "127.0.0.1:80");
        assert_eq!(reached("[::]:80"), "[::1]:80");
        assert_eq!(reached("192.0.2.1:80"), "192.0.2.1:80");
    }
}
