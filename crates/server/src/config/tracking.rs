//! The settings of the page's events: whether they are sent, their mode, and how long a session lasts.

use protocol::{ExperimentationMode, Tracking};

use super::{ConfigError, Settings};

/// 30 minutes (docs/tracking.md#sessions-and-identities).
const SESSION_TIMEOUT_MS: u64 = 1_800_000;
/// A day: a shopper who comes back the next day begins a new session.
const SESSION_TIMEOUT_MS_MAX: u64 = 86_400_000;

/// What the page gets; `None` if tracking is off.
pub(super) fn tracking(settings: &Settings, topic: &str) -> Result<Option<Tracking>, ConfigError> {
    let mode = settings
        .experimentation_mode
        .as_deref()
        .map_or(
            Some(ExperimentationMode::Production),
            ExperimentationMode::from_name,
        )
        .ok_or(ConfigError::Value(
            "experimentation_mode",
            "must be production, staging or dev",
        ))?;
    let session_timeout_ms = settings.session_timeout_ms.unwrap_or(SESSION_TIMEOUT_MS);
    if !(1..=SESSION_TIMEOUT_MS_MAX).contains(&session_timeout_ms) {
        return Err(ConfigError::Value(
            "session_timeout_ms",
            "must be 1 to 86400000 milliseconds",
        ));
    }
    let tracking = Tracking {
        topic: topic.to_owned(),
        mode,
        session_timeout_ms,
    };
    Ok(settings.tracking.unwrap_or(true).then_some(tracking))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(change: impl FnOnce(&mut Settings)) -> Result<Option<Tracking>, ConfigError> {
        let mut settings = Settings::default();
        change(&mut settings);
        tracking(&settings, "cardform-events")
    }

    #[test]
    fn tracking_is_on_and_in_production_mode_by_default() {
        assert_eq!(
            set(|_| ()).unwrap(),
            Some(Tracking {
                topic: "cardform-events".into(),
                mode: ExperimentationMode::Production,
                session_timeout_ms: 1_800_000,
            })
        );
        assert_eq!(set(|settings| settings.tracking = Some(false)).unwrap(), None);
        let staging = set(|settings| settings.experimentation_mode = Some("staging".into()));
        assert_eq!(staging.unwrap().unwrap().mode, ExperimentationMode::Staging);
    }

    #[test]
    fn a_bad_value_names_its_setting() {
        let refused = |change: fn(&mut Settings), name: &str| {
            assert!(set(change).unwrap_err().to_string().contains(name));
        };
        refused(
            |s| s.experimentation_mode = Some("live".into()),
            "experimentation_mode",
        );
        refused(|s| s.session_timeout_ms = Some(0), "session_timeout_ms");
        refused(|s| s.session_timeout_ms = Some(86_400_001), "session_timeout_ms");
    }
}
