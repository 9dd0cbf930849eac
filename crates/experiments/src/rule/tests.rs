use serde_json::json;

use super::*;

fn why(rule: &Value) -> Option<SkipReason> {
    let feature = json!({"defaultValue": 0, "rules": [rule]});
    let rules = FeatureRule::all_of("f", &feature, &InactiveExperiments::new()).unwrap();
    rules[0].step.as_ref().err().copied()
}

#[test]
fn experiments_that_assign_nothing_are_skipped() {
    let experiment = |field: &str, value: Value| {
        let mut rule = json!({"key": "e", "variations": [0, 1]});
        rule[field] = value;
        rule
    };
    for (field, value, reason) in [
        ("status", json!("draft"), "the experiment is a draft"),
        ("status", json!("stopped"), "the experiment is stopped"),
        ("active", json!(false), "the experiment is not active"),
        (
            "variations",
            json!([1]),
            "the experiment has fewer than two variations",
        ),
        (
            "variations",
            json!([]),
            "the experiment has fewer than two variations",
        ),
    ] {
        assert_eq!(why(&experiment(field, value)), Some(reason));
    }
    assert_eq!(why(&experiment("status", json!("running"))), None);
    assert_eq!(why(&experiment("active", json!(true))), None);
}

#[test]
fn the_status_of_a_forced_value_is_ignored() {
    assert_eq!(why(&json!({"force": 1, "status": "draft"})), None);
}
