//! Runs GrowthBook's public test cases, which come with its crate, through our evaluation. The cases are read,
//! evaluated and explained like an operator's document.
//!
//! Run: `feature`, `evalCondition`, `run`, `decrypt`, and all of `savedGroupReferencesV2`. Left out:
//! - `hash`, `chooseVariation`, `getBucketRange`, `getEqualWeights`, `inNamespace`: steps of an evaluation, which `feature`
//!   and `run` test, too;
//! - `getQueryStringOverride`, `urlRedirect`: here a link cannot choose a variation, and an experiment cannot redirect;
//! - `stickyBucket`: assignments are not stored, so that all nodes decide alike;
//! - `pruneCondition`, `reducePayload`: documents are not reduced for remote evaluation;
//! - `contextualBandit`, `savedGroupReferencesRemote`: the crate does not have them.

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use experiments::{Attributes, DecryptionKey, Document, Explanation};
use serde_json::{Map, Value, json};

/// Fields of a case that a features document does not have.
const NOT_OF_A_DOCUMENT: [&str; 4] = ["enabled", "qaMode", "url", "contextualBandits"];
/// In a document, a forced experiment is a rule that forces a value.
const NOT_OF_A_RULE: [&str; 1] = ["force"];
/// In JavaScript filters replace a namespace; the crate uses both.
const KNOWN_TO_DIFFER: [&str; 1] = ["Filtered, ignore namespace"];

static CASES: LazyLock<Value> = LazyLock::new(|| {
    let rustc = Command::new("rustc").arg("-vV").output().unwrap();
    let rustc = String::from_utf8(rustc.stdout).unwrap();
    let host = rustc
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .unwrap();
    let metadata = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--offline",
            "--filter-platform",
            host,
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&metadata.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let growthbook = packages
        .iter()
        .find(|package| package["name"] == "growthbook-rust")
        .unwrap();
    let folder = Path::new(growthbook["manifest_path"].as_str().unwrap())
        .parent()
        .unwrap();
    let cases = std::fs::read(folder.join("tests/cases/cases.json")).unwrap();
    serde_json::from_slice(&cases).unwrap()
});

