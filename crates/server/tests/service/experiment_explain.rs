//! `cardform experiment explain`: the values that a shopper gets, the reasons, and the one-line errors.

use serde_json::{Value, json};

use crate::process::run;

const SAVE: &str = "enable-save-payment-methods";

#[test]
fn experiment_explain_shows_the_values_and_their_reasons() {
    let dir = tempfile::tempdir().unwrap();
    let features = json!({"features": {SAVE: {"defaultValue": false, "rules": [
        {"condition": {"country": "TH"}, "force": true},
        {"key": "save-cards", "variations": [false, true], "weights": [0, 1], "meta": [{"key": "off"}, {"key": "on"}]},
    ]}}});
    std::fs::write(dir.path().join("features.json"), features.to_string()).unwrap();
    let explain = |more: &[&str]| {
        let asked = [
            "experiment",
            "explain",
            "--features",
            "features.json",
            "--attributes",
        ];
        run(dir.path(), &[&asked[..], more].concat())
    };
    let answer = explain(&[r#"{"id":"1"}"#, "--json"]);
    assert!(answer.status.success(), "{answer:?}");
    let explained: Value = serde_json::from_slice(&answer.stdout).unwrap();
    let rows = explained.as_array().unwrap();
    assert_eq!(rows.len(), 8);
    let saving = rows.iter().find(|row| row["feature"] == SAVE).unwrap();
    assert_eq!(
        (
            &saving["value"],
            &saving["variation"],
            &saving["variation_key"],
            &saving["experiment"]
        ),
        (&json!(true), &json!(1), &json!("on"), &json!("save-cards"))
    );
    assert_eq!(
        saving["passed_over"],
        json!([{"rule": 1, "why": "its condition is not met"}])
    );
    let text = String::from_utf8(explain(&[r#"{"country":"TH"}"#]).stdout).unwrap();
    let paragraph = format!(
        "{SAVE}\n  value      true\n  variation  none: not in an experiment\n  why        rule 1 forces it\n"
    );
    assert!(text.contains(&paragraph), "{text}");
}

#[test]
fn experiment_explain_refuses_bad_input_in_one_line() {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("good.json", r#"{"features": {}}"#),
        ("broken.json", "{"),
        ("none.json", "[]"),
        ("sealed.json", r#"{"encryptedFeatures": "a.b"}"#),
    ] {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    for (file, attributes, complaint) in [
        ("missing.json", "{}", "cannot read missing.json"),
        (
            "broken.json",
            "{}",
            "broken.json: the features document is not JSON (line 1, column 1)",
        ),
        (
            "none.json",
            "{}",
            "none.json: the features document has no features",
        ),
        ("sealed.json", "{}", "sealed.json: Failed to decrypt features"),
        ("good.json", "{", "--attributes is not JSON (line 1, column 1)"),
        ("good.json", "[]", "--attributes must be a JSON object"),
    ] {
        let answer = run(
            dir.path(),
            &[
                "experiment",
                "explain",
                "--features",
                file,
                "--attributes",
                attributes,
            ],
        );
        let said = String::from_utf8(answer.stderr).unwrap();
        assert_eq!(answer.status.code(), Some(2), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(said.starts_with(&format!("cardform: {complaint}")), "{said}");
    }
}
