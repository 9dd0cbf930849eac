//! The URL of a PostgreSQL server, with the parameters that PostgreSQL's own programs know.

use std::path::{Path, PathBuf};
use std::time::Duration;

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::{SslMode, TargetSessionAttrs};
use url::Url;

use super::SqlError;
use super::sessions::SessionSharing;

/// How long a server's machine may be silent before a connection to it is given up.
const SILENT_MAX: Duration = Duration::from_secs(10);
/// Where Debian's server has its socket.
const SOCKET_FOLDER: &str = "/var/run/postgresql";

/// A server, and how its certificate is checked.
#[derive(Debug)]
pub(super) struct Address {
    pub(super) config: Config,
    pub(super) certificates: Certificates,
    pub(super) sessions: SessionSharing,
}

/// The files of a connection with TLS.
#[derive(Debug, Default)]
pub(super) struct Certificates {
    pub(super) check: CertificateCheck,
    /// The root certificates, if they are not the usual ones.
    pub(super) roots: Option<PathBuf>,
    /// The client's own certificate.
    pub(super) certificate: Option<PathBuf>,
    /// Its key.
    pub(super) key: Option<PathBuf>,
}

/// What is checked of the server's certificate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum CertificateCheck {
    /// Nothing: `prefer` and `require`.
    #[default]
    None,
    /// That a root signed it: `verify-ca`.
    Issuer,
    /// That it is the host's, too: `verify-full`.
    Host,
}

/// Reads `postgres://user:password@host:port/name?parameter=value`.
pub(super) fn parse(url: &Url) -> Result<Address, SqlError> {
    let mut config = new_config();
    let mut certificates = Certificates::default();
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let mut host = url.host_str().map(decoded).filter(|host| !host.is_empty());
    let mut mode = SslMode::Prefer;
    let mut options: Vec<String> = Vec::new();
    let mut sessions = SessionSharing::Own;
    if !url.username().is_empty() {
        config.user(decoded(url.username()));
    }
    if let Some(password) = url.password() {
        config.password(decoded(password));
    }
    if let Some(port) = url.port() {
        config.port(port);
    }
    let name = decoded(url.path().trim_start_matches('/'));
    if !name.is_empty() {
        config.dbname(name);
    }
    let unusable = |name: &str| SqlError::Settings(format!("the database's URL has an unusable {name}"));
    for (name, value) in url.query_pairs() {
        match &*name {
            "host" | "hostaddr" => host = Some(value.into_owned()),
            "port" => {
                config.port(value.parse().map_err(|_| unusable("port"))?);
            }
            "dbname" => {
                config.dbname(&*value);
            }
            "user" => {
                config.user(&*value);
            }
            "password" => {
                config.password(&*value);
            }
            "application_name" => {
                config.application_name(&*value);
            }
            "sslmode" | "ssl-mode" => {
                (mode, certificates.check) = match &*value {
                    "disable" => (SslMode::Disable, CertificateCheck::None),
                    "allow" | "prefer" => (SslMode::Prefer, CertificateCheck::None),
                    "require" => (SslMode::Require, CertificateCheck::None),
                    "verify-ca" => (SslMode::Require, CertificateCheck::Issuer),
                    "verify-full" => (SslMode::Require, CertificateCheck::Host),
                    _ => return Err(unusable("sslmode")),
                };
            }
            "sslrootcert" | "ssl-root-cert" | "ssl-ca" => certificates.roots = Some(file(&value)),
            "sslcert" | "ssl-cert" => certificates.certificate = Some(file(&value)),
            "sslkey" | "ssl-key" => certificates.key = Some(file(&value)),
            "target_session_attrs" => {
                config.target_session_attrs(match &*value {
                    "any" => TargetSessionAttrs::Any,
                    "read-write" => TargetSessionAttrs::ReadWrite,
                    "read-only" => TargetSessionAttrs::ReadOnly,
                    _ => return Err(unusable("target_session_attrs")),
                });
            }
            "pgbouncer" => {
                sessions = match &*value {
                    "true" => SessionSharing::Shared,
                    "false" => SessionSharing::Own,
                    _ => return Err(unusable("pgbouncer: it is true or false")),
                };
            }
            "options" => options.push(value.into_owned()),
            other => {
                let setting = other
                    .strip_prefix("options[")
                    .and_then(|rest| rest.strip_suffix(']'));
                if let Some(setting) = setting {
                    options.push(format!("-c {setting}={value}"));
                } else {
                    tracing::warn!(parameter = other, "the database's URL has an unknown parameter");
                }
            }
        }
    }
    if !options.is_empty() {
        config.options(options.join(" "));
    }
    let host = host.unwrap_or_else(|| {
        let is_here = Path::new(SOCKET_FOLDER).is_dir();
        if is_here { SOCKET_FOLDER } else { "localhost" }.to_owned()
    });
    // A socket has no TLS.
    config.ssl_mode(if host.starts_with('/') {
        SslMode::Disable
    } else {
        mode
    });
    config.host(host.trim_start_matches('[').trim_end_matches(']'));
    Ok(Address {
        config,
        certificates,
        sessions,
    })
}

