//! Explains why a shopper gets which value of each feature, for `cardform experiment explain`.

use std::collections::BTreeSet;

use protocol::{Assignment, Features};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::attributes::Attributes;
use super::document::Document;
use super::outcome::{DecidedBy, Outcome};
use super::rule::{FeatureRule, SkipReason, Statuses};

/// The value that a shopper gets of a feature, and the reason.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The feature's name.
    pub feature: String,
    /// Its value.
    pub value: Value,
    /// Whether it counts as on.
    pub on: bool,
    /// The number, from 0, of the shopper's variation in the experiment.
    pub variation: Option<u32>,
    /// The variation's key.
    pub variation_key: Option<String>,
    /// The experiment's key.
    pub experiment: Option<String>,
    /// The kind of decision: `unknown_feature`, `default_value`, `force`, `experiment`, `prerequisite`,
    /// `cyclic_prerequisite`.
    pub source: &'static str,
    /// The number of the rule that decided, from 1.
    pub rule: Option<usize>,
    /// The id of that rule.
    pub rule_id: Option<String>,
    /// The reason as a sentence.
    pub why: String,
    /// The rules that were evaluated before and did not decide.
    pub passed_over: Vec<SkippedRule>,
}

/// A rule that did not decide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkippedRule {
    /// Its number, from 1.
    pub rule: usize,
    /// Why it did not decide.
    pub why: &'static str,
}

impl Document {
    /// Explains each feature of the document and each of the eight experiments, for a shopper with these attributes, in
    /// the order of their names.
    pub fn explain(&self, attributes: &Attributes) -> Vec<Explanation> {
        let names: BTreeSet<&str> = self
            .rules
            .keys()
            .map(String::as_str)
            .chain(Features::NAMES)
            .collect();
        let explained = names.into_iter().map(|name| self.explain_one(name, attributes));
        explained.collect()
    }

    fn explain_one(&self, name: &str, attributes: &Attributes) -> Explanation {
        let outcome = self.evaluate(name, attributes);
        let rules = self.rules.get(name).map(Vec::as_slice).unwrap_or_default();
        let (source, decisive) = match outcome.decided_by {
            DecidedBy::UnknownFeature => ("unknown_feature", None),
            DecidedBy::DefaultValue => ("default_value", None),
            DecidedBy::Force(number) => ("force", Some(number)),
            DecidedBy::Experiment(number) => ("experiment", Some(number)),
            DecidedBy::Prerequisite(number) => ("prerequisite", Some(number)),
            DecidedBy::CyclicPrerequisite(number) => ("cyclic_prerequisite", Some(number)),
        };
        let before = rules.iter().take(decisive.unwrap_or(rules.len())).enumerate();
        let rule = decisive.and_then(|number| rules.get(number));
        let assignment = outcome.assignment.as_ref();
        Explanation {
            feature: name.to_owned(),
            on: outcome.is_on,
            variation: assignment.map(|assignment| assignment.variation_id),
            variation_key: assignment.map(|assignment| assignment.variation_key.clone()),
            experiment: assignment.map(|assignment| assignment.experiment_id.clone()),
            source,
            rule: decisive.map(|number| number + 1),
            rule_id: rule.and_then(|rule| Some(rule.written.get("id")?.as_str()?.to_owned())),
            why: sentence(&outcome, rule.map(|rule| &rule.written)),
            passed_over: before
                .map(|(number, rule)| SkippedRule {
                    rule: number + 1,
                    why: self.why_skipped(name, rule, attributes),
                })
                .collect(),
            value: outcome.value,
        }
    }

