//! Who on this machine can read the files with keys: named at start, and refused with `strict_permissions`.

use std::path::Path;

use providers::stripe::api_key::ApiKeySource;

use crate::config::{Config, ProviderChoice};
use crate::keys::card_vault::KeySource;
use crate::keys::key_file::{OpenKeyFile, too_open};
use crate::operator::key::OperatorKeySource;

/// The key files of the settings that are too open. One that is missing is told of by whoever reads it.
pub fn open_key_files(config: &Config) -> Vec<OpenKeyFile> {
    let mut files: Vec<(&'static str, &Path)> = Vec::new();
    if let Some(KeySource::File(file)) = &config.vault_keys {
        files.push(("vault_key_file", file));
    }
    if let Some(OperatorKeySource::File(file)) = &config.operator_key {
        files.push(("operator_key_file", file));
    }
    if let Some(tls) = &config.tls {
        files.push(("tls_key", &tls.key));
    }
    if let ProviderChoice::Stripe(_, ApiKeySource::File(file)) = &config.provider {
        files.push(("provider_key_file", file));
    }
    files
        .into_iter()
        .filter_map(|(setting, file)| too_open(setting, file))
        .collect()
}
