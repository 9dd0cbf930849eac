use super::*;

fn explain(feature: &Value, attributes: &Value) -> Explanation {
    let features = json!({ "features": {"f": feature, "off": {"defaultValue": false}} });
    let document = Document::read(features.to_string().as_bytes(), None).unwrap();
    let attributes = Attributes::from_json(attributes.clone()).unwrap();
    let mut all = document.explain(&attributes);
    all.retain(|explanation| explanation.feature == "f");
    all.remove(0)
}

fn passed_over(rule: &Value) -> &'static str {
    let feature = json!({"defaultValue": 0, "rules": [rule]});
    let explanation = explain(&feature, &json!({"id": "1", "country": "ID"}));
    assert_eq!(
        (explanation.source.as_str(), explanation.value),
        ("default_value", json!(0)),
        "{rule}"
    );
    explanation.passed_over[0].why
}

#[test]
fn a_skipped_rule_has_its_reason() {
    let experiment = |field: &str, value: Value| {
        let mut rule = json!({"variations": [1, 2]});
        rule[field] = value;
        passed_over(&rule)
    };
    assert_eq!(experiment("status", json!("draft")), "the experiment is a draft");
    assert_eq!(
        experiment("status", json!("stopped")),
        "the experiment is stopped"
    );
    assert_eq!(experiment("active", json!(false)), "the experiment is not active");
    assert_eq!(
        experiment("variations", json!([1])),
        "the experiment has fewer than two variations"
    );
    assert_eq!(
        experiment("coverage", json!(0)),
        "the shopper is outside of its coverage"
    );
    assert_eq!(
        experiment("namespace", json!(["n", 0, 0])),
        "the shopper is outside of its namespace"
    );
    assert_eq!(
        experiment("hashAttribute", json!("deviceId")),
        "the attribute that it divides shoppers by is not there"
    );
    let condition = json!({"country": "TH"});
    assert_eq!(
        experiment("condition", condition.clone()),
        "its condition is not met"
    );
    assert_eq!(
        passed_over(&json!({"condition": condition, "force": 1})),
        "its condition is not met"
    );
    assert_eq!(
        passed_over(&json!({"coverage": 0, "force": 1})),
        "the shopper is outside of its coverage"
    );
    assert_eq!(passed_over(&json!({})), "it gives no value");
    let parent = json!([{"id": "off", "condition": {"value": true}}]);
    assert_eq!(
        passed_over(&json!({"parentConditions": parent, "force": 1})),
        "what it depends on is not met"
    );
    let filters = json!([{"seed": "s", "ranges": [[0, 0]]}]);
    assert_eq!(
        passed_over(&json!({"filters": filters, "force": 1})),
        "the shopper is outside of its filters"
    );
}

#[test]
fn the_deciding_rule_and_variation_are_named() {
    let feature = json!({"defaultValue": 0, "rules": [
        {"condition": {"country": "TH"}, "force": 1},
        {"id": "fr_1", "condition": {"country": "ID"}, "force": 2},
        {"id": "fr_2", "key": "e", "variations": [3, 4], "weights": [0, 1], "meta": [{"key": "a"}, {"key": "b"}]},
    ]});
    let forced = explain(&feature, &json!({"id": "1", "country": "ID"}));
    assert_eq!(
        (forced.value, forced.rule, forced.why.as_str()),
        (json!(2), Some(2), "rule 2 (fr_1) forces it")
    );
    assert_eq!(
        forced.passed_over,
        [SkippedRule {
            rule: 1,
            why: "its condition is not met"
        }]
    );
    let divided = explain(&feature, &json!({"id": "1"}));
    assert_eq!(
        (divided.variation, divided.variation_key.as_deref()),
        (Some(1), Some("b"))
    );
    assert_eq!(
        (divided.experiment.as_deref(), divided.rule_id.as_deref()),
        (Some("e"), Some("fr_2"))
    );
    assert!(
        divided
            .why
            .starts_with("rule 3 (fr_2) is the experiment e: the shopper's bucket is 0."),
        "{}",
        divided.why
    );
    assert!(
        divided.why.ends_with(", which is variation 1 (b)"),
        "{}",
        divided.why
    );
    let gate = json!([{"id": "off", "condition": {"value": true}, "gate": true}]);
    let blocked = explain(
        &json!({"defaultValue": 1, "rules": [{"parentConditions": gate}]}),
        &json!({}),
    );
    assert_eq!(
        (blocked.source.as_str(), blocked.value),
        ("prerequisite", Value::Null)
    );
    let itself = json!([{"id": "f", "condition": {"value": true}, "gate": true}]);
    let cyclic = explain(
        &json!({"defaultValue": 1, "rules": [{"parentConditions": itself}]}),
        &json!({}),
    );
    assert_eq!(cyclic.source, "cyclic_prerequisite");
}

#[test]
fn features_missing_in_the_document_are_explained() {
    let document = Document::read(br#"{"features": {"other": {"defaultValue": 1}}}"#, None).unwrap();
    let all = document.explain(&Attributes::from_json(json!({})).unwrap());
    assert_eq!(all.len(), 9);
    let unknown = all
        .iter()
        .filter(|explanation| explanation.source == "unknown_feature");
    assert_eq!(unknown.count(), 8);
}
