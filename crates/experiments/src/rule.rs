//! Splits a feature into rules that can be evaluated one by one, and marks the experiments that assign nothing.

use std::collections::HashMap;

use growthbook_rust::dto::{GrowthBookFeature, GrowthBookFeatureRule, GrowthBookFeatureRuleKind};
use serde_json::Value;

/// A rule of a feature.
#[derive(Debug)]
pub(super) struct FeatureRule {
    /// The rule as the document has it.
    pub(super) written: Value,
    /// The feature with only this rule, or why the rule is skipped.
    pub(super) step: Result<GrowthBookFeature, SkipReason>,
}

/// Why an experiment assigns nothing (docs/experiments.md#the-features-document).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SkipReason {
    /// It has not begun.
    Draft,
    /// It is over.
    Stopped,
    /// It is switched off.
    Inactive,
    /// It has fewer than two variations.
    TooFewVariations,
}

/// The statuses in the document's own list of experiments, by the experiments' keys.
#[derive(Debug, Default)]
pub(super) struct Statuses(HashMap<String, SkipReason>);

impl Statuses {
    /// Reads the `experiments` of a document.
    pub(super) fn of(experiments: &Value) -> Self {
        let listed = experiments.as_array().into_iter().flatten();
        Self(
            listed
                .filter_map(|experiment| {
                    Some((experiment.get("key")?.as_str()?.to_owned(), status(experiment)?))
                })
                .collect(),
        )
    }
}

impl FeatureRule {
    /// The rules of `feature`, which has this name, in the document's order.
    pub(super) fn all_of(
        name: &str,
        feature: &Value,
        statuses: &Statuses,
    ) -> Result<Vec<Self>, serde_json::Error> {
        // Parsing the whole feature refuses JSON that is not a feature.
        let read: GrowthBookFeature = serde_json::from_value(feature.clone())?;
        let written = feature
            .get("rules")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        let read = read.rules.unwrap_or_default();
        let cut = |(written, rule): (&Value, GrowthBookFeatureRule)| Self {
            step: match skip_reason(name, written, &rule, statuses) {
                Some(why) => Err(why),
                None => Ok(GrowthBookFeature {
                    default_value: None,
                    rules: Some(vec![rule]),
                }),
            },
            written: written.clone(),
        };
        Ok(written.zip(read).map(cut).collect())
    }

    /// The experiment's own key, or the name of its feature.
    pub(super) fn experiment_key<'a>(&'a self, feature: &'a str) -> &'a str {
        key(&self.written).unwrap_or(feature)
    }
}

fn key(rule: &Value) -> Option<&str> {
    rule.get("key")
        .and_then(Value::as_str)
        .filter(|key| !key.is_empty())
}

fn skip_reason(
    name: &str,
    written: &Value,
    rule: &GrowthBookFeatureRule,
    statuses: &Statuses,
) -> Option<SkipReason> {
    let GrowthBookFeatureRuleKind::Experiment(experiment) = &rule.kind else {
        return None;
    };
    let beside = || statuses.0.get(key(written).unwrap_or(name)).copied();
    let few = || (experiment.variations.len() < 2).then_some(SkipReason::TooFewVariations);
    status(written).or_else(beside).or_else(few)
}

fn status(experiment: &Value) -> Option<SkipReason> {
    match experiment.get("status").and_then(Value::as_str) {
        Some("draft") => Some(SkipReason::Draft),
        Some("stopped") => Some(SkipReason::Stopped),
        _ => (experiment.get("active") == Some(&Value::Bool(false))).then_some(SkipReason::Inactive),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn why(rule: &Value) -> Option<SkipReason> {
        let feature = json!({"defaultValue": 0, "rules": [rule]});
        let rules = FeatureRule::all_of("f", &feature, &Statuses::default()).unwrap();
        rules[0].step.as_ref().err().copied()
    }

    #[test]
    fn experiments_that_assign_nothing_are_skipped() {
        let experiment = |field: &str, value: Value| {
            let mut rule = json!({"key": "e", "variations": [0, 1]});
            rule[field] = value;
            rule
        };
        assert_eq!(
            why(&experiment("status", json!("draft"))),
            Some(SkipReason::Draft)
        );
        assert_eq!(
            why(&experiment("status", json!("stopped"))),
            Some(SkipReason::Stopped)
        );
        assert_eq!(
            why(&experiment("active", json!(false))),
            Some(SkipReason::Inactive)
        );
        assert_eq!(
            why(&experiment("variations", json!([1]))),
            Some(SkipReason::TooFewVariations)
        );
        assert_eq!(
            why(&experiment("variations", json!([]))),
            Some(SkipReason::TooFewVariations)
        );
        assert_eq!(why(&experiment("status", json!("running"))), None);
        assert_eq!(why(&experiment("active", json!(true))), None);
    }

    #[test]
    fn the_status_of_a_forced_value_is_ignored() {
        assert_eq!(why(&json!({"force": 1, "status": "draft"})), None);
    }
}