fn cases(group: &'static str) -> &'static [Value] {
    CASES.pointer(group).unwrap().as_array().unwrap()
}

fn has(object: &Value, names: &[&str]) -> bool {
    names.iter().any(|name| object.get(name).is_some())
}

/// The value of `feature` for a shopper.
fn explain(document: &Value, attributes: &Value, feature: &str) -> Explanation {
    let document = Document::read(document.to_string().as_bytes(), None).unwrap();
    let attributes = match attributes {
        Value::Null => json!({}),
        attributes => attributes.clone(),
    };
    let attributes = Attributes::from_json(attributes).unwrap();
    let outcome = document.evaluate(feature, &attributes);
    let explained = document.explain(&attributes);
    match explained
        .into_iter()
        .find(|explanation| explanation.feature == feature)
    {
        Some(explanation) => {
            assert_eq!(
                (&explanation.value, explanation.on),
                (&outcome.result.value, outcome.result.on)
            );
            explanation
        }
        // A feature that neither the document nor the page has is not listed.
        None => Explanation {
            feature: feature.to_owned(),
            value: outcome.result.value,
            on: outcome.result.on,
            variation: None,
            variation_key: None,
            experiment: None,
            source: "unknown_feature".to_owned(),
            rule: None,
            rule_id: None,
            why: String::new(),
            passed_over: Vec::new(),
        },
    }
}

/// A document with a case's context, and `more` as a feature.
fn document(context: &Value, more: Option<(&str, Value)>) -> Value {
    let mut features: Map<String, Value> = context["features"].as_object().cloned().unwrap_or_default();
    features.extend(more.map(|(name, feature)| (name.to_owned(), feature)));
    json!({
        "features": features, "savedGroups": context["savedGroups"], "forcedVariations": context["forcedVariations"],
    })
}

fn run_features(group: &'static str) -> usize {
    let reached = cases(group)
        .iter()
        .filter(|case| !has(&case[1], &NOT_OF_A_DOCUMENT));
    reached
        .map(|case| {
            let expected = &case[3];
            let got = explain(&document(&case[1], None), &case[1]["attributes"], case[2].as_str().unwrap());
            let source = match got.source.as_str() {
                "unknown_feature" => "unknownFeature",
                "default_value" => "defaultValue",
                "cyclic_prerequisite" => "cyclicPrerequisite",
                other => other,
            };
            let rule_id = got.rule_id.unwrap_or_default();
            let told = json!({"value": got.value, "on": got.on, "off": !got.on, "source": source, "ruleId": rule_id});
            for (name, value) in told.as_object().unwrap() {
                assert_eq!(value, &expected[name], "{}: {name}", case[0]);
            }
            if let Some(result) = expected.get("experimentResult") {
                let is_in = result["inExperiment"] == true;
                assert_eq!(got.variation.is_some(), is_in, "{}", case[0]);
                if is_in {
                    assert_eq!(json!(got.variation), result["variationId"], "{}", case[0]);
                    assert_eq!(json!(got.variation_key), result["key"], "{}", case[0]);
                }
            }
        })
        .count()
}

/// Each condition is that of a rule which forces the value `true`.
fn run_conditions(group: &'static str) -> usize {
    for case in cases(group) {
        let feature = json!({"defaultValue": false, "rules": [{"condition": case[1], "force": true}]});
        let context = json!({"savedGroups": case[4]});
        let got = explain(&document(&context, Some(("f", feature))), &case[2], "f");
        assert_eq!(json!(got.on), case[3], "{}", case[0]);
    }
    cases(group).len()
}

/// Each experiment is the only rule of a feature, whose default value is the control.
fn run_experiments(group: &'static str) -> usize {
    let reached = cases(group).iter().filter(|case| {
        !has(&case[1], &NOT_OF_A_DOCUMENT)
            && !has(&case[2], &NOT_OF_A_RULE)
            && !KNOWN_TO_DIFFER.iter().any(|name| case[0] == *name)
    });
    reached
        .map(|case| {
            let experiment = &case[2];
            let name = experiment["key"].as_str().unwrap();
            let feature = json!({"defaultValue": experiment["variations"][0], "rules": [experiment]});
            let got = explain(
                &document(&case[1], Some((name, feature))),
                &case[1]["attributes"],
                name,
            );
            assert_eq!(got.value, case[3], "{}", case[0]);
            assert_eq!(json!(got.variation.is_some()), case[4], "{}", case[0]);
        })
        .count()
}

#[test]
fn every_feature_has_the_same_value_and_source_as_in_javascript() {
    assert_eq!(run_features("/feature"), 57);
    assert_eq!(run_features("/savedGroupReferencesV2/feature"), 4);
}

#[test]
fn every_condition_matches_as_in_javascript() {
    assert_eq!(run_conditions("/evalCondition"), 583);
    assert_eq!(run_conditions("/savedGroupReferencesV2/evalCondition"), 56);
}

#[test]
fn every_experiment_assigns_as_in_javascript() {
    assert_eq!(run_experiments("/run"), 78);
    assert_eq!(run_experiments("/savedGroupReferencesV2/run"), 4);
}

#[test]
fn every_encrypted_text_is_opened_or_refused_as_in_javascript() {
    for case in cases("/decrypt") {
        let (sealed, key) = (case[1].as_str().unwrap(), case[2].as_str().unwrap());
        let opened = DecryptionKey::from_base64(key).and_then(|key| key.open(sealed).ok());
        let opened = opened.and_then(|bytes| String::from_utf8(bytes).ok());
        assert_eq!(json!(opened), case[3], "{}", case[0]);
    }
}
