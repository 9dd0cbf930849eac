//! `cardform init`, then `cardform serve`: a paid test charge without a further question.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use harness::postgres::{Durability, Postgres};
use protocol::CreatedCharge;
use reqwest::Client;
use serde_json::{Value, json};

use crate::doctor::{codes, doctor};
use crate::process::{Process, complaint, run};
use crate::world::{card, new_charge, send};

/// Runs `init` in this folder, and returns what it says.
fn init(dir: &Path, more: &[&str]) -> Value {
    let output = run(dir, &[&["init", "--json"][..], more].concat());
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The files of a folder with their permissions and contents.
fn files(folder: &Path) -> BTreeMap<String, (u32, Vec<u8>)> {
    std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let mode = path.metadata().unwrap().permissions().mode() & 0o777;
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let content = if path.is_file() {
                std::fs::read(&path).unwrap()
            } else {
                Vec::new()
            };
            (name, (mode, content))
        })
        .collect()
}

async fn charge(http: &Client, service: &Process, said: &Value) -> CreatedCharge {
    let create = http
        .post(format!("{}/v1/charges", service.url()))
        .json(&new_charge());
    let created = send(create.bearer_auth(said["secret_key"].as_str().unwrap())).await;
    assert_eq!(created.status, 201, "{created:?}");
    serde_json::from_value(created.body).unwrap()
}

#[tokio::test]
async fn init_and_serve_take_a_test_payment() {
    let dir = tempfile::tempdir().unwrap();
    let said = init(dir.path(), &["--listen", "127.0.0.1:0"]);
    let folder = dir.path().join("cardform-data");
    assert_eq!(said["folder"], folder.display().to_string());
    let made = files(&folder);
    let names: Vec<_> = made.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "cardform.db",
            "cardform.toml",
            "merchant.json",
            "operator-key",
            "vault-key"
        ]
    );
    for (name, (mode, _)) in &made {
        assert_eq!(mode & 0o077, 0, "{name} can be read by others");
    }

    // No argument: the settings file is found.
    let service = Process::start(dir.path(), &["serve", "--strict-permissions", "true"], "info");
    let http = Client::builder().no_proxy().build().unwrap();
    let paid_charge = charge(&http, &service, &said).await;
    let press = |charge: &CreatedCharge, key: &str| {
        http.post(format!("{}/v1/pub/direct/charges", service.url()))
            .bearer_auth(&charge.client_secret)
            .header("partner-id", said["partner_id"].as_str().unwrap())
            .header("idempotency-key", key)
            .json(&card(charge, "4242424242424242"))
    };
    let paid = send(press(&paid_charge, "press-1")).await;
    assert_eq!(paid.status_code(), "succeeded", "{paid:?}");
    // Every page says that no real money moves, in its language.
    let page = http
        .get(paid_charge.url.clone())
        .send()
        .await
        .unwrap()
        .text()
        .await
        .unwrap();
    assert!(page.contains(">Test mode: no real money</p>"), "{page}");
    let missing = http
        .get(format!("{}/de-DE/nothing", service.url()))
        .send()
        .await
        .unwrap();
    let missing = missing.text().await.unwrap();
    assert!(missing.contains(">Testmodus: kein echtes Geld</p>"), "{missing}");
    // Shoppers reach its pages, and nobody its payments.
    for (path, status) in [
        ("/simulator/pages/challenge.css", 200),
        ("/simulator/ledger", 404),
        ("/simulator/v1/payments", 404),
    ] {
        let answer = http.get(service.url().to_owned() + path).send().await.unwrap();
        assert_eq!(answer.status(), status, "{path}");
    }
    let (_, found) = doctor(
        dir.path(),
        &["--config", "cardform-data/cardform.toml", "--url", service.url()],
        &[],
    );
    assert!(codes(&found).contains("test_mode"), "{found}");
    assert!(service.terminate().0);

    // The payments of yesterday can be refunded after a restart.
    let again = Process::start(dir.path(), &["serve"], "info");
    let refund = http
        .post(format!("{}/v1/charges/{}/refunds", again.url(), paid_charge.id))
        .bearer_auth(said["secret_key"].as_str().unwrap())
        .json(&json!({}));
    let refunded = send(refund).await;
    assert_eq!(
        (refunded.status, &refunded.body["status"]),
        (201, &json!("succeeded")),
        "{refunded:?}"
    );
}

#[tokio::test]
async fn test_mode_starts_on_a_system_without_root_certificates() {
    let dir = tempfile::tempdir().unwrap();
    let said = init(dir.path(), &["--listen", "127.0.0.1:0"]);
    let service = Process::start_without_root_certificates(dir.path(), &["serve"]);
    charge(&Client::builder().no_proxy().build().unwrap(), &service, &said).await;
    let log = std::fs::read_to_string(dir.path().join("cardform.log")).unwrap();
    assert!(log.contains("no webhook over https can be sent"), "{log}");
}

