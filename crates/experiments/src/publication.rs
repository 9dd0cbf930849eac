//! The public part of a features document, for pages hosted elsewhere: the fields that GrowthBook's SDKs need, without
//! descriptions and other notes.

use std::collections::HashMap;

use growthbook_rust::payload::{PayloadFilters, ReducePayloadOptions, reduce_payload};
use protocol::Features;
use protocol::ids::sha256_hex;
use serde_json::{Map, Value, json};

use super::rule::FeatureRule;

/// The fields of a rule that an SDK reads.
const RULE_FIELDS: [&str; 21] = [
    "id",
    "key",
    "condition",
    "parentConditions",
    "coverage",
    "force",
    "variations",
    "weights",
    "hashAttribute",
    "fallbackAttribute",
    "hashVersion",
    "namespace",
    "ranges",
    "range",
    "meta",
    "filters",
    "seed",
    "phase",
    "bucketVersion",
    "minBucketVersion",
    "disableStickyBucketing",
];
/// The tag of the eight experiments while a document is reduced.
const FORM: &str = "form";
/// The etag is this many characters of the digest.
const ETAG_CHARACTERS: usize = 32;

/// The public form of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// JSON, in the format of GrowthBook's API.
    pub body: String,
    /// In quotes, ready for the header.
    pub etag: String,
}

impl Published {
    /// An encrypted document stays encrypted. Of any other document these parts are public: the eight experiments, the
    /// features that they depend on, and the saved groups that they name. Experiments that assign nothing are left out.
    pub(super) fn of(
        document: &Value,
        features: &Map<String, Value>,
        rules: &HashMap<String, Vec<FeatureRule>>,
        saved_groups: &Value,
    ) -> Self {
        let mut out = json!({ "status": 200 });
        if document.get("encryptedFeatures").is_some() {
            for field in ["encryptedFeatures", "encryptedSavedGroups"] {
                if let Some(sealed) = document.get(field).filter(|sealed| sealed.is_string()) {
                    out[field] = sealed.clone();
                }
            }
        } else {
            let mut reduced = form_features(features, rules, saved_groups);
            out["features"] = reduced["features"].take();
            if reduced["savedGroups"]
                .as_object()
                .is_some_and(|groups| !groups.is_empty())
            {
                out["savedGroups"] = reduced["savedGroups"].take();
            }
        }
        if let Some(date) = document.get("dateUpdated").filter(|date| date.is_string()) {
            out["dateUpdated"] = date.clone();
        }
        let body = out.to_string();
        let etag = format!("\"{}\"", &sha256_hex(body.as_bytes())[..ETAG_CHARACTERS]);
        Self { body, etag }
    }
}

/// The eight experiments with the features that they depend on, and the saved groups that these name.
fn form_features(
    features: &Map<String, Value>,
    rules: &HashMap<String, Vec<FeatureRule>>,
    saved_groups: &Value,
) -> Value {
    let public = features.iter().map(|(name, feature)| {
        let active = rules
            .get(name)
            .into_iter()
            .flatten()
            .filter(|rule| rule.step.is_ok());
        let shown: Vec<Value> = active.map(|rule| public_rule(&rule.written)).collect();
        let mut public = json!({});
        if let Some(default) = feature.get("defaultValue") {
            public["defaultValue"] = default.clone();
        }
        if !shown.is_empty() {
            public["rules"] = shown.into();
        }
        if Features::NAMES.contains(&name.as_str()) {
            public["metadata"] = json!({ "tags": [FORM] });
        }
        (name.clone(), public)
    });
    let payload = json!({
        "features": public.collect::<Map<String, Value>>(),
        "savedGroups": saved_groups,
    });
    let options = ReducePayloadOptions {
        include: PayloadFilters {
            tags: Some(vec![FORM.into()]),
            ..PayloadFilters::default()
        },
        ..ReducePayloadOptions::default()
    };
    let mut reduced = reduce_payload(&payload, &json!({}), &options);
    let features = reduced["features"].as_object_mut().into_iter().flatten();
    for fields in features.filter_map(|(_, feature)| feature.as_object_mut()) {
        fields.remove("metadata");
    }
    reduced
}

/// A variation keeps its key, but not its name.
fn public_rule(written: &Value) -> Value {
    let fields = RULE_FIELDS.iter().filter_map(|field| {
        let mut value = written.get(*field)?.clone();
        if *field == "meta" {
            for variation in value.as_array_mut().into_iter().flatten() {
                if let Some(fields) = variation.as_object_mut() {
                    fields.retain(|name, _| name == "key" || name == "passthrough");
                }
            }
        }
        Some(((*field).to_owned(), value))
    });
    Value::Object(fields.collect())
}

#[cfg(test)]
mod tests;
