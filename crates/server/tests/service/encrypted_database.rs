//! A PostgreSQL server with TLS, as a server on a network must have.

use std::os::unix::fs::PermissionsExt as _;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use trial::postgres::Postgres;

use crate::process::{complaint, run};

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
    let migrate = |root: &std::path::Path| {
        let url = format!("{database}?sslmode=verify-full&sslrootcert={}", root.display());
        run(dir.path(), &["migrate", "--database", &url])
    };

    assert!(complaint(&migrate(&another)).contains("certificate"));
    let migrated = migrate(&certificate);
    assert!(migrated.status.success(), "{migrated:?}");
}