#[test]
fn the_demo_starts_beside_the_folder_and_with_its_settings() {
    let dir = tempfile::tempdir().unwrap();
    init(dir.path(), &["--listen", "127.0.0.1:0"]);
    let settings = "cardform-data/cardform.toml";
    for more in [
        &["--listen", "127.0.0.1:0"][..],
        // Its keys are others, so it needs a folder of its own.
        &["--config", settings, "--data", "other"],
    ] {
        let demo = Process::start(dir.path(), &[&["demo"], more].concat(), "info");
        assert_eq!(demo.ready["partner_id"], "partner_demo");
        assert!(demo.terminate().0);
    }
}

#[test]
fn a_second_init_changes_nothing_and_says_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let first = init(dir.path(), &["--folder", "shop"]);
    let folder = dir.path().join("shop");
    let before = files(&folder);
    assert_eq!(init(dir.path(), &["--folder", "shop", "--name", "Other"]), first);
    assert_eq!(files(&folder), before);
    let text = run(dir.path(), &["init", "--folder", "shop"]);
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains("nothing was changed"), "{text}");
    assert!(text.contains(&format!(
        "Next: cardform serve --config {}",
        folder.join("cardform.toml").display()
    )));
}

#[test]
fn a_folder_that_cannot_be_made_gets_one_line_and_no_file() {
    let dir = tempfile::tempdir().unwrap();
    let full = dir.path().join("full");
    std::fs::create_dir(&full).unwrap();
    std::fs::write(full.join("notes.txt"), "mine").unwrap();
    let said = complaint(&run(dir.path(), &["init", "--folder", "full"]));
    assert!(said.contains("is not empty; nothing was written"), "{said}");
    std::fs::write(dir.path().join("file"), "").unwrap();
    complaint(&run(dir.path(), &["init", "--folder", "file/below"]));
    let missing = ["init", "--provider", "stripe", "--provider-key-file", "no-key"];
    let said = complaint(&run(dir.path(), &missing));
    assert!(said.contains("no-key"), "{said}");
    let no_key = run(dir.path(), &["init", "--provider", "stripe"]);
    assert_eq!(no_key.status.code(), Some(2), "{no_key:?}");
    let left = files(dir.path());
    assert_eq!(left.keys().collect::<Vec<_>>(), ["file", "full"]);
}

#[test]
fn init_with_stripe_names_the_key_by_its_whole_path() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("key"), "rk_test_1").unwrap();
    init(
        dir.path(),
        &["--provider", "stripe", "--provider-key-file", "key"],
    );
    let settings = std::fs::read_to_string(dir.path().join("cardform-data/cardform.toml")).unwrap();
    let settings: toml::Table = settings.parse().unwrap();
    let key = dir.path().join("key");
    assert_eq!(settings["provider"].as_str(), Some("stripe"));
    assert_eq!(settings["provider_key_file"].as_str(), key.to_str());
}

#[tokio::test]
async fn init_takes_an_empty_database_on_a_server_and_no_other() {
    let postgres = Postgres::start(Durability::None).unwrap();
    let database = postgres.new_database().unwrap();
    let dir = tempfile::tempdir().unwrap();
    // As an `init` that was killed leaves it.
    assert!(
        run(dir.path(), &["migrate", "--database", &database])
            .status
            .success()
    );
    let said = init(dir.path(), &["--listen", "127.0.0.1:0", "--database", &database]);
    assert!(!dir.path().join("cardform-data/cardform.db").exists());
    let service = Process::start(dir.path(), &["serve"], "info");
    let http = Client::builder().no_proxy().build().unwrap();
    charge(&http, &service, &said).await;
    assert_eq!(
        init(dir.path(), &["--database", &database]),
        said,
        "the folder is ready"
    );

    let other = ["init", "--folder", "other", "--database", &database];
    let refused = complaint(&run(dir.path(), &other));
    assert!(refused.contains("has merchants already"), "{refused}");
    let missing = postgres.url("no_such_database");
    complaint(&run(
        dir.path(),
        &["init", "--folder", "other", "--database", &missing],
    ));
    complaint(&run(
        dir.path(),
        &["init", "--folder", "other", "--database", "mysql://shop"],
    ));
    assert!(!dir.path().join("other").exists());
}

#[test]
fn init_names_a_database_file_by_its_whole_path() {
    let dir = tempfile::tempdir().unwrap();
    init(dir.path(), &["--database", "sqlite:books.db"]);
    let settings = std::fs::read_to_string(dir.path().join("cardform-data/cardform.toml")).unwrap();
    let settings: toml::Table = settings.parse().unwrap();
    let file = format!("sqlite:{}", dir.path().join("books.db").display());
    assert_eq!(settings["database"].as_str(), Some(file.as_str()));
    let again = ["init", "--folder", "other", "--database", "sqlite:books.db"];
    complaint(&run(dir.path(), &again));
}

/// The database has the merchant then, so its key must not be lost.
#[test]
fn the_files_of_an_init_whose_folder_gets_no_name_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("file"), "").unwrap();
    let named = ["init", "--folder", "file", "--database", "sqlite:books.db"];
    let said = complaint(&run(dir.path(), &named));
    let mut left = std::fs::read_dir(dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let kept = left.find(|path| path.join("merchant.json").is_file()).unwrap();
    assert!(said.contains(kept.to_str().unwrap()), "{said}");
}
