//! The settings of the provider, and its connector. Another connector is added here.

use std::path::PathBuf;

use protocol::SecretSource;
use providers::simulator::SimulatorConnector;
use providers::stripe::StripeConnector;
use providers::stripe::api_key::{ApiKey, ApiKeyError};
use providers::stripe::events::EventSecret;
use providers::{Connector, ProviderError};
use thiserror::Error;
use url::Url;

use super::values::{is_unencrypted, optional_url, web_url};
use super::{ConfigError, Settings};

const STRIPE_URL: &str = "https://api.stripe.com";

/// The provider that charges the cards.
#[derive(Debug, Clone)]
pub struct ProviderChoice {
    kind: ConnectorKind,
    /// Its API. A simulator in the service's own process has no URL before it listens.
    pub url: Option<Url>,
    /// Its key, if it needs one.
    pub key: Option<SecretSource>,
    /// The secret that signs its events, if the service takes them.
    pub event_secret: Option<SecretSource>,
    /// Where a simulator in the service's own process keeps its ledger; `None` for in memory.
    pub ledger: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConnectorKind {
    Simulator,
    /// The simulator in the service's own process.
    Test,
    Stripe,
}

/// Why there is no connector.
#[derive(Debug, Error)]
pub enum ConnectorError {
    /// The client could not be made.
    #[error(transparent)]
    Client(#[from] ProviderError),
    /// There is none of the provider's keys. The configuration is refused before.
    #[error("the provider's key is missing")]
    NoKey,
    /// The secret of the provider's events cannot be read.
    #[error("cannot read provider_event_secret_file: {0}")]
    EventSecret(#[from] std::io::Error),
    /// The provider's key cannot be used.
    #[error(transparent)]
    Key(#[from] ApiKeyError),
}

impl ProviderChoice {
    /// Whether it is a simulator. Demo mode has its own at the service's address.
    pub fn is_simulator(&self) -> bool {
        self.kind != ConnectorKind::Stripe
    }

    /// Whether no real money moves, because the simulator is in the service's own process.
    pub fn is_test(&self) -> bool {
        self.kind == ConnectorKind::Test
    }

    /// The sources of its pages for shoppers, besides the provider's own address.
    pub fn page_sources(&self) -> &'static [&'static str] {
        match self.kind {
            ConnectorKind::Simulator | ConnectorKind::Test => &[],
            // A bank's challenge may be at any address.
            ConnectorKind::Stripe => &["https:"],
        }
    }

    /// The connector to the provider at `url`, whose pages shoppers' browsers reach at `page_url`.
    pub(crate) fn connector(
        &self,
        url: &Url,
        page_url: Option<&Url>,
    ) -> Result<Box<dyn Connector>, ConnectorError> {
        Ok(match self.kind {
            ConnectorKind::Simulator | ConnectorKind::Test => {
                Box::new(SimulatorConnector::new(url, page_url.unwrap_or(url))?)
            }
            ConnectorKind::Stripe => {
                let key = self.key.as_ref().ok_or(ConnectorError::NoKey)?;
                let event_secret = self.event_secret.as_ref().map(EventSecret::read).transpose()?;
                let connector = StripeConnector::new(url, &ApiKey::read(key)?, page_url)?;
                Box::new(connector.with_event_secret(event_secret))
            }
        })
    }
}

impl Settings {
    pub(super) fn provider_choice(&self) -> Result<ProviderChoice, ConfigError> {
        match self.provider.as_deref() {
            None | Some("simulator") => Ok(ProviderChoice {
                kind: ConnectorKind::Simulator,
                url: optional_url("provider_url", self.provider_url.as_deref())?,
                key: None,
                event_secret: None,
                ledger: None,
            }),
            Some("test") if self.tls_certificate.is_some() => Err(ConfigError::Value(
                "tls_certificate",
                "is not for the provider test: put a proxy with https in front",
            )),
            Some("test") => Ok(ProviderChoice {
                kind: ConnectorKind::Test,
                url: None,
                key: None,
                event_secret: None,
                ledger: self.provider_test_folder.clone(),
            }),
            Some("stripe") => {
                let url = web_url("provider_url", self.provider_url.as_deref().unwrap_or(STRIPE_URL))?;
                if is_unencrypted(&url) {
                    return Err(ConfigError::Value(
                        "provider_url",
                        "must be https for stripe, except on this machine",
                    ));
                }
                Ok(ProviderChoice {
                    kind: ConnectorKind::Stripe,
                    url: Some(url),
                    key: Some(self.api_key()?),
                    event_secret: SecretSource::of_settings(
                        self.provider_event_secret.clone(),
                        self.provider_event_secret_file.clone(),
                    ),
                    ledger: None,
                })
            }
            Some(_) => Err(ConfigError::Value(
                "provider",
                "must be test, simulator or stripe",
            )),
        }
    }

    fn api_key(&self) -> Result<SecretSource, ConfigError> {
        SecretSource::of_settings(self.provider_key.clone(), self.provider_key_file.clone()).ok_or(
            ConfigError::Value("provider_key_file", "must name the file with Stripe's secret key"),
        )
    }
}

#[cfg(test)]
mod tests;
