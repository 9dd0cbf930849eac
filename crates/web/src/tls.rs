//! TLS of the service. The files of the certificate and its key are read again when they change.

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
use x509_cert::Certificate;
use x509_cert::der::Decode;

/// The longest time for a TLS handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// How often the certificate's file is checked for changes.
const CHECK_INTERVAL: Duration = Duration::from_secs(60);
/// The protocols of the service, preferred first.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// The files of the settings `tls_certificate` and `tls_key`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// PEM: the server's certificate first, then the certificates up to its root.
    pub certificate: PathBuf,
    /// PEM: the certificate's private key.
    pub key: PathBuf,
}

/// Why the certificate cannot be used. The text is one line for the operator and never contains the key.
#[derive(Debug, Error)]
pub enum TlsError {
    /// A file is missing, is not PEM, or does not contain the expected kind of entry.
    #[error("cannot read {what} from {file}: {cause}")]
    File {
        /// "a certificate" or "a private key".
        what: &'static str,
        /// The file.
        file: PathBuf,
        /// The error of the PEM reader.
        cause: rustls::pki_types::pem::Error,
    },
    /// Certificate and key do not match, or their kind is not supported.
    #[error("the certificate and the key cannot be used: {0}")]
    Unusable(#[from] rustls::Error),
}

/// TLS for a listener. Cheap to clone.
#[derive(Clone)]
pub struct Tls(TlsAcceptor, Arc<ReloadedCertificate>);

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").finish_non_exhaustive()
    }
}

impl Tls {
    /// Reads the certificate and its key.
    pub fn open(files: TlsFiles) -> Result<Self, TlsError> {
        let resolver = Arc::new(ReloadedCertificate::open(files)?);
        let mut config = ServerConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(Arc::clone(&resolver) as Arc<dyn ResolvesServerCert>);
        config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).into();
        // A returning client sends its session in a ticket, so it needs no full handshake. The library's own store would keep
        // only 256 sessions. The key of the tickets changes every few hours and is never stored.
        config.ticketer = aws_lc_rs::Ticketer::new()?;
        Ok(Self(TlsAcceptor::from(Arc::new(config)), resolver))
    }

    /// When the certificate in use ends, in seconds since 1970.
    pub fn certificate_end(&self) -> Option<i64> {
        certificate_end(self.1.current().end_entity_cert().ok()?)
    }

    /// Reads the files again now.
    pub fn reload(&self) {
        let mut state = self.1.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.1.read_again(&mut state);
    }

    /// Does the handshake. `None` if it fails: a scanner, a request without TLS, or a client that is gone.
    pub(crate) async fn handshake(&self, stream: TcpStream) -> Option<TlsStream<TcpStream>> {
        let done = tokio::time::timeout(HANDSHAKE_TIMEOUT, self.0.accept(stream)).await;
        done.ok()?.ok()
    }
}

/// When a certificate in DER ends, in seconds since 1970.
pub fn certificate_end(der: &[u8]) -> Option<i64> {
    let certificate = Certificate::from_der(der).ok()?;
    let end = certificate.tbs_certificate.validity.not_after;
    i64::try_from(end.to_unix_duration().as_secs()).ok()
}

/// The cryptography library for all TLS connections of the service.
pub fn provider() -> Arc<CryptoProvider> {
    Arc::new(aws_lc_rs::default_provider())
}

/// The certificate in use, and when its file was last checked.
struct ReloadedCertificate {
    files: TlsFiles,
    state: Mutex<CertificateState>,
}

struct CertificateState {
    key: Arc<CertifiedKey>,
    changed: Option<SystemTime>,
    checked_at: Instant,
}

impl fmt::Debug for ReloadedCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReloadedCertificate")
            .field("files", &self.files)
            .finish_non_exhaustive()
    }
}

impl ReloadedCertificate {
    fn open(files: TlsFiles) -> Result<Self, TlsError> {
        let state = CertificateState {
            changed: changed(&files.certificate),
            key: Arc::new(read(&files)?),
            checked_at: Instant::now(),
        };
        Ok(Self {
            files,
            state: Mutex::new(state),
        })
    }

    /// The certificate in use, after checking at most once a minute whether its file has changed. If the changed files
    /// cannot be used, that is logged and the certificate stays.
    fn current(&self) -> Arc<CertifiedKey> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.checked_at.elapsed() >= CHECK_INTERVAL {
            state.checked_at = Instant::now();
            let now = changed(&self.files.certificate);
            if now != state.changed {
                self.read_again(&mut state);
            }
        }
        Arc::clone(&state.key)
    }

    fn read_again(&self, state: &mut CertificateState) {
        let changed = changed(&self.files.certificate);
        match read(&self.files) {
            Ok(key) => {
                // Only now, so that a renewal that was read half-finished is read again.
                state.changed = changed;
                state.key = Arc::new(key);
                tracing::info!("the renewed certificate is in use");
            }
            Err(cause) => tracing::error!(%cause, "the changed certificate is not used"),
        }
    }
}

impl ResolvesServerCert for ReloadedCertificate {
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

#[cfg(test)]
mod tests;
