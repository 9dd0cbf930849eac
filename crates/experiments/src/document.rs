//! A features document in GrowthBook's format. It is read and checked once, so that each evaluation is fast.

use std::collections::HashMap;

use growthbook_rust::dto::GrowthBookFeature;
use growthbook_rust::model_public::SavedGroup;
use protocol::Features;
use serde_json::{Map, Value, json};
use thiserror::Error;

use super::decryption::{DecryptionFailed, DecryptionKey};
use super::outcome::Assigned;
use super::publication::Published;
use super::rule::{FeatureRule, Statuses};

/// The largest document that is read, in bytes. GrowthBook's own have a few kilobytes.
pub const DOCUMENT_BYTES_MAX: usize = 4 * 1024 * 1024;
/// How many features may depend on each other in a chain. Each of them is evaluated with the first.
const PREREQUISITES_DEEP_MAX: usize = 16;

/// A features document.
#[derive(Debug)]
pub struct Document {
    /// Every feature by name, for features that depend on others.
    pub(super) features: HashMap<String, GrowthBookFeature>,
    /// The rules of each feature, split so that each can be evaluated alone.
    pub(super) rules: HashMap<String, Vec<FeatureRule>>,
    pub(super) saved_groups: HashMap<String, SavedGroup>,
    pub(super) forced_variations: Option<HashMap<String, i64>>,
    published: Published,
    /// What every shopper gets, when none of the eight experiments has a rule.
    pub(super) for_everybody: Option<Assigned>,
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
    /// A feature that is not in GrowthBook's format.
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
        let statuses = &Statuses::of(&document["experiments"]);
        let mut rules = HashMap::new();
        let mut whole = HashMap::new();
        for (name, feature) in features {
            let cut = FeatureRule::all_of(name, feature, statuses)
                .map_err(|_| DocumentError::Feature(name.clone()))?;
            let steps = cut.iter().filter_map(|rule| rule.step.as_ref().ok());
            let all = GrowthBookFeature {
                default_value: feature.get("defaultValue").cloned(),
                rules: Some(
                    steps
                        .flat_map(|step| step.rules.clone().unwrap_or_default())
                        .collect(),
                ),
            };
            whole.insert(name.clone(), all);
            rules.insert(name.clone(), cut);
        }
        bounded_depth(&whole)?;
        let published = Published::of(document, features, &rules, saved_groups);
        let groups = saved_groups.as_object().into_iter().flatten();
        let mut document = Self {
            features: whole,
            rules,
            saved_groups: groups
                .map(|(id, group)| (id.clone(), SavedGroup::from(group)))
                .collect(),
            forced_variations,
            published,
            for_everybody: None,
        };
        document.for_everybody = document.assign_without_attributes();
        Ok(document)
    }

    /// The part of it that is public.
    pub fn published(&self) -> &Published {
        &self.published
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
    if !fields.is_empty() && fields.values().all(is_feature) {
        document.clone()
    } else {
        Value::Null
    }
}

fn opened(sealed: &str, key: Option<&DecryptionKey>) -> Result<Value, DecryptionFailed> {
    let text = key.ok_or(DecryptionFailed)?.open(sealed)?;
    serde_json::from_slice(&text).map_err(|_| DecryptionFailed)
}

/// Refuses a chain of features that is too long, since all of them are evaluated together. A cycle is allowed: its
/// evaluation ends by itself.
fn bounded_depth(features: &HashMap<String, GrowthBookFeature>) -> Result<(), DocumentError> {
    fn depth<'a>(
        name: &'a str,
        features: &'a HashMap<String, GrowthBookFeature>,
        known: &mut HashMap<&'a str, usize>,
        path: usize,
    ) -> usize {
        if let Some(depth) = known.get(name) {
            return *depth;
        }
        if path > PREREQUISITES_DEEP_MAX {
            return path;
        }
        // A feature that is reached again from itself is a cycle, and counts once.
        known.insert(name, 0);
        let rules = features.get(name).and_then(|feature| feature.rules.as_deref());
        let parents = rules
            .into_iter()
            .flatten()
            .flat_map(|rule| rule.parent_conditions.iter().flatten());
        let deepest = parents
            .map(|parent| 1 + depth(&parent.id, features, known, path + 1))
            .max();
        let deepest = deepest.unwrap_or(0);
        known.insert(name, deepest);
        deepest
    }
    let mut known = HashMap::new();
    match features
        .keys()
        .find(|name| depth(name, features, &mut known, 0) > PREREQUISITES_DEEP_MAX)
    {
        Some(name) => Err(DocumentError::TooDeep(name.clone())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::rule::SkipReason;
    use super::*;

    fn read(document: &Value) -> Result<Document, DocumentError> {
        Document::read(document.to_string().as_bytes(), None)
    }

    #[test]
    fn an_invalid_document_is_refused_with_its_reason() {
        let error = Document::read(b"{\n \"features\": {,", None).unwrap_err();
        assert_eq!(error, DocumentError::NotJson { line: 2, column: 15 });
        for document in [
            json!([]),
            json!(7),
            json!({}),
            json!({"status": 400, "error": "no such key"}),
            json!({"features": []}),
        ] {
            assert_eq!(
                read(&document).unwrap_err(),
                DocumentError::NoFeatures,
                "{document}"
            );
        }
        for feature in [
            json!(7),
            json!({"rules": 7}),
            json!({"rules": [{"variations": 7}]}),
            json!({"rules": ["x"]}),
        ] {
            let error = read(&json!({"features": {"a": {}, "f": feature}})).unwrap_err();
            assert_eq!(error, DocumentError::Feature("f".into()), "{feature}");
        }
        let long = vec![b' '; DOCUMENT_BYTES_MAX + 1];
        assert_eq!(Document::read(&long, None).unwrap_err(), DocumentError::TooLong);
    }

    #[test]
    fn a_document_may_be_only_its_features() {
        assert!(read(&json!({"f": {"defaultValue": 1}, "g": {"rules": []}})).is_ok());
    }

    #[test]
    fn too_long_a_chain_of_features_is_refused() {
        let chain = |length: usize, last: &str| {
            let feature = |number: usize| {
                let parent = if number + 1 == length {
                    last.to_owned()
                } else {
                    format!("f{}", number + 1)
                };
                let rule =
                    json!({"parentConditions": [{"id": parent, "condition": {"value": true}}], "force": 1});
                (format!("f{number}"), json!({"defaultValue": 0, "rules": [rule]}))
            };
            json!({"features": (0..length).map(feature).collect::<Map<String, Value>>()})
        };
        assert!(read(&chain(10, "f0")).is_ok());
        assert!(read(&chain(PREREQUISITES_DEEP_MAX, "none")).is_ok());
        let error = read(&chain(5_000, "none")).unwrap_err();
        assert!(matches!(error, DocumentError::TooDeep(_)), "{error}");
    }

    #[test]
    fn the_shipped_document_has_all_eight_features() {
        assert!(Document::shipped().missing().is_empty());
        assert_eq!(read(&json!({"features": {}})).unwrap().missing().len(), 8);
    }

    #[test]
    fn an_experiments_status_may_be_outside_of_the_features() {
        let document = read(&json!({
            "features": {"f": {"defaultValue": 0, "rules": [{"key": "e", "variations": [0, 1]}]}},
            "experiments": [{"key": "e", "status": "stopped"}],
        }));
        assert_eq!(
            document.unwrap().rules["f"][0].step.as_ref().unwrap_err(),
            &SkipReason::Stopped
        );
    }
}
