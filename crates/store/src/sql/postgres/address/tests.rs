//! URLs of PostgreSQL servers.

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
        (
            "?sslmode=require&sslrootcert=ca.pem",
            SslMode::Require,
            CertificateCheck::Issuer,
        ),
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

#[test]
fn an_unknown_parameter_is_an_error() {
    let error = parse(&"postgres://u:secret@db.example/pay?sslrootcrt=a".parse().unwrap()).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("sslrootcrt") && !text.contains("secret"), "{text}");
}

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
        assert_eq!(super::transport(&url.parse().unwrap()), transport, "{url}");
    }
}
