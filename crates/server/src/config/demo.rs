//! The settings that `cardform demo` sets itself.

use std::path::Path;

use protocol::SecretSource;
use store::Database;

use super::experiments::FEATURES_COPY;
use super::file::ConfigError;
use super::{Config, Settings};
use demo::shop::demo_mode::{operator_key_file, vault_key_file};
use payments::charges::settings::AttemptLimits;
use providers::stripe::api_key::ApiKey;

impl Config {
    /// The settings of `cardform demo`: those given, with the database and all files in `data`.
    pub fn demo(settings: Settings, data: &Path) -> Result<Self, ConfigError> {
        let mut settings = settings;
        let file_with_keys = settings.add_file()?;
        let attempt_limits = settings.attempt_limits(AttemptLimits::demo());
        let copy_is_given = settings.features_copy.is_some();
        let mut config = settings.check()?;
        if config.tls.is_some() {
            // The demo calls itself, and would have to trust its own certificate.
            return Err(ConfigError::Value("tls_certificate", "is not for demo mode"));
        }
        // A file that cannot be read is reported where the provider is made.
        let key = config.provider.key.as_ref().map(ApiKey::read);
        if key.and_then(Result::ok).is_some_and(|key| key.is_live()) {
            return Err(ConfigError::Value(
                "provider_key_file",
                "must be a key of Stripe's test mode for the demo",
            ));
        }
        config.database = Database::Sqlite(data.join("cardform.db"));
        config.demo = Some(data.to_owned());
        config.file_with_keys = file_with_keys;
        if !copy_is_given {
            config.features.copy = data.join(FEATURES_COPY);
        }
        config
            .vault_keys
            .get_or_insert_with(|| SecretSource::File(vault_key_file(data)));
        config
            .operator_key
            .get_or_insert_with(|| SecretSource::File(operator_key_file(data)));
        config.charges.attempt_limits = attempt_limits;
        // A developer's webhook receiver is on this machine.
        config.webhook_private_networks = true;
        // Developers may write payloads by hand.
        config.pages.accept_unsigned_payloads = true;
        Ok(config)
    }
}

#[cfg(test)]
mod tests;
