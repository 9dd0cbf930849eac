//! A features document in GrowthBook's format. It is read and checked once, so that each evaluation is fast.

use std::collections::{HashMap, HashSet};

use growthbook_rust::dto::GrowthBookFeature;
use growthbook_rust::model_public::SavedGroup;
use protocol::Features;
use regex::Regex;
use serde_json::{Map, Value, json};
use thiserror::Error;

use super::decryption::{DecryptionFailed, DecryptionKey};
use super::evaluation::Assigned;
use super::publication::Published;
use super::rule::{FeatureRule, inactive_experiments};

/// The largest document that is read, in bytes. GrowthBook's own have a few kilobytes.
pub const DOCUMENT_BYTES_MAX: usize = 4 * 1024 * 1024;
/// How many features may depend on each other in a chain. Each of them is evaluated with the first.
const PREREQUISITES_DEEP_MAX: usize = 16;

/// The operators whose value is a regular expression.
const PATTERNS: [&str; 4] = ["$regex", "$regexi", "$notRegex", "$notRegexi"];

/// A features document.
#[derive(Debug)]
pub struct Document {
    /// Every feature by name, for features that depend on others.
    pub(super) features: HashMap<String, GrowthBookFeature>,
    /// The rules of each feature, split so that each can be evaluated alone.
    pub(super) rules: HashMap<String, Vec<FeatureRule>>,
    pub(super) saved_groups: HashMap<String, SavedGroup>,
    pub(super) forced_variations: Option<HashMap<String, i64>>,
    /// The keys of all rules.
    keys: HashSet<String>,
    published: Published,
    /// The experiments of every shopper, if none of the eight has a rule.
    pub(super) for_all_shoppers: Option<Assigned>,
}

/// Why a document cannot be used. The text names a feature at most, and nothing else of the document.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DocumentError {
    /// Longer than [`DOCUMENT_BYTES_MAX`].
    #[error("the features document is too long")]
    TooLong,
    /// Not JSON.
    #[error("the features document is not JSON (line {line}, column {column})")]
    NotJson {
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
    },
    /// JSON, but without features.
    #[error("the features document has no features")]
    NoFeatures,
    /// Its features are encrypted, and the key is missing or wrong, or the text is not in GrowthBook's format.
    #[error("Failed to decrypt features")]
    Decryption,
    /// The same for its saved groups.
    #[error("Failed to decrypt saved groups")]
    SavedGroupsDecryption,
    /// One of the form's own features is not in GrowthBook's format.
    #[error("the feature {0} of the features document is unusable")]
    Feature(String),
    /// A chain of features that depend on each other is too long.
    #[error("the feature {0} depends on too many others, one after the other")]
    TooDeep(String),
}

impl Document {
    /// The document of a service whose operator has set none: every experiment is on
    /// (docs/experiments.md#the-features-document).
    pub fn shipped() -> Self {
        let on = |name: &&str| ((*name).to_owned(), json!({ "defaultValue": true }));
        let features: Map<String, Value> = Features::NAMES.iter().map(on).collect();
        Self::of(&Value::Null, &features, &Value::Null, None).expect("the shipped features")
    }

    /// Reads a document; `key` decrypts an encrypted one.
    pub fn read(bytes: &[u8], key: Option<&DecryptionKey>) -> Result<Self, DocumentError> {
        if bytes.len() > DOCUMENT_BYTES_MAX {
            return Err(DocumentError::TooLong);
        }
        let document: Value = serde_json::from_slice(bytes).map_err(|error| DocumentError::NotJson {
            line: error.line(),
            column: error.column(),
        })?;
        let features = match document.get("encryptedFeatures").and_then(Value::as_str) {
            Some(sealed) => opened(sealed, key).map_err(|_| DocumentError::Decryption)?,
            None => plain_features(&document),
        };
        let features = features.as_object().ok_or(DocumentError::NoFeatures)?;
        let saved_groups = match document.get("encryptedSavedGroups").and_then(Value::as_str) {
            Some(sealed) => opened(sealed, key).map_err(|_| DocumentError::SavedGroupsDecryption)?,
            None => document["savedGroups"].clone(),
        };
        let forced = serde_json::from_value(document["forcedVariations"].clone()).unwrap_or_default();
        Self::of(&document, features, &saved_groups, forced)
    }

