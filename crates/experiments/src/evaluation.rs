//! Evaluates a document for one shopper: one feature with the reason, or the eight experiments together.

use growthbook_rust::dto::GrowthBookFeature;
use growthbook_rust::model_public::FeatureResult;
use protocol::{Assignment, Features};
use rules::RuleExperiments;
use serde_json::Value;

use super::attributes::Attributes;
use super::brands::available_brands;
use super::document::Document;
use super::outcome::{Assigned, DecidedBy, Outcome};

impl Document {
    /// The value of the feature `name` for a shopper with these attributes. The first rule that matches decides.
    pub fn evaluate(&self, name: &str, attributes: &Attributes) -> Outcome {
        let Some(rules) = self.rules.get(name) else {
            return Outcome {
                value: Value::Null,
                is_on: false,
                decided_by: DecidedBy::UnknownFeature,
                assignment: None,
                bucket: None,
            };
        };
        for (number, rule) in rules.iter().enumerate() {
            let Ok(step) = &rule.step else { continue };
            let result = self.step(name, step, attributes);
            let decided_by = match result.source.as_str() {
                "force" => DecidedBy::Force(number),
                "experiment" => DecidedBy::Experiment(number),
                "prerequisite" => DecidedBy::Prerequisite(number),
                "cyclicPrerequisite" => DecidedBy::CyclicPrerequisite(number),
                // The rule did not match: this is the default value of the step.
                _ => continue,
            };
            return Outcome {
                assignment: assignment(name, rule.experiment_key(name), &result),
                bucket: result.experiment_result.and_then(|chosen| chosen.bucket),
                value: result.value,
                is_on: result.on,
                decided_by,
            };
        }
        let default = self
            .features
            .get(name)
            .and_then(|feature| feature.default_value.clone());
        let result = FeatureResult::from_default_value(default);
        Outcome {
            value: result.value,
            is_on: result.on,
            decided_by: DecidedBy::DefaultValue,
            assignment: None,
            bucket: None,
        }
    }

    /// Evaluates one rule of the feature `name`.
    pub(super) fn step(
        &self,
        name: &str,
        step: &GrowthBookFeature,
        attributes: &Attributes,
    ) -> FeatureResult {
        step.get_value(
            name,
            Vec::new(),
            attributes.as_list(),
            &self.forced_variations,
            &self.features,
            &None,
            &self.saved_groups,
        )
    }

    /// The eight experiments for a shopper. `attributes` is called only if one of them has rules, because most
    /// documents give every shopper the same.
    pub fn assign(&self, attributes: impl FnOnce() -> Attributes) -> Assigned {
        match &self.for_everybody {
            Some(assigned) => assigned.clone(),
            None => self.assign_by_rules(&attributes()),
        }
    }

    /// The eight experiments if none of them has a rule; then they are the same for every shopper.
    pub(super) fn assign_without_attributes(&self) -> Option<Assigned> {
        let has_rules = |name: &&str| self.rules.get(*name).is_some_and(|rules| !rules.is_empty());
        let nobody = || self.assign_by_rules(&Attributes::of_cookie_id(""));
        (!Features::NAMES.iter().any(has_rules)).then(nobody)
    }

    fn assign_by_rules(&self, attributes: &Attributes) -> Assigned {
        let mut assigned = Assigned {
            features: Features::default(),
            experiments: Vec::new(),
            available_brands: available_brands(&Value::Null),
        };
        for name in Features::NAMES {
            let outcome = self.evaluate(name, attributes);
            assigned.features.set(name, outcome.is_on);
            if name == "card-form-card-brand-icon-config" && outcome.is_on {
                assigned.available_brands = available_brands(&outcome.value);
            }
            assigned.experiments.extend(outcome.assignment);
        }
        assigned
    }

    /// Which checks this shopper's card must pass: the same as on the page. A check whose experiment has rules is off
    /// when there is no cookie id, because the page's variations are then unknown.
    pub fn validation(&self, attributes: &Attributes) -> RuleExperiments {
        let is_on = |name: &str| {
            let is_for_everybody = self.rules.get(name).is_none_or(Vec::is_empty);
            (is_for_everybody || attributes.has("id")) && self.evaluate(name, attributes).is_on
        };
        RuleExperiments {
            luhn: is_on("card-form-card-number-luhn-alg-validation"),
            security_code_length: is_on("card-form-card-security-length-limit-validation"),
            expiry_limit: is_on("card-form-card-expiry-date-limit-validation"),
        }
    }
}

fn assignment(feature: &str, experiment_key: &str, result: &FeatureResult) -> Option<Assignment> {
    let chosen = result
        .experiment_result
        .as_ref()
        .filter(|chosen| chosen.in_experiment)?;
    Some(Assignment {
        experiment_id: experiment_key.to_owned(),
        feature: feature.to_owned(),
        variation_id: u32::try_from(chosen.variation_id).ok()?,
        variation_key: chosen.key.clone(),
    })
}

#[cfg(test)]
mod tests {
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
        let assigned = Document::shipped().assign(|| panic!("nobody is asked for"));
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
            (forced.decided_by, forced.assignment),
            (DecidedBy::Force(0), None)
        );
        let shopper = shopper(json!({"id": "1", "country": "TH"}));
        assert_eq!(
            document.evaluate(SAVE, &shopper).decided_by,
            DecidedBy::Experiment(1)
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
        assert!(inside.iter().all(|outcome| !outcome.is_on));
        assert!(
            outside
                .iter()
                .all(|outcome| outcome.is_on && outcome.decided_by == DecidedBy::DefaultValue)
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
            (outcome.is_on, outcome.decided_by),
            (false, DecidedBy::DefaultValue)
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
}
