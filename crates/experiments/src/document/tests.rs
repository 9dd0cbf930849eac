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
        let own = Features::NAMES[0];
        let error = read(&json!({"features": {"a": {}, own: feature}})).unwrap_err();
        assert_eq!(error, DocumentError::Feature(own.into()), "{feature}");
        // A feature of another team spoils only itself.
        let document = read(&json!({"features": {own: {"defaultValue": true}, "theirs": feature}})).unwrap();
        assert!(document.has_experiment(own) && !document.has_experiment("theirs"));
    }
    let long = vec![b' '; DOCUMENT_BYTES_MAX + 1];
    assert_eq!(Document::read(&long, None).unwrap_err(), DocumentError::TooLong);
}

#[test]
fn a_regular_expression_that_cannot_be_run_is_logged() {
    let with = |feature: &str, pattern: &str| {
        let rule = json!({"force": 1, "condition": {"$or": [{"country": {"$regex": pattern}}]}});
        read(&json!({"features": {feature: {"defaultValue": 0, "rules": [rule]}}})).unwrap();
    };
    let lines = crate::tests::logged(|| {
        with("fine", "^ID|TH$");
        with("looks-ahead", "^(?=ID)");
    });
    assert!(
        lines.contains("looks-ahead") && !lines.contains("fine"),
        "{lines}"
    );
}

#[test]
fn a_document_may_be_only_its_features() {
    for others in [json!({"rules": []}), json!(7)] {
        let document = read(&json!({"f": {"defaultValue": 1}, "g": others})).unwrap();
        assert!(document.has_experiment("f"));
    }
}

#[test]
fn a_too_long_chain_of_features_is_refused() {
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
        &"the experiment is stopped"
    );
}
