//! Our own TLS: the certificate and its key from files, read again when they change.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use thiserror::Error;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::{CryptoProvider, aws_lc_rs};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;
use tokio_rustls::rustls::{self, ServerConfig};
use tokio_rustls::server::TlsStream;

/// How long a client may take to agree on a connection.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// How often the files are looked at for a renewed certificate.
const LOOK_PAUSE: Duration = Duration::from_secs(60);
/// The protocols we speak, the preferred first.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// The files of the settings `tls_certificate` and `tls_key`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// PEM: the server's certificate first, then those that lead to its root.
    pub certificate: PathBuf,
    /// PEM: the certificate's private key.
    pub key: PathBuf,
}

/// Why the certificate cannot be used. Each is one line for the operator; the key's contents are never in it.
#[derive(Debug, Error)]
pub enum TlsError {
    /// A file is missing, is no PEM, or holds nothing of its kind.
    #[error("cannot read {what} from {file}: {cause}")]
    File {
        /// "a certificate" or "a private key".
        what: &'static str,
        /// The file.
        file: PathBuf,
        /// The reader's words.
        cause: rustls::pki_types::pem::Error,
    },
    /// Key and certificate do not belong together, or are of a kind that is not spoken.
    #[error("the certificate and the key cannot be used: {0}")]
    Unusable(#[from] rustls::Error),
}

/// What a listener that speaks TLS needs. Cheap to clone.
#[derive(Clone)]
pub struct Tls(TlsAcceptor, Arc<Renewed>);

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").finish_non_exhaustive()
    }
}

impl Tls {
    /// Reads the certificate and its key.
    pub fn open(files: TlsFiles) -> Result<Self, TlsError> {
        let resolver = Arc::new(Renewed::open(files)?);
        let mut config = ServerConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(Arc::clone(&resolver) as Arc<dyn ResolvesServerCert>);
        config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).into();
        Ok(Self(TlsAcceptor::from(Arc::new(config)), resolver))
    }

    /// Reads the files again, now.
    pub(crate) fn reload(&self) {
        let mut state = self.1.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.1.read_again(&mut state);
    }

    /// Agrees on a connection. What fails here is a scanner, a plain request or a client that went away.
    pub(crate) async fn agree(&self, stream: TcpStream) -> Option<TlsStream<TcpStream>> {
        let agreed = tokio::time::timeout(HANDSHAKE_TIMEOUT, self.0.accept(stream)).await;
        agreed.ok()?.ok()
    }
}

/// The cryptography of all our TLS.
pub(crate) fn provider() -> Arc<CryptoProvider> {
    Arc::new(aws_lc_rs::default_provider())
}

/// The certificate in use, and when its files were last looked at.
struct Renewed {
    files: TlsFiles,
    state: Mutex<State>,
}

struct State {
    key: Arc<CertifiedKey>,
    changed: Option<SystemTime>,
    looked: Instant,
}

impl fmt::Debug for Renewed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Renewed")
            .field("files", &self.files)
            .finish_non_exhaustive()
    }
}

impl Renewed {
    fn open(files: TlsFiles) -> Result<Self, TlsError> {
        let state = State {
            changed: changed(&files.certificate),
            key: Arc::new(read(&files)?),
            looked: Instant::now(),
        };
        Ok(Self {
            files,
            state: Mutex::new(state),
        })
    }

    /// The certificate; read again when its file has changed. One that has become unusable is an error in the log, and
    /// the one in use stays.
    fn current(&self) -> Arc<CertifiedKey> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.looked.elapsed() >= LOOK_PAUSE {
            state.looked = Instant::now();
            let now = changed(&self.files.certificate);
            if now != state.changed {
                self.read_again(&mut state);
            }
        }
        Arc::clone(&state.key)
    }

    fn read_again(&self, state: &mut State) {
        state.changed = changed(&self.files.certificate);
        match read(&self.files) {
            Ok(key) => {
                state.key = Arc::new(key);
                tracing::info!("the renewed certificate is in use");
            }
            Err(cause) => tracing::error!(%cause, "the changed certificate is not used"),
        }
    }
}

impl ResolvesServerCert for Renewed {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.current())
    }
}

fn changed(file: &Path) -> Option<SystemTime> {
    std::fs::metadata(file).and_then(|data| data.modified()).ok()
}

fn read(files: &TlsFiles) -> Result<CertifiedKey, TlsError> {
    let failed = |what, file: &Path| {
        let file = file.to_owned();
        move |cause| TlsError::File { what, file, cause }
    };
    let chain = CertificateDer::pem_file_iter(&files.certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .and_then(|chain| {
            if chain.is_empty() {
                Err(rustls::pki_types::pem::Error::NoItemsFound)
            } else {
                Ok(chain)
            }
        })
        .map_err(failed("a certificate", &files.certificate))?;
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(failed("a private key", &files.key))?;
    Ok(CertifiedKey::from_der(
        chain,
        key,
        &aws_lc_rs::default_provider(),
    )?)
}
