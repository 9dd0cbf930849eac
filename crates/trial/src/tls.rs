//! Pages over TLS, with HTTP/1.1 and HTTP/2, and handshakes, beside nginx with the same certificate and the same bytes
//! (docs/budgets.md#speed). What counts is the server's processor time, because a client takes more of it for TLS than
//! the server.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use serde_json::{Value, json};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::client::Resumption;
use tokio_rustls::rustls::crypto::aws_lc_rs::{self, kx_group};
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, ClientConnection, HandshakeKind, RootCertStore, Stream};

use crate::TrialError;
use crate::nginx::Nginx;
use crate::page_load::{Asked, HOST, LoadAnswers, Over, SERVING, add_both, microseconds, request};
use crate::pages::{DifferentPage, address_of, different_pages, fetch, page, serve, write};
use crate::process::Program;
use crate::processor::processor_seconds;

/// The least that we may reach of nginx (docs/budgets.md#speed).
const NGINX_RATIO_MIN: f64 = 0.7;
/// How many rounds there are, and how many connections are opened in each.
const ROUNDS: usize = 3;
const CONNECTIONS: u64 = 1_000;

/// A certificate for this machine, in files.
struct Certificate {
    chain: PathBuf,
    key: PathBuf,
    der: CertificateDer<'static>,
}

/// A server under measurement.
struct Measured<'a> {
    url: &'a str,
    /// Its process.
    id: u32,
    /// The pages to ask for.
    pages: Vec<Vec<u8>>,
    /// A path with a short answer.
    path: &'static str,
}

impl Measured<'_> {
    fn asked_over<'a>(&'a self, over: Over<'a>) -> Result<Asked<'a>, TrialError> {
        Ok(Asked {
            server: address_of(self.url)?,
            id: self.id,
            requests: &self.pages,
            over,
        })
    }
}

/// The rows of the bench's table: how much one core of the server would do in a second.
pub async fn rows(binary: &Path) -> Result<Vec<Value>, TrialError> {
    let dir = tempfile::tempdir().map_err(|cause| TrialError::Start("a folder".to_owned(), cause))?;
    let dir = dir.path();
    let certificate = certificate(dir)?;
    let program = Program::new(binary, dir).on_core(SERVING);
    let (pages, document) = pages_of(&program).await?;
    let files = [&certificate.chain, &certificate.key].map(|file| file.display().to_string());
    let tls = ["--tls-certificate", &files[0], "--tls-key", &files[1]];
    let service = serve(&program, &tls)?;
    let nginx = Nginx::start_with_tls(dir, &document, &certificate.chain, &certificate.key)?;
    let ours = Measured {
        url: &service.url,
        id: service.id(),
        pages,
        path: "/healthz",
    };
    let theirs = Measured {
        url: &nginx.url,
        id: nginx.worker()?,
        pages: vec![request("/page.html", None)],
        path: "/empty",
    };
    let mut rows = Vec::new();
    let connector = |protocol: &[u8]| -> Result<TlsConnector, TrialError> {
        let mut config = client_config(&certificate.der)?;
        config.alpn_protocols = vec![protocol.to_vec()];
        Ok(TlsConnector::from(Arc::new(config)))
    };
    let (http_1, http_2) = (connector(b"http/1.1")?, connector(b"h2")?);
    for (name, over) in [
        ("pages over TLS, HTTP/1.1", Over::Http1Tls(&http_1)),
        ("pages over TLS, HTTP/2", Over::Http2Tls(&http_2)),
    ] {
        let (ours, theirs) = (ours.asked_over(over)?, theirs.asked_over(over)?);
        // Every language is rendered before.
        LoadAnswers::default().add(&ours)?;
        let (mut our_pages, mut their_pages) = (LoadAnswers::default(), LoadAnswers::default());
        for _ in 0..ROUNDS {
            add_both((&ours, &mut our_pages), (&theirs, &mut their_pages))?;
        }
        rows.push(row(name, [our_pages.per_second(), their_pages.per_second()]));
    }
    for (name, kind) in [
        ("connections over TLS, full handshake", HandshakeKind::Full),
        ("connections over TLS, resumed handshake", HandshakeKind::Resumed),
    ] {
        let (mut seconds, mut done) = ([0.0, 0.0], [0, 0]);
        for _ in 0..ROUNDS {
            for (at, measured) in [&ours, &theirs].into_iter().enumerate() {
                let before = processor_seconds(measured.id)?;
                done[at] += connected(measured, &certificate.der, kind)?;
                seconds[at] += processor_seconds(measured.id)? - before;
            }
        }
        rows.push(row(
            name,
            [0, 1].map(|at| 1e6 / microseconds(seconds[at], done[at])),
        ));
    }
    Ok(rows)
}