    /// Tries the parts of the rule one by one; the first part that excludes the shopper is the reason.
    fn why_skipped(&self, name: &str, rule: &FeatureRule, attributes: &Attributes) -> &'static str {
        match &rule.step {
            Err(SkipReason::Draft) => return "the experiment is a draft",
            Err(SkipReason::Stopped) => return "the experiment is stopped",
            Err(SkipReason::Inactive) => return "the experiment is not active",
            Err(SkipReason::TooFewVariations) => return "the experiment has fewer than two variations",
            Ok(_) => {}
        }
        let forces = json!({ "force": true });
        let divides = json!({ "variations": [true, true] });
        let written = &rule.written;
        let is_experiment = written.get("variations").is_some();
        let by_coverage =
            is_experiment || written.get("coverage").is_some() || written.get("range").is_some();
        let lets_through = |part: &[&str], base: &Value| self.matches(name, written, part, base, attributes);
        if !lets_through(&["parentConditions"], &forces) {
            "what it depends on is not met"
        } else if !lets_through(&["filters"], &forces) {
            "the shopper is outside of its filters"
        } else if !lets_through(&["condition"], &forces) {
            "its condition is not met"
        } else if by_coverage && !lets_through(&["hashAttribute"], &divides) {
            "the attribute that it divides shoppers by is not there"
        } else if is_experiment && !lets_through(&["hashAttribute", "namespace"], &divides) {
            "the shopper is outside of its namespace"
        } else if by_coverage {
            "the shopper is outside of its coverage"
        } else {
            "it gives no value"
        }
    }

    /// Whether `base` with these parts of `written` is a rule that matches.
    fn matches(
        &self,
        name: &str,
        written: &Value,
        parts: &[&str],
        base: &Value,
        attributes: &Attributes,
    ) -> bool {
        let mut rule: Map<String, Value> = base.as_object().cloned().unwrap_or_default();
        for part in parts {
            if let Some(value) = written.get(*part) {
                rule.insert((*part).to_owned(), value.clone());
            }
        }
        let feature = json!({ "rules": [rule] });
        let rules = FeatureRule::all_of(name, &feature, &Statuses::default()).unwrap_or_default();
        let steps = rules.iter().filter_map(|rule| rule.step.as_ref().ok());
        steps.map(|step| self.step(name, step, attributes)).any(|result| {
            // A prerequisite that blocks the feature does not match anybody.
            matches!(result.source.as_str(), "force" | "experiment")
        })
    }
}

fn sentence(outcome: &Outcome, rule: Option<&Value>) -> String {
    let number = |number: usize| match rule.and_then(|rule| rule.get("id")?.as_str()) {
        Some(id) => format!("rule {} ({id})", number + 1),
        None => format!("rule {}", number + 1),
    };
    match outcome.decided_by {
        DecidedBy::UnknownFeature => "the document does not have the feature".to_owned(),
        DecidedBy::DefaultValue => "no rule matches: the default value".to_owned(),
        DecidedBy::Force(at) => match rule.and_then(|rule| rule.get("coverage")?.as_f64()) {
            Some(coverage) => format!("{} forces it, with a coverage of {coverage}", number(at)),
            None => format!("{} forces it", number(at)),
        },
        DecidedBy::Experiment(at) => {
            let assignment = outcome.assignment.as_ref();
            let (experiment, variation) = assignment.map_or(("", String::new()), |assignment| {
                let Assignment {
                    experiment_id,
                    variation_id,
                    variation_key,
                    ..
                } = assignment;
                (
                    experiment_id,
                    format!("variation {variation_id} ({variation_key})"),
                )
            });
            let bucket = outcome.bucket.map_or_else(
                || "it is forced".to_owned(),
                |bucket| format!("the shopper's bucket is {bucket}"),
            );
            format!(
                "{} is the experiment {experiment}: {bucket}, which is {variation}",
                number(at)
            )
        }
        DecidedBy::Prerequisite(at) => format!("{} blocks it: what it depends on is not met", number(at)),
        DecidedBy::CyclicPrerequisite(at) => format!("{} blocks it: it depends on itself", number(at)),
    }
}

#[cfg(test)]
mod tests {
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
            (explanation.source, explanation.value),
            ("default_value", json!(0)),
            "{rule}"
        );
        explanation.passed_over[0].why
    }

    #[test]
    fn a_skipped_rule_says_why() {
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
        assert_eq!((blocked.source, blocked.value), ("prerequisite", Value::Null));
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
}
