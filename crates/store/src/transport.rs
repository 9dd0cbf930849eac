//! How safe the connection between this service and its database is.

use url::Url;

use super::Database;

/// The connection to the database.
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

impl Database {
    /// The connection that the URL asks for.
    pub fn transport(&self) -> Transport {
        match self {
            Self::Sqlite(_) => Transport::Private,
            Self::Postgres(url) => postgres(url),
        }
    }
}

fn postgres(url: &Url) -> Transport {
    let parameter = |names: [&str; 2]| {
        let mut pairs = url.query_pairs();
        let found = pairs.find(|(name, _)| names.contains(&name.as_ref()));
        found.map(|(_, value)| value.into_owned())
    };
    let host = parameter(["host", "hostaddr"]).or_else(|| url.host_str().map(str::to_owned));
    if host.is_none_or(|host| is_here(&host)) {
        return Transport::Private;
    }
    match parameter(["sslmode", "ssl-mode"]).as_deref() {
        Some("verify-full") => Transport::Private,
        Some("require" | "verify-ca") => Transport::Unverified,
        // The driver's default is `prefer`, with which an attacker in between can choose plain TCP.
        _ => Transport::MaybePlain,
    }
}

/// A socket's folder, or this machine's own name or address.
fn is_here(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host.is_empty()
        || host.starts_with('/')
        || host == "localhost"
        || address
            .parse::<std::net::IpAddr>()
            .is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remote_database_is_private_only_with_a_checked_certificate() {
        for (url, transport) in [
            ("postgres://localhost/pay", Transport::Private),
            ("postgres:///pay", Transport::Private),
            (
                "postgres://u@localhost/pay?host=/run/postgresql",
                Transport::Private,
            ),
            ("postgres://[::1]:5433/pay", Transport::Private),
            ("postgres://db.example/pay", Transport::MaybePlain),
            ("postgres://10.0.0.7/pay?sslmode=prefer", Transport::MaybePlain),
            ("postgres://localhost/pay?host=db.example", Transport::MaybePlain),
            ("postgres://db.example/pay?sslmode=require", Transport::Unverified),
            (
                "postgres://db.example/pay?sslmode=verify-full",
                Transport::Private,
            ),
        ] {
            assert_eq!(
                Database::Postgres(url.parse().unwrap()).transport(),
                transport,
                "{url}"
            );
        }
    }
}
