//! Stripe's secret key, from a file or a setting. It is never shown.

use std::path::PathBuf;

use http::header::HeaderValue;
use protocol::{SecretSource, Sensitive};
use thiserror::Error;
use zeroize::Zeroizing;

/// A secret or restricted key.
#[derive(Debug)]
pub struct ApiKey(Sensitive);

/// Why the key cannot be used. Each message is one line for the operator and does not show the key.
#[derive(Debug, Error)]
pub enum ApiKeyError {
    /// The file cannot be read.
    #[error("cannot read Stripe's key in {0}: {1}")]
    File(PathBuf, std::io::Error),
    /// The text is not a secret key.
    #[error(
        "{0} holds no secret key of Stripe: one begins with sk_ or rk_ and is of letters, digits and underscores"
    )]
    NotAKey(String),
}

impl ApiKey {
    /// Reads the key. Spaces around it are removed.
    pub fn read(source: &SecretSource) -> Result<Self, ApiKeyError> {
        match source {
            SecretSource::Setting(text) => Self::parse(text.expose(), || "the setting provider_key".into()),
            SecretSource::File(path) => {
                let text = std::fs::read_to_string(path)
                    .map(Zeroizing::new)
                    .map_err(|error| ApiKeyError::File(path.clone(), error))?;
                Self::parse(&text, || path.display().to_string())
            }
        }
    }

    fn parse(text: &str, place: impl Fn() -> String) -> Result<Self, ApiKeyError> {
        let key = text.trim();
        let is_secret = key.starts_with("sk_") || key.starts_with("rk_");
        let is_key = key
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if is_secret && is_key && key.len() > "sk_".len() {
            Ok(Self(Sensitive::new(key.to_owned())))
        } else {
            Err(ApiKeyError::NotAKey(place()))
        }
    }

    /// Whether payments with the key take real money.
    pub fn is_live(&self) -> bool {
        ["sk_live_", "rk_live_"]
            .iter()
            .any(|prefix| self.0.expose().starts_with(prefix))
    }

    /// The `Authorization` header, which its own `Debug` does not show.
    pub(super) fn header(&self) -> Option<HeaderValue> {
        let text = Zeroizing::new(format!("Bearer {}", self.0.expose()));
        let mut header = HeaderValue::from_str(&text).ok()?;
        header.set_sensitive(true);
        Some(header)
    }
}

#[cfg(test)]
mod tests;
