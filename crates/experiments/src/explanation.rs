//! Explains the value that a shopper gets of each feature, for `cardform experiment explain`.

use std::collections::BTreeSet;

use protocol::Features;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::attributes::Attributes;
use super::document::Document;
use super::evaluation::Outcome;
use super::rule::{FeatureRule, InactiveExperiments};

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
    pub source: String,
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
        let rules = self.rules_of(name);
        let before = rules.iter().take(outcome.rule.unwrap_or(rules.len()));
        let passed_over = before.enumerate().map(|(number, rule)| SkippedRule {
            rule: number + 1,
            why: self.why_skipped(name, rule, attributes),
        });
        let passed_over = passed_over.collect();
        let decisive = outcome.rule.and_then(|number| rules.get(number));
        let assignment = outcome.assignment.as_ref();
        Explanation {
            feature: name.to_owned(),
            on: outcome.result.on,
            variation: assignment.map(|assignment| assignment.variation_id),
            variation_key: assignment.map(|assignment| assignment.variation_key.clone()),
            experiment: assignment.map(|assignment| assignment.experiment_id.clone()),
            source: match outcome.result.source.as_str() {
                "unknownFeature" => "unknown_feature".to_owned(),
                "defaultValue" => "default_value".to_owned(),
                "cyclicPrerequisite" => "cyclic_prerequisite".to_owned(),
                source => source.to_owned(),
            },
            rule: outcome.rule.map(|number| number + 1),
            rule_id: decisive.and_then(|rule| Some(rule.written["id"].as_str()?.to_owned())),
            why: sentence(&outcome, decisive.map_or(&Value::Null, |rule| &rule.written)),
            passed_over,
            value: outcome.result.value,
        }
    }

    /// Tries the parts of the rule one by one; the first part that excludes the shopper is the reason.
    fn why_skipped(&self, name: &str, rule: &FeatureRule, attributes: &Attributes) -> &'static str {
        if let Err(why) = rule.step {
            return why;
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
        let rules = FeatureRule::all_of(name, &feature, &InactiveExperiments::new()).unwrap_or_default();
        let steps = rules.iter().filter_map(|rule| rule.step.as_ref().ok());
        steps.map(|step| self.step(name, step, attributes)).any(|result| {
            // A prerequisite that blocks the feature is no match.
            matches!(result.source.as_str(), "force" | "experiment")
        })
    }
}

/// Why the feature has its value. `rule` is the rule that decided.
fn sentence(outcome: &Outcome, rule: &Value) -> String {
    let Some(number) = outcome.rule else {
        return match outcome.result.source.as_str() {
            "unknownFeature" => "the document does not have the feature".to_owned(),
            _ => "no rule matches: the default value".to_owned(),
        };
    };
    let name = match rule["id"].as_str() {
        Some(id) => format!("rule {} ({id})", number + 1),
        None => format!("rule {}", number + 1),
    };
    match (outcome.result.source.as_str(), &outcome.assignment) {
        ("experiment", Some(assignment)) => {
            let bucket = outcome.result.experiment_result.as_ref();
            let bucket = match bucket.and_then(|chosen| chosen.bucket) {
                Some(bucket) => format!("the shopper's bucket is {bucket}"),
                None => "it is forced".to_owned(),
            };
            format!(
                "{name} is the experiment {}: {bucket}, which is variation {} ({})",
                assignment.experiment_id, assignment.variation_id, assignment.variation_key
            )
        }
        ("prerequisite", _) => format!("{name} blocks it: what it depends on is not met"),
        ("cyclicPrerequisite", _) => format!("{name} blocks it: it depends on itself"),
        _ => match rule["coverage"].as_f64() {
            Some(coverage) => format!("{name} forces it, with a coverage of {coverage}"),
            None => format!("{name} forces it"),
        },
    }
}

#[cfg(test)]
mod tests;
