//! Which certificates of a PostgreSQL server are accepted.

use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{WebPkiSupportedAlgorithms, aws_lc_rs, verify_tls13_signature_with_raw_key};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, SubjectPublicKeyInfoDer, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use tokio_postgres_rustls::MakeRustlsConnect;
use x509_cert::Certificate;
use x509_cert::der::{Decode, Encode};
use x509_cert::name::Name;

use super::SqlError;
use super::address::{CertificateCheck, Certificates};

/// The extension with alternative names of a certificate's subject.
const ALTERNATIVE_NAMES: &str = "2.5.29.17";
/// The attribute with the common name of a certificate's subject.
const COMMON_NAME: &str = "2.5.4.3";

/// Opens connections with TLS.
pub(super) fn connector(certificates: &Certificates) -> Result<MakeRustlsConnect, SqlError> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    // Without a check the file of roots is not even read.
    let needs_roots = certificates.check != CertificateCheck::None;
    let named = match certificates.roots.as_deref().filter(|_| needs_roots) {
        Some(file) => Some((file, pem(file)?)),
        None => None,
    };
    let roots = roots_of(named.as_ref())?;
    let host = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
    let verifier = Arc::new(Verifier {
        check: certificates.check,
        named: named.map(|(_, named)| named).unwrap_or_default(),
        algorithms: provider.signature_verification_algorithms,
        host: host.build().map_err(unusable)?,
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

fn roots_of(named: Option<&(&Path, Vec<CertificateDer<'static>>)>) -> Result<RootCertStore, SqlError> {
    let mut roots = RootCertStore::empty();
    match named {
        Some((file, certificates)) => {
            for certificate in certificates {
                let added = roots.add(certificate.clone());
                added.map_err(|cause| unreadable(file, &cause))?;
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

fn unusable(cause: impl Display) -> SqlError {
    SqlError::Settings(format!("the database's certificates: {cause}"))
}

fn unreadable(file: &Path, cause: &dyn std::error::Error) -> SqlError {
    SqlError::Settings(format!(
        "cannot read the database's certificate {}: {cause}",
        file.display()
    ))
}

/// Checks as much of a certificate as the URL asks for. With [`CertificateCheck::None`] this promises nothing about who
/// answers, only that the server has the key of the certificate that it sends. A password with channel binding relies on
/// that: an attacker in between cannot send the real server's certificate.
#[derive(Debug)]
struct Verifier {
    check: CertificateCheck,
    /// The certificates of `sslrootcert`. One of them may be the server's own, as in PostgreSQL's manual.
    named: Vec<CertificateDer<'static>>,
    algorithms: WebPkiSupportedAlgorithms,
    /// Checks that a root signed a certificate, and that it is the host's.
    host: Arc<WebPkiServerVerifier>,
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
        if self.check == CertificateCheck::None {
            return Ok(ServerCertVerified::assertion());
        }
        match self.host.verify_server_cert(certificate, chain, host, ocsp, now) {
            // The name is checked last, so the issuer is right.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if self.check == CertificateCheck::Issuer => Ok(ServerCertVerified::assertion()),
            Err(_)
                if self
                    .named
                    .iter()
                    .any(|named| named.as_ref() == certificate.as_ref()) =>
            {
                self.verify_named(certificate, host, now)
            }
            checked => checked,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.host.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        if self.check == CertificateCheck::None {
            // Only the key counts, so any version of X.509 is accepted. `host` reads no version but 3.
            let key = public_key(certificate).ok_or(CertificateError::BadEncoding)?;
            return verify_tls13_signature_with_raw_key(message, &key, signature, &self.algorithms);
        }
        self.host.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.host.supported_verify_schemes()
    }
}

impl Verifier {
    /// Checks dates and name of a server's own certificate that `sslrootcert` names. No issuer is needed for it, and it may
    /// be one that could issue others.
    fn verify_named(
        &self,
        certificate: &CertificateDer<'_>,
        host: &ServerName<'_>,
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let read = Certificate::from_der(certificate).map_err(|_| CertificateError::BadEncoding)?;
        let fields = &read.tbs_certificate;
        let (begin, end) = (fields.validity.not_before, fields.validity.not_after);
        if now.as_secs() < begin.to_unix_duration().as_secs() {
            return Err(CertificateError::NotValidYet.into());
        }
        if now.as_secs() > end.to_unix_duration().as_secs() {
            return Err(CertificateError::Expired.into());
        }
        if self.check == CertificateCheck::Host {
            let mut extensions = fields.extensions.iter().flatten();
            if extensions.any(|extension| extension.extn_id.to_string() == ALTERNATIVE_NAMES) {
                verify_server_name(&ParsedCertificate::try_from(certificate)?, host)?;
            } else if !has_common_name(&fields.subject, &host.to_str()) {
                return Err(CertificateError::NotValidForName.into());
            }
        }
        Ok(ServerCertVerified::assertion())
    }
}

fn public_key(certificate: &CertificateDer<'_>) -> Option<SubjectPublicKeyInfoDer<'static>> {
    let read = Certificate::from_der(certificate).ok()?;
    Some(read.tbs_certificate.subject_public_key_info.to_der().ok()?.into())
}

/// Whether a certificate without alternative names has this common name, which PostgreSQL's own clients accept, too.
fn has_common_name(subject: &Name, host: &str) -> bool {
    let mut attributes = subject.0.iter().flat_map(|part| part.0.iter());
    attributes.any(|attribute| {
        attribute.oid.to_string() == COMMON_NAME
            && attribute.value.value().eq_ignore_ascii_case(host.as_bytes())
    })
}
