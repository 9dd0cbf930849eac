//! Stripe's secret key, from a file or a setting. It is never shown.

use std::path::PathBuf;

use http::header::HeaderValue;
use protocol::SecretSource;
use protocol::Sensitive;
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

    /// The `Authorization` header, which its own `Debug` does not show.
    pub(super) fn header(&self) -> Option<HeaderValue> {
        let text = Zeroizing::new(format!("Bearer {}", self.0.expose()));
        let mut header = HeaderValue::from_str(&text).ok()?;
        header.set_sensitive(true);
        Some(header)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(text: &str) -> Result<ApiKey, ApiKeyError> {
        ApiKey::read(&SecretSource::Setting(Sensitive::new(text.to_owned())))
    }

    #[test]
    fn a_secret_key_is_read_and_a_publishable_one_is_not() {
        assert!(setting("sk_test_51Abc").is_ok());
        assert!(setting("rk_live_51Abc\n").is_ok());
        for wrong in [
            "",
            "sk_",
            "pk_test_51Abc",
            "whsec_51Abc",
            "sk_test_5 1",
            "sk_test_\u{e9}",
        ] {
            let message = setting(wrong).unwrap_err().to_string();
            assert!(
                message.starts_with("the setting provider_key holds no secret key"),
                "{message}"
            );
            assert!(
                !message.contains("51Abc") && message.lines().count() == 1,
                "{message}"
            );
        }
    }

    #[test]
    fn a_key_file_has_only_the_key_and_nothing_shows_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key");
        std::fs::write(&path, "sk_test_51Abc\n").unwrap();
        let key = ApiKey::read(&SecretSource::File(path)).unwrap();
        let header = key.header().unwrap();
        assert_eq!(header, "Bearer sk_test_51Abc");
        assert!(!format!("{key:?} {header:?}").contains("51Abc"));
        let missing = ApiKey::read(&SecretSource::File(dir.path().join("none"))).unwrap_err();
        assert!(missing.to_string().contains("none"), "{missing}");
    }
}