/// A server whose machine is gone says nothing, not even that the connection is closed.
fn new_config() -> Config {
    let mut config = Config::new();
    config
        .tcp_user_timeout(SILENT_MAX)
        .keepalives_idle(SILENT_MAX)
        .keepalives_interval(SILENT_MAX / 5)
        .keepalives_retries(5);
    config
}

fn file(name: &str) -> PathBuf {
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use tokio_postgres::config::Host;

    use super::*;

    fn parsed(url: &str) -> Address {
        parse(&url.parse().unwrap()).unwrap()
    }

    #[test]
    fn a_url_has_all_parts_of_an_address() {
        let Address { config, .. } = parsed(
            "postgres://ca%20rd:p%40ss@db.example:6432/pay?application_name=till&options[lock_timeout]=5s",
        );
        assert_eq!(config.get_user(), Some("ca rd"));
        assert_eq!(config.get_password(), Some(&b"p@ss"[..]));
        assert_eq!(config.get_hosts(), [Host::Tcp("db.example".to_owned())]);
        assert_eq!(config.get_ports(), [6432]);
        assert_eq!(config.get_dbname(), Some("pay"));
        assert_eq!(config.get_application_name(), Some("till"));
        assert_eq!(config.get_options(), Some("-c lock_timeout=5s"));
        assert_eq!(config.get_tcp_user_timeout(), Some(&SILENT_MAX));
    }

    #[test]
    fn each_sslmode_checks_what_postgresql_says_it_checks() {
        for (mode, tls, check) in [
            ("", SslMode::Prefer, CertificateCheck::None),
            ("?sslmode=disable", SslMode::Disable, CertificateCheck::None),
            ("?sslmode=prefer", SslMode::Prefer, CertificateCheck::None),
            ("?ssl-mode=require", SslMode::Require, CertificateCheck::None),
            ("?sslmode=verify-ca", SslMode::Require, CertificateCheck::Issuer),
            ("?sslmode=verify-full", SslMode::Require, CertificateCheck::Host),
        ] {
            let address = parsed(&format!("postgres://db.example/pay{mode}"));
            assert_eq!(
                (address.config.get_ssl_mode(), address.certificates.check),
                (tls, check),
                "{mode}"
            );
        }
        assert!(parse(&"postgres://db.example/pay?sslmode=some".parse().unwrap()).is_err());
    }

    #[test]
    fn the_sessions_behind_pgbouncer_are_shared() {
        let sessions = |url: &str| parsed(url).sessions;
        assert_eq!(sessions("postgres://db.example/pay"), SessionSharing::Own);
        assert_eq!(
            sessions("postgres://db.example/pay?pgbouncer=true"),
            SessionSharing::Shared
        );
        assert!(parse(&"postgres://db.example/pay?pgbouncer=1".parse().unwrap()).is_err());
    }

    #[test]
    fn a_socket_has_no_tls() {
        let address = parsed("postgres://postgres@localhost/pay?host=%2Frun%2Fpg&sslmode=require");
        assert_eq!(address.config.get_hosts(), [Host::Unix("/run/pg".into())]);
        assert_eq!(address.config.get_ssl_mode(), SslMode::Disable);
    }
}
