//! The settings of the provider.

use model::SecretSource;
use url::Url;

use super::values::{is_unencrypted, web_url};
use super::{ConfigError, Settings};

const STRIPE_URL: &str = "https://api.stripe.com";

/// Which provider charges the cards.
#[derive(Debug, Clone)]
pub enum ProviderChoice {
    /// The simulator at this URL; without one, demo mode's own simulator.
    Simulator(Option<Url>),
    /// Stripe's API at this URL, with this key.
    Stripe(Url, SecretSource),
}

impl Settings {
    pub(super) fn provider_choice(&self) -> Result<ProviderChoice, ConfigError> {
        let url = |text: &str| web_url("provider_url", text);
        match self.provider.as_deref() {
            None | Some("simulator") => {
                let url = self.provider_url.as_deref().map(url).transpose()?;
                Ok(ProviderChoice::Simulator(url))
            }
            Some("stripe") => {
                let url = url(self.provider_url.as_deref().unwrap_or(STRIPE_URL))?;
                if is_unencrypted(&url) {
                    return Err(ConfigError::Value(
                        "provider_url",
                        "must be https for stripe, except on this machine",
                    ));
                }
                Ok(ProviderChoice::Stripe(url, self.api_key()?))
            }
            Some(_) => Err(ConfigError::Value("provider", "must be simulator or stripe")),
        }
    }

    fn api_key(&self) -> Result<SecretSource, ConfigError> {
        SecretSource::of_settings(self.provider_key.clone(), self.provider_key_file.clone()).ok_or(
            ConfigError::Value("provider_key_file", "must name the file with Stripe's secret key"),
        )
    }
}

#[cfg(test)]
mod tests {
    use wire::Sensitive;

    use super::*;

    fn stripe(change: impl FnOnce(&mut Settings)) -> Result<ProviderChoice, String> {
        let mut settings = Settings {
            provider: Some("stripe".into()),
            provider_key: Some(Sensitive::new("sk_test_1".into())),
            ..Settings::default()
        };
        change(&mut settings);
        let config = settings.resolve().map_err(|error| error.to_string())?;
        Ok(config.provider)
    }

    #[test]
    fn stripe_needs_a_key_and_nothing_else() {
        let ProviderChoice::Stripe(url, SecretSource::Setting(_)) = stripe(|_| ()).unwrap() else {
            panic!("not the setting's key");
        };
        assert_eq!(url.as_str(), "https://api.stripe.com/");
        let file = stripe(|settings| {
            settings.provider_key = None;
            settings.provider_key_file = Some("key".into());
        });
        assert!(matches!(
            file,
            Ok(ProviderChoice::Stripe(_, SecretSource::File(_)))
        ));
        let message = stripe(|settings| settings.provider_key = None).unwrap_err();
        assert!(message.starts_with("the setting provider_key_file"), "{message}");
    }

    #[test]
    fn an_unencrypted_card_is_only_sent_on_this_machine() {
        for here in [
            "http://127.0.0.1:8420",
            "http://[::1]:8420",
            "http://localhost:8420/",
        ] {
            assert!(
                stripe(|settings| settings.provider_url = Some(here.into())).is_ok(),
                "{here}"
            );
        }
        for wrong in [
            "http://api.stripe.com",
            "api.stripe.com",
            "https://api.stripe.com/?a=b",
        ] {
            let message = stripe(|settings| settings.provider_url = Some(wrong.into())).unwrap_err();
            assert!(
                message.starts_with("the setting provider_url"),
                "{wrong}: {message}"
            );
        }
        let message = stripe(|settings| settings.provider = Some("strype".into())).unwrap_err();
        assert_eq!(message, "the setting provider must be simulator or stripe");
    }
}
