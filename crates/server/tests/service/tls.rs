//! The service's own https: HTTP/2 or 1.1, the client's address, and errors at the start.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use reqwest::{Certificate, Client, Version};
use server::config::Settings;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::aws_lc_rs::default_provider;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tokio_rustls::rustls::{ClientConfig, HandshakeKind, RootCertStore, SupportedProtocolVersion};

use crate::process::cardform;
use crate::waiting::found;
use crate::world::World;

/// A certificate for `localhost` in `dir`, and its PEM.
fn certificate(dir: &Path) -> (PathBuf, PathBuf, String) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
    let (certificate, key) = (dir.join("certificate.pem"), dir.join("key.pem"));
    std::fs::write(&certificate, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    // The service warns about files that others can read.
    for file in [&certificate, &key] {
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    (certificate, key, made.cert.pem())
}

/// A service with a certificate, and the certificate.
pub(crate) async fn world_with_tls() -> (World, String) {
    let dir = tempfile::tempdir().unwrap();
    let (certificate, key, pem) = certificate(dir.path());
    let world = World::with(|settings: &mut Settings| {
        settings.tls_certificate = Some(certificate);
        settings.tls_key = Some(key);
    });
    (world.await, pem)
}

/// A client that trusts this certificate alone.
pub(crate) fn client_that_trusts(pem: &str) -> Client {
    let root = Certificate::from_pem(pem.as_bytes()).unwrap();
    let client = Client::builder().no_proxy().tls_certs_only([root]);
    client.build().unwrap()
}

/// A service with a certificate for these names, which ends in five days or in 2000 years.
pub(crate) async fn world_with_certificate(names: &[&str], ends_soon: bool) -> (World, String) {
    let dir = tempfile::tempdir().unwrap();
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut params = rcgen::CertificateParams::new(names).unwrap();
    if ends_soon {
        let now = jiff::Timestamp::now().as_second().unsigned_abs();
        params.not_after = std::time::UNIX_EPOCH.into();
        params.not_after += Duration::from_secs(now + 5 * 86_400);
    }
    let key = rcgen::KeyPair::generate().unwrap();
    let made = params.self_signed(&key).unwrap();
    let files = (dir.path().join("certificate.pem"), dir.path().join("key.pem"));
    std::fs::write(&files.0, made.pem()).unwrap();
    std::fs::write(&files.1, key.serialize_pem()).unwrap();
    std::fs::set_permissions(&files.1, std::fs::Permissions::from_mode(0o600)).unwrap();
    let world = World::with(|settings: &mut Settings| {
        settings.tls_certificate = Some(files.0);
        settings.tls_key = Some(files.1);
    });
    (world.await, made.pem())
}

#[tokio::test]
async fn both_http_versions_work_beside_a_silent_client() {
    let (world, pem) = world_with_tls().await;
    let mut silent = TcpStream::connect(world.service.address).await.unwrap();
    let trusting = || {
        let root = Certificate::from_pem(pem.as_bytes()).unwrap();
        Client::builder().no_proxy().tls_certs_only([root])
    };
    let url = format!("{}/v1/pub/ip", world.service.url());
    assert!(url.starts_with("https://"));
    for (client, version) in [
        (trusting().build().unwrap(), Version::HTTP_2),
        (trusting().http1_only().build().unwrap(), Version::HTTP_11),
    ] {
        let answer = client.get(&url).send().await.unwrap();
        assert_eq!(answer.version(), version);
        assert_eq!(answer.headers()["strict-transport-security"], "max-age=63072000");
        assert_eq!(answer.text().await.unwrap(), "127.0.0.1");
    }
    // Plain http on this port is refused, and a silent client is closed when the service stops, at the latest.
    let plain = world
        .http
        .get(format!("http://{}/healthz", world.service.address))
        .send();
    assert!(plain.await.is_err());
    world.service.stop().await;
    let mut rest = Vec::new();
    let ended = tokio::time::timeout(Duration::from_secs(15), silent.read_to_end(&mut rest)).await;
    assert!(ended.is_ok());
}

#[tokio::test]
async fn the_certificates_end_is_a_metric() {
    let (world, pem) = world_with_tls().await;
    let client = client_that_trusts(&pem);
    let url = format!("{}/metrics", world.service.url());
    let ends = "cardform_certificate_end_timestamp_seconds{} ";
    let end = found(
        "the certificate's end, which the background check sets",
        async || {
            let text = client.get(&url).send().await.unwrap().text().await.unwrap();
            text.lines()
                .find_map(|line| line.strip_prefix(ends).map(str::to_owned))
        },
    )
    .await;
    assert_eq!(end, "67090118400", "rcgen's certificates end in the year 4096");
}

/// More than the 256 sessions that the TLS library's own store would keep.
#[tokio::test]
async fn a_returning_client_resumes_its_tls_session() {
    const OTHERS: usize = 300;
    let (world, pem) = world_with_tls().await;
    let mut roots = RootCertStore::empty();
    roots
        .add(CertificateDer::from_pem_slice(pem.as_bytes()).unwrap())
        .unwrap();
    let client = |versions: &[&'static SupportedProtocolVersion]| {
        let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_protocol_versions(versions)
            .unwrap()
            .with_root_certificates(roots.clone())
            .with_no_client_auth();
        TlsConnector::from(Arc::new(config))
    };
    let connect = async |connector: &TlsConnector| {
        let stream = TcpStream::connect(world.service.address).await.unwrap();
        let mut stream = connector
            .connect("localhost".try_into().unwrap(), stream)
            .await
            .unwrap();
        // TLS 1.3 sends its tickets with the first answer.
        let request = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
        stream.write_all(request).await.unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        assert!(answer.starts_with(b"HTTP/1.1 200"));
        stream.get_ref().1.handshake_kind()
    };
    let returning = [client(&[&TLS13]), client(&[&TLS12])];
    for connector in &returning {
        assert_eq!(connect(connector).await, Some(HandshakeKind::Full));
    }
    for _ in 0..OTHERS {
        connect(&client(&[&TLS13])).await;
    }
    for connector in &returning {
        assert_eq!(connect(connector).await, Some(HandshakeKind::Resumed));
        // Each connection of a client can be on another thread of the service.
        for kind in [connect(connector).await, connect(connector).await] {
            assert_eq!(kind, Some(HandshakeKind::Resumed));
        }
    }
    world.service.stop().await;
}

#[test]
fn a_wrong_certificate_is_explained_in_one_line() {
    let dir = tempfile::tempdir().unwrap();
    let (certificate, key, _) = certificate(dir.path());
    let other = tempfile::tempdir().unwrap();
    let (_, other_key, _) = self::certificate(other.path());
    let path = |path: &Path| path.to_str().unwrap().to_owned();
    let (certificate, key, other_key) = (path(&certificate), path(&key), path(&other_key));
    for (arguments, said) in [
        (vec!["--tls-certificate", &certificate], "tls_key is missing"),
        (vec!["--tls-key", &key], "tls_certificate is missing"),
        (
            vec!["--tls-certificate", "nowhere.pem", "--tls-key", &key],
            "cannot read a certificate from nowhere.pem",
        ),
        (
            vec!["--tls-certificate", &certificate, "--tls-key", &certificate],
            "cannot read a private key",
        ),
        (
            vec!["--tls-certificate", &certificate, "--tls-key", &other_key],
            "cannot be used",
        ),
    ] {
        let output = cardform(dir.path())
            .args([
                "serve",
                "--create",
                "--listen",
                "127.0.0.1:0",
                "--provider-url",
                "http://127.0.0.1:1",
            ])
            .args(&arguments)
            .output()
            .unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success());
        assert!(error.contains(said), "{arguments:?}: {error}");
        assert_eq!(error.trim().lines().count(), 1, "{error}");
    }
}
