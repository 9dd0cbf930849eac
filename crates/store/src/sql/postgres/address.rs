//! The URL of a PostgreSQL server. `tokio_postgres::Config` reads it; parameters of certificates and of PgBouncer are ours.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};
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

/// How the server's certificate is checked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum CertificateCheck {
    /// Not at all: `prefer` and `require`.
    #[default]
    None,
    /// A root must have signed it: `verify-ca`.
    Issuer,
    /// It must also name the host: `verify-full`.
    Host,
}

/// How safe the connection to the database is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// A file, this machine, or TLS with a server whose certificate is checked.
    Private,
    /// To another machine over TLS without checking its certificate, so that an attacker in between can pretend to be
    /// the server.
    Unverified,
    /// To another machine, in plain TCP if the server chooses so.
    MaybePlain,
}

/// Reads `postgres://user:password@host:port/name?parameter=value`.
pub(super) fn parse(url: &Url) -> Result<Address, SqlError> {
    let unusable = |name: &str| SqlError::Settings(format!("the database's URL has an unusable {name}"));
    let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let mut certificates = Certificates::default();
    let mut sessions = SessionSharing::Own;
    let (mut others, mut options) = (Vec::new(), Vec::new());
    let mut server = url.clone();
    for (name, value) in url.query_pairs() {
        match &*name {
            // Host and port of the parameters replace those before the path.
            "host" | "hostaddr" => server
                .set_host(Some(&encoded(&value)))
                .map_err(|_| unusable("host"))?,
            "port" => {
                let port = value.parse().map_err(|_| unusable("port"))?;
                server.set_port(Some(port)).map_err(|()| unusable("port"))?;
            }
            "sslmode" | "ssl-mode" => {
                let (mode, check) = match &*value {
                    "allow" => ("prefer", CertificateCheck::None),
                    "verify-ca" => ("require", CertificateCheck::Issuer),
                    "verify-full" => ("require", CertificateCheck::Host),
                    other => (other, CertificateCheck::None),
                };
                certificates.check = check;
                others.push(format!("sslmode={}", encoded(mode)));
            }
            "sslrootcert" | "ssl-root-cert" | "ssl-ca" => certificates.roots = Some((&*value).into()),
            "sslcert" | "ssl-cert" => certificates.certificate = Some((&*value).into()),
            "sslkey" | "ssl-key" => certificates.key = Some((&*value).into()),
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
                match setting {
                    Some(setting) => options.push(format!("-c {setting}={value}")),
                    None => others.push(format!("{}={}", encoded(other), encoded(&value))),
                }
            }
        }
    }
    // As libpq does: with a root, an encrypted connection is checked.
    let is_required = others.iter().any(|other| other == "sslmode=require");
    if is_required && certificates.roots.is_some() && certificates.check == CertificateCheck::None {
        certificates.check = CertificateCheck::Issuer;
    }
    server.set_query(Some(&others.join("&")));
    let mut config: Config = server
        .as_str()
        .parse()
        .map_err(|cause| SqlError::Settings(format!("the database's URL: {}", SqlError::Postgres(cause))))?;
    if !options.is_empty() {
        config.options(options.join(" "));
    }
    if config.get_hosts().is_empty() {
        let is_here = Path::new(SOCKET_FOLDER).is_dir();
        config.host(if is_here { SOCKET_FOLDER } else { "localhost" });
    }
    // A socket has no TLS.
    if config
        .get_hosts()
        .iter()
        .all(|host| matches!(host, Host::Unix(_)))
    {
        config.ssl_mode(SslMode::Disable);
    }
    // A server whose machine is gone does not even close the connection.
    config
        .tcp_user_timeout(SILENT_MAX)
        .keepalives_idle(SILENT_MAX)
        .keepalives_interval(SILENT_MAX / 5)
        .keepalives_retries(5);
    Ok(Address {
        config,
        certificates,
        sessions,
    })
}

/// The safety of the connection that the URL asks for.
pub(crate) fn transport(url: &Url) -> Transport {
    let Ok(Address {
        config, certificates, ..
    }) = parse(url)
    else {
        return Transport::MaybePlain;
    };
    if config.get_hosts().iter().all(is_here) {
        return Transport::Private;
    }
    match (config.get_ssl_mode(), certificates.check) {
        (SslMode::Require, CertificateCheck::Host) => Transport::Private,
        (SslMode::Require, _) => Transport::Unverified,
        // With the driver's default, `prefer`, an attacker in between can choose plain TCP.
        _ => Transport::MaybePlain,
    }
}

/// A socket, or this machine's own name or address.
fn is_here(host: &Host) -> bool {
    match host {
        Host::Unix(_) => true,
        Host::Tcp(name) => name == "localhost" || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback()),
    }
}

#[cfg(test)]
mod tests;