/// What one core does in a second, ours and theirs.
fn row(name: &str, [ours, theirs]: [f64; 2]) -> Value {
    json!({
        "name": format!("{name}, one core"), "measured": ours, "unit": "/s", "ratio_min": NGINX_RATIO_MIN,
        "yardstick": {"name": "nginx, the same certificate", "measured": theirs},
    })
}

/// Requests for different pages, and the document of one, from a service without TLS on the same database.
async fn pages_of(program: &Program) -> Result<(Vec<Vec<u8>>, Vec<u8>), TrialError> {
    let service = serve(program, &[])?;
    let http = reqwest::Client::builder().no_proxy().build();
    let http = http.map_err(|cause| TrialError::Answer(cause.to_string()))?;
    let document = fetch(&http, &page(program, &service, &[])?).await?;
    let pages = different_pages(program, &service).await?;
    Ok((pages.iter().map(DifferentPage::request).collect(), document))
}

/// Makes a certificate. Its key is private, or the service would not take it.
fn certificate(dir: &Path) -> Result<Certificate, TrialError> {
    let made = generate_simple_self_signed([HOST.to_owned()]);
    let CertifiedKey { cert, signing_key } =
        made.map_err(|cause| TrialError::Answer(format!("no certificate: {cause}")))?;
    let certificate = Certificate {
        chain: dir.join("certificate.pem"),
        key: dir.join("key.pem"),
        der: cert.der().clone(),
    };
    write(&certificate.chain, &cert.pem())?;
    write(&certificate.key, &signing_key.serialize_pem())?;
    let private = fs::Permissions::from_mode(0o600);
    fs::set_permissions(&certificate.key, private)
        .map_err(|cause| TrialError::Start("the certificate's key".to_owned(), cause))?;
    Ok(certificate)
}

/// A client that trusts the certificate.
fn client_config(certificate: &CertificateDer<'static>) -> Result<ClientConfig, TrialError> {
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).map_err(|cause| failed(&cause))?;
    let mut provider = aws_lc_rs::default_provider();
    // Ours prefers a post-quantum exchange, which the OpenSSL of this nginx does not have: both do the same work.
    provider.kx_groups = vec![kx_group::X25519];
    let config = ClientConfig::builder_with_provider(Arc::new(provider))
        .with_safe_default_protocol_versions()
        .map_err(|cause| failed(&cause))?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

fn failed(cause: &dyn std::fmt::Display) -> TrialError {
    TrialError::Answer(format!("no connection: {cause}"))
}

/// Opens [`CONNECTIONS`] connections one after the other, each for one request, and returns how many.
fn connected(
    measured: &Measured<'_>,
    certificate: &CertificateDer<'static>,
    kind: HandshakeKind,
) -> Result<u64, TrialError> {
    let mut config = client_config(certificate)?;
    if kind == HandshakeKind::Full {
        config.resumption = Resumption::disabled();
    }
    let config = Arc::new(config);
    let address = measured.url.trim_start_matches("https://");
    let host = ServerName::try_from(HOST).map_err(|cause| failed(&cause))?;
    let connect = || -> Result<Option<HandshakeKind>, std::io::Error> {
        let mut tls =
            ClientConnection::new(Arc::clone(&config), host.clone()).map_err(std::io::Error::other)?;
        let mut tcp = TcpStream::connect(address)?;
        tcp.set_nodelay(true)?;
        let mut stream = Stream::new(&mut tls, &mut tcp);
        let path = measured.path;
        let request = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes())?;
        let mut answer = Vec::new();
        match stream.read_to_end(&mut answer) {
            Err(cause) if cause.kind() != ErrorKind::UnexpectedEof => Err(cause),
            _ if answer.starts_with(b"HTTP/1.1 200") => Ok(tls.handshake_kind()),
            _ => Err(std::io::Error::other(
                String::from_utf8_lossy(&answer).into_owned(),
            )),
        }
    };
    if kind == HandshakeKind::Resumed {
        // Brings the first ticket.
        connect().map_err(|cause| failed(&cause))?;
    }
    for _ in 0..CONNECTIONS {
        let shaken = connect().map_err(|cause| failed(&cause))?;
        if shaken != Some(kind) {
            return Err(TrialError::Answer(format!(
                "a handshake that was {shaken:?}, not {kind:?}"
            )));
        }
    }
    Ok(CONNECTIONS)
}
