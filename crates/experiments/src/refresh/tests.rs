use serde_json::json;
use tempfile::TempDir;

use super::super::Attributes;
use super::*;

const SAVE: &str = "enable-save-payment-methods";

/// A document that turns the saving of cards on or off.
fn saving(is_on: bool) -> String {
    json!({"features": {SAVE: {"defaultValue": is_on}}}).to_string()
}

fn settings(dir: &TempDir) -> FeaturesSettings {
    FeaturesSettings {
        source: Some(FeaturesSource::File(dir.path().join("features.json"))),
        key: None,
        interval: Duration::from_millis(5),
        copy: dir.path().join("copy.json"),
    }
}

fn write(dir: &TempDir, document: &str) {
    // Replaces the file in one step, so that half a document is never read.
    let new = dir.path().join("features.new");
    std::fs::write(&new, document).unwrap();
    std::fs::rename(new, dir.path().join("features.json")).unwrap();
}

fn is_saving(experiments: &Experiments) -> bool {
    let shopper = Attributes::of_cookie_id("1");
    experiments.document().evaluate(SAVE, &shopper).result.on
}

async fn until(experiments: &Experiments, wanted: bool) {
    let seen = async {
        while is_saving(experiments) != wanted {
            // tidy-allow sleep: with a limit
            tokio::task::yield_now().await;
        }
    };
    let seen = tokio::time::timeout(Duration::from_secs(30), seen).await;
    seen.expect("the changed document is used");
}

#[tokio::test]
async fn a_changed_document_is_used_from_then_on() {
    let dir = tempfile::tempdir().unwrap();
    write(&dir, &saving(false));
    let (experiments, refresher) = Experiments::start(settings(&dir)).await.unwrap();
    assert!(!is_saving(&experiments));
    let (stop, stopped) = watch::channel(false);
    let running = tokio::spawn(refresher.unwrap().run(stopped, Arc::default()));
    write(&dir, &saving(true));
    until(&experiments, true).await;
    write(&dir, &saving(false));
    until(&experiments, false).await;
    stop.send_replace(true);
    running.await.unwrap();
}

#[tokio::test]
async fn a_broken_document_does_not_replace_a_valid_one() {
    let dir = tempfile::tempdir().unwrap();
    write(&dir, &saving(false));
    let (experiments, refresher) = Experiments::start(settings(&dir)).await.unwrap();
    let mut refresher = refresher.unwrap();
    for broken in [
        "",
        "{",
        "[]",
        r#"{"features":{"enable-ddc":7}}"#,
        r#"{"encryptedFeatures":"a.b"}"#,
    ] {
        write(&dir, broken);
        assert!(refresher.refresh(true).await.is_err(), "{broken}");
        assert!(!is_saving(&experiments));
        assert_eq!(
            std::fs::read_to_string(dir.path().join("copy.json")).unwrap(),
            saving(false)
        );
    }
    write(&dir, &saving(true));
    refresher.refresh(true).await.unwrap();
    assert!(is_saving(&experiments));
    assert_eq!(
        std::fs::read_to_string(dir.path().join("copy.json")).unwrap(),
        saving(true)
    );
}

#[tokio::test]
async fn a_start_without_the_source_uses_the_copy() {
    let dir = tempfile::tempdir().unwrap();
    write(&dir, &saving(false));
    Experiments::start(settings(&dir)).await.unwrap();
    std::fs::remove_file(dir.path().join("features.json")).unwrap();
    let (experiments, refresher) = Experiments::start(settings(&dir)).await.unwrap();
    assert!(!is_saving(&experiments));
    assert!(refresher.is_some());
    // A source that is a URL also starts from the copy.
    let remote = FeaturesSettings {
        source: Some(FeaturesSource::Url(
            "http://127.0.0.1:1/features".parse().unwrap(),
        )),
        ..settings(&dir)
    };
    let (experiments, _) = Experiments::start(remote).await.unwrap();
    assert!(!is_saving(&experiments));
}

#[tokio::test]
async fn without_source_and_copy_the_shipped_document_is_used() {
    let dir = tempfile::tempdir().unwrap();
    for document in [None, Some("{")] {
        if let Some(document) = document {
            write(&dir, document);
            std::fs::write(dir.path().join("copy.json"), document).unwrap();
        }
        let (experiments, _) = Experiments::start(settings(&dir)).await.unwrap();
        assert!(is_saving(&experiments));
    }
    let nothing = FeaturesSettings {
        source: None,
        ..settings(&dir)
    };
    let (experiments, refresher) = Experiments::start(nothing).await.unwrap();
    assert!(is_saving(&experiments) && refresher.is_none());
}

#[tokio::test]
async fn the_copy_of_an_encrypted_document_is_encrypted() {
    let dir = tempfile::tempdir().unwrap();
    let sealed = "m5ylFM6ndyOJA2OPadubkw==.Uu7ViqgKEt/dWvCyhI46q088PkAEJbnXKf3KPZjf9IEQQ+A8fojNoxw4wIbPX3aj";
    write(&dir, &json!({ "encryptedFeatures": sealed }).to_string());
    let settings = FeaturesSettings {
        key: DecryptionKey::from_base64("Zvwv/+uhpFDznZ6SX28Yjg=="),
        ..settings(&dir)
    };
    let (experiments, _) = Experiments::start(settings).await.unwrap();
    assert!(
        experiments
            .document()
            .evaluate("feature", &Attributes::of_cookie_id("1"))
            .result
            .on
    );
    let kept = std::fs::read_to_string(dir.path().join("copy.json")).unwrap();
    assert!(kept.contains(sealed) && !kept.contains("defaultValue"));
}
