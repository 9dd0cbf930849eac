//! The operator's key, and how long visits are kept.

use std::path::PathBuf;

use model::SecretSource;
use wire::Sensitive;

use super::ConfigError;

/// A quarter, so that two months can be compared.
const VISIT_RETENTION_DAYS: u32 = 90;
/// The longest, in days.
const VISIT_RETENTION_DAYS_MAX: u32 = 400;

/// Where the key comes from: the setting wins over the file.
pub(super) fn key(file: Option<PathBuf>, key: Option<Sensitive>) -> Option<SecretSource> {
    SecretSource::of_settings(key, file)
}

/// How long visits are kept, in milliseconds.
pub(super) fn visit_retention_ms(given: Option<u32>) -> Result<i64, ConfigError> {
    let days = given.unwrap_or(VISIT_RETENTION_DAYS);
    if (1..=VISIT_RETENTION_DAYS_MAX).contains(&days) {
        Ok(i64::from(days) * 86_400_000)
    } else {
        Err(ConfigError::Value("visit_retention_days", "must be 1 to 400"))
    }
}
