//! A PostgreSQL server with TLS, as a server on a network must have.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use harness::postgres::{Durability, Postgres};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedKey, DistinguishedName, DnType, IsCa, KeyPair,
    date_time_ymd, generate_simple_self_signed,
};

use crate::process::{cardform, complaint, run};

#[test]
fn a_database_is_reached_by_tls_with_the_named_certificate_only() {
    let dir = tempfile::tempdir().unwrap();
    let [certificate, key, another] =
        ["server.pem", "key.pem", "another.pem"].map(|name| dir.path().join(name));
    let own = || -> CertifiedKey<_> { generate_simple_self_signed(["localhost".to_owned()]).unwrap() };
    let servers = own();
    std::fs::write(&certificate, servers.cert.pem()).unwrap();
    std::fs::write(&another, own().cert.pem()).unwrap();
    std::fs::write(&key, servers.signing_key.serialize_pem()).unwrap();
    // The server may run as another user.
    for (path, mode) in [(dir.path(), 0o755), (&certificate, 0o644), (&key, 0o600)] {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    let postgres = Postgres::start_encrypted(&certificate, &key).unwrap();
    let database = postgres.new_database_at_port().unwrap();
    let migrate = |database: &str, mode: &str, root: &std::path::Path| {
        let url = format!("{database}?sslmode={mode}&sslrootcert={}", root.display());
        run(dir.path(), &["migrate", "--database", &url])
    };
    // The certificate does not name this address.
    let by_address = database.replacen("localhost", "127.0.0.1", 1);

    for (database, mode, root, is_reached) in [
        (&database, "verify-full", &another, false),
        (&database, "verify-ca", &another, false),
        (&by_address, "verify-full", &certificate, false),
        (&by_address, "verify-ca", &certificate, true),
        (&database, "verify-full", &certificate, true),
        // A root is checked, as libpq does.
        (&database, "require", &another, false),
        (&database, "require", &certificate, true),
        (&database, "prefer", &another, true),
    ] {
        let migrated = migrate(database, mode, root);
        assert_eq!(
            migrated.status.success(),
            is_reached,
            "{database} {mode}: {migrated:?}"
        );
        if !is_reached {
            assert!(complaint(&migrated).contains("certificate"), "{mode}");
        }
    }
}

/// `openssl x509 -req` without extensions makes a certificate of version 1.
#[test]
fn a_certificate_of_version_1_is_accepted_if_none_is_checked() {
    let dir = tempfile::tempdir().unwrap();
    let [request, certificate, key] =
        ["request.pem", "server.pem", "key.pem"].map(|name| dir.path().join(name));
    let (request, pem, secret) = (request.display(), certificate.display(), key.display());
    for arguments in [
        format!(
            "req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -keyout {secret} -out {request}"
        ),
        format!("x509 -req -days 2 -in {request} -signkey {secret} -out {pem}"),
    ] {
        let made = Command::new("openssl")
            .args(arguments.split(' '))
            .output()
            .unwrap();
        assert!(made.status.success(), "{made:?}");
    }
    for (path, mode) in [(dir.path(), 0o755), (&*certificate, 0o644), (&*key, 0o600)] {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    let postgres = Postgres::start_encrypted(&certificate, &key).unwrap();
    let database = postgres.new_database_at_port().unwrap();
    for (checked, is_reached) in [
        ("require".to_owned(), true),
        (format!("verify-ca&sslrootcert={pem}"), false),
    ] {
        let url = format!("{database}?sslmode={checked}");
        let migrated = run(dir.path(), &["migrate", "--database", &url]);
        assert_eq!(migrated.status.success(), is_reached, "{checked}: {migrated:?}");
    }
}

#[test]
fn a_server_without_tls_is_refused_if_tls_is_required() {
    let dir = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!(
        "postgres://card@{}/pay?sslmode=require",
        listener.local_addr().unwrap()
    );
    let server = std::thread::spawn(move || {
        let mut connection = listener.accept().unwrap().0;
        // PostgreSQL's question whether the server speaks TLS has eight bytes; `N` is no.
        connection.read_exact(&mut [0; 8]).unwrap();
        connection.write_all(b"N").unwrap();
        let mut rest = Vec::new();
        connection.read_to_end(&mut rest).unwrap();
        rest
    });
    complaint(&run(dir.path(), &["migrate", "--database", &url]));
    assert!(server.join().unwrap().is_empty(), "nothing is said in plain");
}

/// `PGHOST` and other variables that PostgreSQL's own programs read.
#[test]
fn the_environments_variables_for_postgresql_are_not_read() {
    let dir = tempfile::tempdir().unwrap();
    let postgres = Postgres::start(Durability::None).unwrap();
    let name = postgres.new_database_name().unwrap();
    let url = postgres.url(&name);
    let (_, socket) = url.split_once("host=").unwrap();
    let mut migrate = cardform(dir.path());
    migrate.args(["migrate", "--database", &format!("postgres:///{name}")]);
    migrate
        .env("PGHOST", socket.replace("%2F", "/"))
        .env("PGUSER", "postgres");
    assert!(
        !migrate.output().unwrap().status.success(),
        "the socket is named by the variable alone"
    );
}

/// As `openssl req -x509` in PostgreSQL's manual makes it: its own issuer, with a common name and no alternative name.
fn certificate_of_the_manual(common_name: &str, years: std::ops::RangeInclusive<i32>) -> (String, String) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, common_name);
    params.not_before = date_time_ymd(*years.start(), 1, 1);
    params.not_after = date_time_ymd(*years.end(), 1, 1);
    let key = KeyPair::generate().unwrap();
    (params.self_signed(&key).unwrap().pem(), key.serialize_pem())
}

#[test]
fn a_servers_own_certificate_that_is_named_as_root_is_accepted() {
    for (common_name, years, modes) in [
        (
            "localhost",
            2000..=2900,
            [("verify-full", true), ("verify-ca", true)],
        ),
        (
            "other.example",
            2000..=2900,
            [("verify-full", false), ("verify-ca", true)],
        ),
        (
            "localhost",
            2000..=2001,
            [("verify-full", false), ("verify-ca", false)],
        ),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let [certificate, key, another] =
            ["server.pem", "key.pem", "another.pem"].map(|name| dir.path().join(name));
        let (pem, secret) = certificate_of_the_manual(common_name, years.clone());
        std::fs::write(&certificate, pem).unwrap();
        std::fs::write(&key, secret).unwrap();
        std::fs::write(&another, certificate_of_the_manual(common_name, years).0).unwrap();
        for (path, mode) in [(dir.path(), 0o755), (&certificate, 0o644), (&key, 0o600)] {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        let postgres = Postgres::start_encrypted(&certificate, &key).unwrap();
        let database = postgres.new_database_at_port().unwrap();
        let migrate = |mode: &str, root: &std::path::Path| {
            let url = format!("{database}?sslmode={mode}&sslrootcert={}", root.display());
            run(dir.path(), &["migrate", "--database", &url]).status.success()
        };
        for (mode, is_reached) in modes {
            assert_eq!(migrate(mode, &certificate), is_reached, "{common_name} {mode}");
            assert!(!migrate(mode, &another), "{common_name} {mode}");
        }
    }
}
