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
