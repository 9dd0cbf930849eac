//! How long visits, webhooks and charges are kept.

use std::path::PathBuf;

use super::ConfigError;
use super::values::within;
use payments::charges::settings::RetentionSettings;

const DAY_MS: i64 = 86_400_000;

/// How long visits or finished webhooks are kept, in milliseconds: at most 400 days.
pub(super) fn retention_ms(name: &'static str, days: u32) -> Result<i64, ConfigError> {
    within(name, days, 1..=400).map(|days| i64::from(days) * DAY_MS)
}

/// How long charges are kept, if not for ever. At least 30 days, because merchants and shoppers ask for charges of the
/// last month.
pub(super) fn charge_retention(
    days: Option<u32>,
    export: Option<PathBuf>,
) -> Result<Option<RetentionSettings>, ConfigError> {
    let Some(days) = days else {
        return match export {
            Some(_) => Err(ConfigError::Value("charge_export", "needs charge_retention_days")),
            None => Ok(None),
        };
    };
    let days = within("charge_retention_days", days, 30..=36_500)?;
    if export.as_ref().is_some_and(|folder| !folder.is_dir()) {
        return Err(ConfigError::Value(
            "charge_export",
            "must be a folder that exists",
        ));
    }
    Ok(Some(RetentionSettings {
        kept_ms: i64::from(days) * DAY_MS,
        export,
    }))
}