    fn of(
        document: &Value,
        features: &Map<String, Value>,
        saved_groups: &Value,
        forced_variations: Option<HashMap<String, i64>>,
    ) -> Result<Self, DocumentError> {
        let inactive = inactive_experiments(&document["experiments"]);
        let mut rules = HashMap::new();
        let mut whole = HashMap::new();
        for (name, feature) in features {
            let split = match FeatureRule::all_of(name, feature, &inactive) {
                Ok(split) => split,
                Err(_) if Features::NAMES.contains(&name.as_str()) => {
                    return Err(DocumentError::Feature(name.clone()));
                }
                // The document may have features of other teams.
                Err(_) => {
                    tracing::warn!(
                        feature = name,
                        "a feature of the features document is unusable and is left out"
                    );
                    continue;
                }
            };
            for rule in &split {
                log_unusable_patterns(name, &rule.written);
            }
            let steps = split.iter().filter_map(|rule| rule.step.as_ref().ok());
            let active = steps.flat_map(|step| step.rules.iter().flatten()).cloned();
            let feature = GrowthBookFeature {
                default_value: feature.get("defaultValue").cloned(),
                rules: Some(active.collect()),
            };
            whole.insert(name.clone(), feature);
            rules.insert(name.clone(), split);
        }
        bounded_depth(&whole)?;
        let published = Published::of(document, features, &rules, saved_groups);
        let written = rules.values().flatten();
        let keys = written.filter_map(FeatureRule::key).map(str::to_owned).collect();
        let groups = saved_groups.as_object().into_iter().flatten();
        let mut document = Self {
            features: whole,
            rules,
            saved_groups: groups
                .map(|(id, group)| (id.clone(), SavedGroup::from(group)))
                .collect(),
            forced_variations,
            keys,
            published,
            for_all_shoppers: None,
        };
        document.for_all_shoppers = document.assign_without_attributes();
        Ok(document)
    }

    /// The part of it that is public.
    pub fn published(&self) -> &Published {
        &self.published
    }

    /// Whether pages can report that they have seen this experiment: a rule has this key, or a feature has this name.
    pub fn has_experiment(&self, key: &str) -> bool {
        self.features.contains_key(key) || self.keys.contains(key)
    }

    /// Those of the eight experiments that the document does not have; they are off for every shopper.
    pub fn missing(&self) -> Vec<&'static str> {
        let absent = |name: &&&str| !self.features.contains_key(**name);
        Features::NAMES.iter().filter(absent).copied().collect()
    }
}

/// The features of a document that is not encrypted: GrowthBook's answer, or an object with only the features.
fn plain_features(document: &Value) -> Value {
    let Some(fields) = document.as_object() else {
        return Value::Null;
    };
    if let Some(features) = fields.get("features") {
        return features.clone();
    }
    let is_feature = |value: &Value| value.get("defaultValue").is_some() || value.get("rules").is_some();
    if fields.values().any(is_feature) {
        document.clone()
    } else {
        Value::Null
    }
}

/// Logs regular expressions that cannot be run here, such as those that look ahead: they match nothing.
fn log_unusable_patterns(feature: &str, written: &Value) {
    match written {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(pattern) if PATTERNS.contains(&name.as_str()) => {
                        if Regex::new(pattern).is_err() {
                            tracing::warn!(
                                feature,
                                "a regular expression of the features document cannot be run here and matches nothing"
                            );
                        }
                    }
                    value => log_unusable_patterns(feature, value),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| log_unusable_patterns(feature, item)),
        _ => {}
    }
}

fn opened(sealed: &str, key: Option<&DecryptionKey>) -> Result<Value, DecryptionFailed> {
    let text = key.ok_or(DecryptionFailed)?.open(sealed)?;
    serde_json::from_slice(&text).map_err(|_| DecryptionFailed)
}

/// Refuses a chain of features that is too long, because GrowthBook evaluates a feature together with all that it
/// depends on. A cycle is allowed, because its evaluation ends by itself.
fn bounded_depth(features: &HashMap<String, GrowthBookFeature>) -> Result<(), DocumentError> {
    let mut depths = HashMap::new();
    for name in features.keys() {
        if depth(name, features, &mut depths, 0) > PREREQUISITES_DEEP_MAX {
            return Err(DocumentError::TooDeep(name.clone()));
        }
    }
    Ok(())
}

/// How many features the feature `name` depends on, one after the other. `path` is the length of the chain that led to
/// it.
fn depth<'a>(
    name: &'a str,
    features: &'a HashMap<String, GrowthBookFeature>,
    depths: &mut HashMap<&'a str, usize>,
    path: usize,
) -> usize {
    if let Some(depth) = depths.get(name) {
        return *depth;
    }
    if path > PREREQUISITES_DEEP_MAX {
        return path;
    }
    // A feature that is reached again from itself is a cycle, and counts once.
    depths.insert(name, 0);
    let rules = features.get(name).and_then(|feature| feature.rules.as_ref());
    let parents = rules
        .into_iter()
        .flatten()
        .flat_map(|rule| rule.parent_conditions.iter().flatten());
    let deepest = parents
        .map(|parent| 1 + depth(&parent.id, features, depths, path + 1))
        .max()
        .unwrap_or(0);
    depths.insert(name, deepest);
    deepest
}

#[cfg(test)]
mod tests;
