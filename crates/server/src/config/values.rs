//! The values that settings can have: origins, URLs, files, durations.

use std::fmt::Display;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use store::Database;
use url::{Host, Url};

use super::ConfigError;
use web::{Proxies, TlsFiles};

/// The longest name for the audit log, in characters.
const AUDIT_NAME_CHARACTERS_MAX: usize = 128;

/// The value, if it is within these limits.
pub(super) fn within<T: PartialOrd + Display>(
    name: &'static str,
    value: T,
    limits: RangeInclusive<T>,
) -> Result<T, ConfigError> {
    if limits.contains(&value) {
        return Ok(value);
    }
    let (least, most) = limits.into_inner();
    Err(ConfigError::Limits(name, least.to_string(), most.to_string()))
}

/// A duration of one millisecond to an hour.
pub(super) fn duration_ms(name: &'static str, ms: u64) -> Result<Duration, ConfigError> {
    within(name, ms, 1..=3_600_000).map(Duration::from_millis)
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

/// The database of a URL.
pub(crate) fn database(url: &str) -> Result<Database, ConfigError> {
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

/// A URL that need not be given, as [`web_url`] reads it.
pub(super) fn optional_url(name: &'static str, text: Option<&str>) -> Result<Option<Url>, ConfigError> {
    text.map(|text| web_url(name, text)).transpose()
}

/// An http(s) URL without a query, so that a path can be appended.
pub(super) fn web_url(name: &'static str, text: &str) -> Result<Url, ConfigError> {
    let url = web_address(text.trim_end_matches('/')).ok();
    url.filter(|url| url.query().is_none())
        .ok_or(ConfigError::Value(name, "must be an http(s) URL without a query"))
}

/// An http(s) URL. An error's text continues the name of the setting or argument.
pub fn web_address(text: &str) -> Result<Url, &'static str> {
    let url = Url::parse(text).ok();
    let url = url.filter(|url| matches!(url.scheme(), "http" | "https"));
    url.ok_or("must be an http(s) URL")
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
     100.64.0.0/10, fc00::/7, fe80::/10";

/// Reads whose header names the client's address.
pub(super) fn proxies(header: Option<String>, given: Option<&str>) -> Result<Proxies, ConfigError> {
    Ok(Proxies {
        header: header
            .map(|name| name.parse())
            .transpose()
            .map_err(|_| ConfigError::Value("client_ip_header", "must be the name of a header"))?,
        networks: given
            .unwrap_or(PRIVATE_NETWORKS)
            .split(',')
            .map(|network| network.trim().parse())
            .collect::<Result<_, _>>()
            .map_err(|_| {
                let how = "must be networks like 10.0.0.0/8, with commas between";
                ConfigError::Value("client_ip_proxies", how)
            })?,
    })
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

#[cfg(test)]
mod tests;
