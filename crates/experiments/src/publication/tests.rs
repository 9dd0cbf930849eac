use super::super::Document;
use super::*;

const SAVE: &str = "enable-save-payment-methods";

fn published(document: &Value) -> Value {
    let document = Document::read(document.to_string().as_bytes(), None).unwrap();
    serde_json::from_str(&document.published().body).unwrap()
}

#[test]
fn only_rules_that_decide_the_eight_features_are_published() {
    let got = published(&json!({
        "features": {
            SAVE: {"defaultValue": false, "project": "secret", "rules": [
                {"id": "r1", "condition": {"$savedGroup": {"id": "g1"}}, "force": true, "description": "for Ana"},
                {"key": "soon", "status": "draft", "variations": [1, 2]},
                {"key": "e", "name": "Secret launch", "variations": [true, false],
                 "parentConditions": [{"id": "parent", "condition": {"value": true}}],
                 "meta": [{"key": "a", "name": "Secret"}, {"key": "b"}]},
            ]},
            "parent": {"defaultValue": true},
            "another": {"defaultValue": "secret"},
        },
        "savedGroups": {
            "g1": {"type": "condition", "condition": {"$savedGroup": {"id": "g2"}}},
            "g2": {"type": "list", "attributeKey": "id", "values": ["c1"]},
            "g3": {"type": "list", "attributeKey": "id", "values": ["secret"]},
        },
        "dateUpdated": "2026-07-15T12:00:00Z", "organization": "secret",
    }));
    assert_eq!(
        got,
        json!({
            "status": 200,
            "features": {
                SAVE: {"defaultValue": false, "rules": [
                    {"id": "r1", "condition": {"$savedGroup": {"id": "g1"}}, "force": true},
                    {"key": "e", "variations": [true, false],
                     "parentConditions": [{"id": "parent", "condition": {"value": true}}],
                     "meta": [{"key": "a"}, {"key": "b"}]},
                ]},
                "parent": {"defaultValue": true},
            },
            "savedGroups": {
                "g1": {"type": "condition", "condition": {"$savedGroup": {"id": "g2"}}},
                "g2": {"type": "list", "attributeKey": "id", "values": ["c1"]},
            },
            "dateUpdated": "2026-07-15T12:00:00Z",
        })
    );
}

#[test]
fn an_encrypted_document_is_published_encrypted() {
    let sealed = "m5ylFM6ndyOJA2OPadubkw==.Uu7ViqgKEt/dWvCyhI46q088PkAEJbnXKf3KPZjf9IEQQ+A8fojNoxw4wIbPX3aj";
    let document = json!({ "encryptedFeatures": sealed, "dateUpdated": 7 }).to_string();
    let key = super::super::DecryptionKey::from_base64("Zvwv/+uhpFDznZ6SX28Yjg==");
    let document = Document::read(document.as_bytes(), key.as_ref()).unwrap();
    let got: Value = serde_json::from_str(&document.published().body).unwrap();
    assert_eq!(got, json!({ "status": 200, "encryptedFeatures": sealed }));
}

#[test]
fn each_document_has_its_own_etag() {
    let etag = |value: bool| {
        let document = json!({"features": {SAVE: {"defaultValue": value}}}).to_string();
        Document::read(document.as_bytes(), None)
            .unwrap()
            .published()
            .etag
            .clone()
    };
    assert_eq!(etag(true), etag(true));
    assert_ne!(etag(true), etag(false));
    assert_eq!(etag(true).len(), ETAG_CHARACTERS + 2);
}
