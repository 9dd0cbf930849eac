//! The operator's key, and how long visits, webhooks and charges are kept.

use std::path::PathBuf;

use protocol::SecretSource;
use protocol::Sensitive;

use super::ConfigError;
use payments::charges::settings::RetentionSettings;

/// A quarter, so that two months can be compared.
const VISIT_RETENTION_DAYS: u32 = 90;
/// A merchant can ask for last month's events again.
const WEBHOOK_RETENTION_DAYS: u32 = 30;
/// The longest, in days.
const RETENTION_DAYS_MAX: u32 = 400;

/// Where the key comes from: the setting wins over the file.
pub(super) fn key(file: Option<PathBuf>, key: Option<Sensitive>) -> Option<SecretSource> {
    SecretSource::of_settings(key, file)
}

/// How long visits are kept, in milliseconds.
pub(super) fn visit_retention_ms(given: Option<u32>) -> Result<i64, ConfigError> {
    retention_ms("visit_retention_days", given, VISIT_RETENTION_DAYS)
}

/// How long finished webhooks are kept, in milliseconds.
pub(super) fn webhook_retention_ms(given: Option<u32>) -> Result<i64, ConfigError> {
    retention_ms("webhook_retention_days", given, WEBHOOK_RETENTION_DAYS)
}

fn retention_ms(name: &'static str, given: Option<u32>, default: u32) -> Result<i64, ConfigError> {
    let days = given.unwrap_or(default);
    if (1..=RETENTION_DAYS_MAX).contains(&days) {
        Ok(i64::from(days) * 86_400_000)
    } else {
        Err(ConfigError::Value(name, "must be 1 to 400"))
    }
}

/// Merchants and shoppers ask for charges of the last month.
const CHARGE_RETENTION_DAYS_MIN: u32 = 30;
const CHARGE_RETENTION_DAYS_MAX: u32 = 36_500;

/// How long charges are kept, if not for ever.
pub(super) fn retention(
    days: Option<u32>,
    export: Option<PathBuf>,
) -> Result<Option<RetentionSettings>, ConfigError> {
    let Some(days) = days else {
        return match export {
            Some(_) => Err(ConfigError::Value("charge_export", "needs charge_retention_days")),
            None => Ok(None),
        };
    };
    if !(CHARGE_RETENTION_DAYS_MIN..=CHARGE_RETENTION_DAYS_MAX).contains(&days) {
        return Err(ConfigError::Value("charge_retention_days", "must be 30 to 36500"));
    }
    if export.as_ref().is_some_and(|folder| !folder.is_dir()) {
        return Err(ConfigError::Value(
            "charge_export",
            "must be a folder that exists",
        ));
    }
    Ok(Some(RetentionSettings {
        kept_ms: i64::from(days) * 86_400_000,
        export,
    }))
}
