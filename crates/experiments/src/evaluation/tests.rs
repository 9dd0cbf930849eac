use rules::Brand;
use serde_json::json;

use super::*;

const LUHN: &str = "card-form-card-number-luhn-alg-validation";
const SAVE: &str = "enable-save-payment-methods";

fn document(features: &Value) -> Document {
    Document::read(json!({ "features": features }).to_string().as_bytes(), None).unwrap()
}

fn shopper(attributes: Value) -> Attributes {
    Attributes::from_json(attributes).unwrap()
}

#[test]
fn the_shipped_document_turns_all_eight_on() {
    let assigned = Document::shipped().assign(|| panic!("no shopper is asked for"));
    assert_eq!(assigned.features, Features::SHIPPED);
    assert_eq!(assigned.experiments, []);
    assert_eq!(assigned.available_brands, [Brand::Visa, Brand::Mastercard]);
}

#[test]
fn a_feature_missing_in_the_document_is_off() {
    let assigned = document(&json!({LUHN: {"defaultValue": true}})).assign(|| shopper(json!({})));
    let mut expected = Features::default();
    expected.set(LUHN, true);
    assert_eq!(assigned.features, expected);
}

#[test]
fn the_first_matching_rule_decides() {
    let document = document(&json!({SAVE: {"defaultValue": false, "rules": [
        {"condition": {"country": "ID"}, "force": true},
        {"key": "save-cards", "variations": [false, true], "meta": [{"key": "off"}, {"key": "on"}], "weights": [0, 1]},
    ]}}));
    let forced = document.evaluate(SAVE, &shopper(json!({"id": "1", "country": "ID"})));
    assert_eq!(
        (forced.result.source.as_str(), forced.rule, forced.assignment),
        ("force", Some(0), None)
    );
    let shopper = shopper(json!({"id": "1", "country": "TH"}));
    let divided = document.evaluate(SAVE, &shopper);
    assert_eq!(
        (divided.result.source.as_str(), divided.rule),
        ("experiment", Some(1))
    );
    let assigned = document.assign(|| shopper.clone());
    assert!(assigned.features.enable_save_payment_methods);
    let expected = Assignment {
        experiment_id: "save-cards".into(),
        feature: SAVE.into(),
        variation_id: 1,
        variation_key: "on".into(),
    };
    assert_eq!(assigned.experiments, [expected]);
}

/// The outcomes of 100 shoppers, about half of whom are in an experiment without a key that turns [`SAVE`] off.
fn outcomes_with_half_coverage() -> Vec<Outcome> {
    let document = document(&json!({SAVE: {"defaultValue": true, "rules": [
        {"variations": [false, true], "coverage": 0.5, "weights": [1, 0]},
    ]}}));
    (0..100)
        .map(|id| document.evaluate(SAVE, &shopper(json!({"id": id.to_string()}))))
        .collect()
}

#[test]
fn an_experiment_without_a_key_has_its_features_name() {
    let outcomes = outcomes_with_half_coverage();
    let assignments: Vec<_> = outcomes.iter().flat_map(|outcome| &outcome.assignment).collect();
    assert!((30..70).contains(&assignments.len()), "{}", assignments.len());
    for assignment in assignments {
        assert_eq!(assignment.experiment_id, SAVE);
        assert_eq!(assignment.variation_key, "0");
    }
}

#[test]
fn a_shopper_outside_the_coverage_gets_the_default() {
    let outcomes = outcomes_with_half_coverage();
    let (inside, outside): (Vec<_>, Vec<_>) =
        outcomes.iter().partition(|outcome| outcome.assignment.is_some());
    assert!((30..70).contains(&inside.len()), "{}", inside.len());
    assert!(inside.iter().all(|outcome| !outcome.result.on));
    assert!(
        outside
            .iter()
            .all(|outcome| outcome.result.on && outcome.rule.is_none())
    );
}

#[test]
fn an_inactive_experiment_is_skipped() {
    let rule = |field: &str, value: Value| {
        let mut rule = json!({"variations": [true, true]});
        rule[field] = value;
        rule
    };
    let document = document(&json!({SAVE: {"defaultValue": false, "rules": [
        rule("status", json!("draft")), rule("status", json!("stopped")), rule("active", json!(false)),
        rule("variations", json!([true])),
    ]}}));
    let outcome = document.evaluate(SAVE, &shopper(json!({"id": "1"})));
    assert_eq!(
        (outcome.result.on, outcome.result.source.as_str()),
        (false, "defaultValue")
    );
}

#[test]
fn the_icons_features_value_gives_the_brands() {
    let icons = |value: Value| {
        let features = json!({"card-form-card-brand-icon-config": {"defaultValue": value}});
        document(&features).assign(|| shopper(json!({}))).available_brands
    };
    assert_eq!(icons(json!(["jcb", "visa"])), [Brand::Visa, Brand::Jcb]);
    assert_eq!(icons(json!(false)), [Brand::Visa, Brand::Mastercard]);
}

#[test]
fn checks_with_rules_are_off_without_a_cookie_id() {
    let document = document(&json!({
        LUHN: {"defaultValue": false, "rules": [{"variations": [true, true]}]},
        "card-form-card-expiry-date-limit-validation": {"defaultValue": true},
    }));
    let known = document.validation(&shopper(json!({"id": "1"})));
    assert!(known.luhn && known.expiry_limit && !known.security_code_length);
    let unknown = document.validation(&shopper(json!({"country": "ID"})));
    assert!(!unknown.luhn && unknown.expiry_limit);
}
