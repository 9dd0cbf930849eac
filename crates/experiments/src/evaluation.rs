//! Evaluates a document for one shopper: one feature with the reason, or the eight experiments together.

use growthbook_rust::dto::GrowthBookFeature;
use growthbook_rust::model_public::FeatureResult;
use protocol::{Assignment, Features};
use rules::{Brand, RuleExperiments};
use serde_json::Value;

use super::attributes::Attributes;
use super::brands::available_brands;
use super::document::Document;
use super::rule::FeatureRule;

/// The value of one feature for a shopper.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The value, whether the feature is on, and what decided.
    pub result: FeatureResult,
    /// The number, from 0, of the rule that decided; `None` if no rule matched.
    pub rule: Option<usize>,
    /// The shopper's experiment, if an experiment decided.
    pub assignment: Option<Assignment>,
}

/// The eight experiments for one page.
#[derive(Debug, Clone, PartialEq)]
pub struct Assigned {
    /// Which of them are on.
    pub features: Features,
    /// The experiments that the shopper takes part in.
    pub experiments: Vec<Assignment>,
    /// The brands that the form shows before it has detected one.
    pub available_brands: Vec<Brand>,
}

impl Document {
    /// The value of the feature `name` for a shopper with these attributes. The first rule that matches decides.
    pub fn evaluate(&self, name: &str, attributes: &Attributes) -> Outcome {
        for (number, rule) in self.rules_of(name).iter().enumerate() {
            let Ok(step) = &rule.step else { continue };
            let result = self.step(name, step, attributes);
            // The default value of a step says that its rule did not match.
            if result.source != "defaultValue" {
                return Outcome {
                    assignment: assignment(name, rule.experiment_key(name), &result),
                    result,
                    rule: Some(number),
                };
            }
        }
        let result = match self.features.get(name) {
            Some(feature) => FeatureResult::from_default_value(feature.default_value.clone()),
            None => FeatureResult::unknown_feature(),
        };
        Outcome {
            result,
            rule: None,
            assignment: None,
        }
    }

    /// The rules of the feature `name`; none if the document does not have it.
    pub(super) fn rules_of(&self, name: &str) -> &[FeatureRule] {
        self.rules.get(name).map(Vec::as_slice).unwrap_or_default()
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
        match &self.for_all_shoppers {
            Some(assigned) => assigned.clone(),
            None => self.assign_by_rules(&attributes()),
        }
    }

    /// The eight experiments if none of them has a rule; then they are the same for every shopper.
    pub(super) fn assign_without_attributes(&self) -> Option<Assigned> {
        let has_rules = Features::NAMES.iter().any(|name| !self.rules_of(name).is_empty());
        (!has_rules).then(|| self.assign_by_rules(&Attributes::of_cookie_id("")))
    }

    fn assign_by_rules(&self, attributes: &Attributes) -> Assigned {
        let mut assigned = Assigned {
            features: Features::default(),
            experiments: Vec::new(),
            available_brands: available_brands(&Value::Null),
        };
        for name in Features::NAMES {
            let outcome = self.evaluate(name, attributes);
            assigned.features.set(name, outcome.result.on);
            if name == "card-form-card-brand-icon-config" && outcome.result.on {
                assigned.available_brands = available_brands(&outcome.result.value);
            }
            assigned.experiments.extend(outcome.assignment);
        }
        assigned
    }

    /// Which checks this shopper's card must pass: the same as on the page. A check whose experiment has rules is off
    /// when there is no cookie id, because the page's variations are then unknown.
    pub fn validation(&self, attributes: &Attributes) -> RuleExperiments {
        let is_on = |name: &str| {
            (self.rules_of(name).is_empty() || attributes.has("id"))
                && self.evaluate(name, attributes).result.on
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
mod tests;
