//! Checks the brokers' certificates, and logs in to them with a user's password.

use std::path::PathBuf;
use std::sync::Arc;

use protocol::SecretSource;
use rskafka::client::{Credentials, SaslConfig};
use thiserror::Error;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::{Error as PemError, PemObject};
use tokio_rustls::rustls::{ClientConfig, Error as TlsError, RootCertStore};

use super::settings::{KafkaLogin, KafkaSettings, KafkaTls, SaslMechanism};
use web::tls::provider;

/// Why the settings of Kafka cannot be used. Each message is one line for the operator, without the password.
#[derive(Debug, Error)]
pub enum KafkaLoginError {
    /// The file with root certificates is missing, is not PEM, or has no certificates.
    #[error("cannot read Kafka's root certificates from {0}: {1}")]
    Roots(PathBuf, PemError),
    /// This machine has no root certificates.
    #[error("this machine has no root certificates: set kafka_root_certificates")]
    NoRoots,
    /// A root certificate has an unknown format.
    #[error("Kafka's root certificates cannot be used: {0}")]
    Unusable(#[from] TlsError),
    /// The password's file cannot be read.
    #[error("cannot read Kafka's password from {0}: {1}")]
    Password(PathBuf, std::io::Error),
}

/// The TLS settings and the login of a connection to the brokers.
#[derive(Clone)]
pub struct KafkaAccess {
    pub(super) tls: Option<Arc<ClientConfig>>,
    pub(super) sasl: Option<SaslConfig>,
}

/// Leaves the password out.
impl std::fmt::Debug for KafkaAccess {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KafkaAccess").finish_non_exhaustive()
    }
}

impl KafkaAccess {
    /// Reads the certificates and the password.
    pub fn open(settings: &KafkaSettings) -> Result<Self, KafkaLoginError> {
        Ok(Self {
            tls: settings.tls.as_ref().map(client_config).transpose()?,
            sasl: settings.login.as_ref().map(sasl).transpose()?,
        })
    }
}

fn client_config(tls: &KafkaTls) -> Result<Arc<ClientConfig>, KafkaLoginError> {
    let mut roots = RootCertStore::empty();
    if let Some(file) = &tls.roots {
        let failed = |cause| KafkaLoginError::Roots(file.clone(), cause);
        for certificate in CertificateDer::pem_file_iter(file).map_err(failed)? {
            roots.add(certificate.map_err(failed)?)?;
        }
        if roots.is_empty() {
            return Err(failed(PemError::NoItemsFound));
        }
    } else {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if roots.is_empty() {
            return Err(KafkaLoginError::NoRoots);
        }
    }
    let config = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

fn sasl(login: &KafkaLogin) -> Result<SaslConfig, KafkaLoginError> {
    let password = match &login.password {
        SecretSource::Setting(password) => password.expose().to_owned(),
        SecretSource::File(file) => std::fs::read_to_string(file)
            .map_err(|cause| KafkaLoginError::Password(file.clone(), cause))?
            .trim_end_matches(['\r', '\n'])
            .to_owned(),
    };
    let credentials = Credentials::new(login.user.clone(), password);
    Ok(match login.mechanism {
        SaslMechanism::Plain => SaslConfig::Plain(credentials),
        SaslMechanism::ScramSha256 => SaslConfig::ScramSha256(credentials),
        SaslMechanism::ScramSha512 => SaslConfig::ScramSha512(credentials),
    })
}
