//! A certificate for `localhost`.

use std::path::Path;

use anyhow::Result;

use crate::companion::run;

/// Writes a certificate that is its own root, and its key.
pub fn certify(certificate: &Path, key: &Path) -> Result<()> {
    run(&format!(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
         -addext subjectAltName=DNS:localhost -addext basicConstraints=critical,CA:FALSE -keyout {} -out {}",
        key.display(),
        certificate.display()
    ))
}
