//! Finds key files that other users of this machine can read or replace. They are logged at start, or refused with
//! `strict_permissions`.

use protocol::SecretSource;

use crate::config::Config;
pub use merchants::keys::key_file::{OpenKeyFile, too_open};
use merchants::operators::operator_key_files;
use tracking::events::settings::SinkChoice;

/// The key files in the settings that too many users can read or write. A missing one is reported where it is read.
/// The owners are checked if `service_user`, the user that runs the service, is known.
pub fn open_key_files(config: &Config, service_user: Option<u32>) -> Vec<OpenKeyFile> {
    let of = |source: Option<&SecretSource>| source.and_then(SecretSource::file).cloned();
    let kafka_password = match &config.events.sink {
        SinkChoice::Kafka(kafka) => kafka.login.as_ref().map(|login| &login.password),
        SinkChoice::Database => None,
    };
    let files = [
        ("config", config.file_with_keys.clone()),
        ("vault_key_file", of(config.vault_keys.as_ref())),
        ("operator_key_file", of(config.operator_key.as_ref())),
        ("tls_key", config.tls.as_ref().map(|tls| tls.key.clone())),
        ("provider_key_file", of(config.provider.key.as_ref())),
        (
            "provider_event_secret_file",
            of(config.provider.event_secret.as_ref()),
        ),
        ("kafka_password_file", of(kafka_password)),
    ];
    let named = config.operator_keys.as_deref().map(operator_key_files);
    let named = named.and_then(Result::ok).unwrap_or_default();
    let named = named.into_iter().map(|file| ("operator_keys", Some(file)));
    files
        .into_iter()
        .chain(named)
        .filter_map(|(setting, file)| too_open(setting, &file?, service_user))
        .collect()
}
