//! Splits a feature into rules that can be evaluated one by one, and marks the experiments that assign nothing.

use std::collections::HashMap;

use growthbook_rust::dto::{GrowthBookFeature, GrowthBookFeatureRule, GrowthBookFeatureRuleKind};
use serde_json::Value;

/// Why an experiment assigns nothing, as a sentence (docs/experiments.md#the-features-document).
pub(super) type SkipReason = &'static str;

/// A rule of a feature.
#[derive(Debug)]
pub(super) struct FeatureRule {
    /// The rule as the document has it.
    pub(super) written: Value,
    /// The feature with only this rule, or why the rule is skipped.
    pub(super) step: Result<GrowthBookFeature, SkipReason>,
}

/// The experiments in a document's own list that assign nothing, by their keys.
pub(super) type InactiveExperiments = HashMap<String, SkipReason>;

/// Reads the `experiments` of a document.
pub(super) fn inactive_experiments(experiments: &Value) -> InactiveExperiments {
    let listed = experiments.as_array().into_iter().flatten();
    let inactive =
        listed.filter_map(|experiment| Some((key(experiment)?.to_owned(), why_inactive(experiment)?)));
    inactive.collect()
}

impl FeatureRule {
    /// The rules of `feature`, which has this name, in the document's order.
    pub(super) fn all_of(
        name: &str,
        feature: &Value,
        inactive: &InactiveExperiments,
    ) -> Result<Vec<Self>, serde_json::Error> {
        // Parsing the whole feature refuses JSON that is not a feature.
        let read: GrowthBookFeature = serde_json::from_value(feature.clone())?;
        let written = feature["rules"].as_array().into_iter().flatten();
        let split = |(written, rule): (&Value, GrowthBookFeatureRule)| Self {
            step: match skip_reason(name, written, &rule, inactive) {
                Some(why) => Err(why),
                None => Ok(GrowthBookFeature {
                    default_value: None,
                    rules: Some(vec![rule]),
                }),
            },
            written: written.clone(),
        };
        Ok(written.zip(read.rules.unwrap_or_default()).map(split).collect())
    }

    /// The experiment's own key, or the name of its feature.
    pub(super) fn experiment_key<'a>(&'a self, feature: &'a str) -> &'a str {
        self.key().unwrap_or(feature)
    }

    /// The experiment's own key.
    pub(super) fn key(&self) -> Option<&str> {
        key(&self.written)
    }
}

fn key(rule: &Value) -> Option<&str> {
    rule["key"].as_str().filter(|key| !key.is_empty())
}

fn skip_reason(
    name: &str,
    written: &Value,
    rule: &GrowthBookFeatureRule,
    inactive: &InactiveExperiments,
) -> Option<SkipReason> {
    let GrowthBookFeatureRuleKind::Experiment(experiment) = &rule.kind else {
        return None;
    };
    let has_too_few = experiment.variations.len() < 2;
    why_inactive(written)
        .or_else(|| inactive.get(key(written).unwrap_or(name)).copied())
        .or(has_too_few.then_some("the experiment has fewer than two variations"))
}

fn why_inactive(experiment: &Value) -> Option<SkipReason> {
    match experiment["status"].as_str() {
        Some("draft") => Some("the experiment is a draft"),
        Some("stopped") => Some("the experiment is stopped"),
        _ => (experiment["active"] == false).then_some("the experiment is not active"),
    }
}

#[cfg(test)]
mod tests;
