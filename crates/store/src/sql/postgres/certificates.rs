//! Which certificates of a PostgreSQL server are accepted.

use std::path::Path;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::SqlError;
use super::address::{CertificateCheck, Certificates};

/// What opens connections with TLS.
pub(super) fn connector(certificates: &Certificates) -> Result<MakeRustlsConnect, SqlError> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let unusable = |cause: Error| SqlError::Settings(format!("the database's certificates: {cause}"));
    let verifier = Arc::new(Verifier {
        check: certificates.check,
        roots: if certificates.check == CertificateCheck::None {
            None
        } else {
            Some(issuers(certificates.roots.as_deref(), Arc::clone(&provider))?)
        },
        provider: Arc::clone(&provider),
    });
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(unusable)?
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    let config = match (&certificates.certificate, &certificates.key) {
        (Some(certificate), Some(key)) => {
            let chain = pem(certificate)?;
            let key = PrivateKeyDer::from_pem_file(key).map_err(|cause| unreadable(key, &cause))?;
            builder.with_client_auth_cert(chain, key).map_err(unusable)?
        }
        _ => builder.with_no_client_auth(),
    };
    Ok(MakeRustlsConnect::new(config))
}

/// Checks that a root signed a certificate, and that it is the host's.
fn issuers(
    file: Option<&Path>,
    provider: Arc<CryptoProvider>,
) -> Result<Arc<WebPkiServerVerifier>, SqlError> {
    let roots = Arc::new(roots(file)?);
    WebPkiServerVerifier::builder_with_provider(roots, provider)
        .build()
        .map_err(|cause| SqlError::Settings(format!("the database's root certificates: {cause}")))
}

fn roots(file: Option<&Path>) -> Result<RootCertStore, SqlError> {
    let mut roots = RootCertStore::empty();
    match file {
        Some(file) => {
            for certificate in pem(file)? {
                roots.add(certificate).map_err(|cause| {
                    SqlError::Settings(format!("a certificate in {}: {cause}", file.display()))
                })?;
            }
        }
        None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
    }
    Ok(roots)
}

fn pem(file: &Path) -> Result<Vec<CertificateDer<'static>>, SqlError> {
    let read = CertificateDer::pem_file_iter(file).and_then(Iterator::collect);
    read.map_err(|cause| unreadable(file, &cause))
}

fn unreadable(file: &Path, cause: &dyn std::error::Error) -> SqlError {
    SqlError::Settings(format!(
        "cannot read the database's certificate {}: {cause}",
        file.display()
    ))
}

/// Checks as much of a certificate as the URL asks for.
#[derive(Debug)]
struct Verifier {
    check: CertificateCheck,
    /// Absent if nothing is checked.
    roots: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        chain: &[CertificateDer<'_>],
        host: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(roots) = &self.roots else {
            return Ok(ServerCertVerified::assertion());
        };
        match roots.verify_server_cert(certificate, chain, host, ocsp, now) {
            // The name is checked last, so the issuer is right.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if self.check == CertificateCheck::Issuer => Ok(ServerCertVerified::assertion()),
            checked => checked,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}
