use super::*;

#[test]
fn each_refund_scenario_happens_on_time() {
    use SimulatedStatus::{Failed, Pending, Succeeded};
    let hour = HOUR_MS;
    for (minor_units, age_ms, expected) in [
        (250, 0, (Succeeded, None)),
        (250, 365 * DAY_MS, (Succeeded, None)),
        (77, 0, (Pending, None)),
        (177, hour - 1, (Pending, None)),
        (177, hour, (Succeeded, None)),
        (1_278, 0, (Succeeded, None)),
        (1_278, 3 * DAY_MS - 1, (Succeeded, None)),
        (1_278, 3 * DAY_MS, (Failed, Some("expired_or_canceled_card"))),
        (79, 0, (Failed, Some("insufficient_funds"))),
    ] {
        assert_eq!(
            refund_status(minor_units, age_ms),
            expected,
            "{minor_units} {age_ms}"
        );
    }
}

#[test]
fn the_manual_names_every_scenario() {
    let manual = include_str!("../../../../../docs/testing.md");
    for scenario in REFUND_SCENARIOS {
        let row = format!("a refund whose amount ends in `{}`", scenario.last_digits);
        assert!(manual.contains(&row), "{row}");
        assert!(manual.contains(scenario.text), "{}", scenario.text);
    }
    assert!(manual.contains(&format!("ends after {HOLD_DAYS} days")));
}
