//! The settings of the page's events: whether they are sent, their mode, and how long a session lasts.

use protocol::{ExperimentationMode, Tracking};

use super::values::within;
use super::{ConfigError, Settings};

/// 30 minutes (docs/tracking.md#sessions-and-identities).
const SESSION_TIMEOUT_MS: u64 = 1_800_000;
/// A day: a shopper who comes back the next day begins a new session.
const SESSION_TIMEOUT_MS_MAX: u64 = 86_400_000;

/// The page's settings of tracking; `None` if tracking is off.
pub(super) fn tracking(settings: &Settings, topic: &str) -> Result<Option<Tracking>, ConfigError> {
    let mode = settings
        .experimentation_mode
        .as_deref()
        .map_or(Ok(ExperimentationMode::Production), str::parse)
        .map_err(|_| ConfigError::Value("experimentation_mode", "must be production, staging or dev"))?;
    let session_timeout_ms = settings.session_timeout_ms.unwrap_or(SESSION_TIMEOUT_MS);
    let tracking = Tracking {
        topic: topic.to_owned(),
        mode,
        session_timeout_ms: within(
            "session_timeout_ms",
            session_timeout_ms,
            1..=SESSION_TIMEOUT_MS_MAX,
        )?,
    };
    Ok(settings.tracking.unwrap_or(true).then_some(tracking))
}

#[cfg(test)]
mod tests;
