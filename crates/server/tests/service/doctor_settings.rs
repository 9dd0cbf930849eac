//! `cardform doctor` names mistakes in the settings, and in the provider, database and keys that they name.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rusqlite::Connection;

use crate::doctor::{codes, doctor, finds};
use crate::other_program::OtherProgram;
use crate::process::run;
use crate::world::World;

/// The findings, except those of every doctor without a service and a database.
fn found(dir: &Path, arguments: &[&str]) -> Vec<String> {
    let (_, said) = doctor(dir, arguments, &[]);
    let usual = ["service_unreachable", "database_missing"];
    codes(&said)
        .into_iter()
        .filter(|code| !usual.contains(code))
        .map(str::to_owned)
        .collect()
}

/// The address of a missing service. The settings are checked nevertheless.
const NO_SERVICE: [&str; 2] = ["--url", "http://127.0.0.1:9"];

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_cannot_be_used_is_named() {
    let world = World::new().await;
    let dir = world.dir.path();
    let with = |url: &str| found(dir, &[&NO_SERVICE[..], &["--provider-url", url]].concat());
    assert!(with(&world.provider.url).is_empty());
    assert_eq!(with("http://127.0.0.1:9"), ["provider_unreachable"]);
    assert_eq!(
        with("http://provider.invalid"),
        ["provider_plain", "provider_unreachable"]
    );
    assert_eq!(
        found(dir, &[&NO_SERVICE[..], &["--listen", "127.0.0.1:9"]].concat()),
        ["provider_missing"]
    );
    assert_eq!(
        found(dir, &[&NO_SERVICE[..], &["--provider", "paper"]].concat()),
        ["settings_invalid"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_cannot_be_used_is_named_without_its_password() {
    let world = World::new().await;
    let dir = world.dir.path();
    let with = |database: &str| {
        let words = [
            &NO_SERVICE[..],
            &["--provider-url", &world.provider.url, "--database", database],
        ]
        .concat();
        let (_, said) = doctor(dir, &words, &[]);
        assert!(!said.to_string().contains("pass-word"), "{said}");
        codes(&said)
            .into_iter()
            .filter(|code| *code != "service_unreachable")
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(with("sqlite:nowhere.db"), ["database_missing"]);
    assert_eq!(
        with("postgres://user:pass-word@127.0.0.1:9/cardform"),
        ["database_unreachable"]
    );
    assert_eq!(
        with("postgres://user:pass-word@db.invalid:9/cardform"),
        ["database_plain", "database_unreachable"]
    );
    assert_eq!(
        with("postgres://user:pass-word@db.invalid:9/cardform?sslmode=require"),
        ["database_unreachable", "database_unverified"]
    );
}

#[test]
fn tables_of_another_version_are_named_and_stay_as_they_are() {
    let dir = tempfile::tempdir().unwrap();
    assert!(run(dir.path(), &["migrate"]).status.success());
    let sql = |text: &str| {
        let database = Connection::open(dir.path().join("cardform.db")).unwrap();
        database.execute_batch(text).unwrap();
    };
    let found = || {
        let words = [&NO_SERVICE[..], &["--database", "sqlite:cardform.db"]].concat();
        let (_, said) = doctor(dir.path(), &words, &[]);
        let named: Vec<String> = codes(&said)
            .into_iter()
            .filter(|code| code.starts_with("tables") || code.starts_with("database"))
            .map(str::to_owned)
            .collect();
        named
    };
    assert!(found().is_empty());
    sql("CREATE TABLE kept AS SELECT * FROM _sqlx_migrations; \
         DELETE FROM _sqlx_migrations WHERE version = (SELECT MAX(version) FROM kept)");
    assert_eq!(found(), ["tables_older"]);
    assert_eq!(found(), ["tables_older"], "the doctor migrates nothing");
    sql(
        "INSERT INTO _sqlx_migrations SELECT * FROM kept WHERE version = (SELECT MAX(version) FROM kept); \
         INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
         VALUES (9999, 'newer', TRUE, X'00', 0)",
    );
    assert_eq!(found(), ["tables_newer"]);
    sql("UPDATE oldest_program SET migration = 9999");
    assert_eq!(found(), ["tables_too_new"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn readable_keys_and_unencrypted_connections_are_named() {
    let world = World::new().await;
    let dir = world.dir.path();
    let with = |more: &[&str]| {
        let settings = [
            "--provider-url",
            &world.provider.url,
            "--database",
            world.database(),
        ];
        found(dir, &[&NO_SERVICE[..], &settings, more].concat())
    };
    let key = dir.join("doctor.key");
    std::fs::write(&key, "a:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=").unwrap();
    let named = key.to_str().unwrap();
    for (mode, expected) in [(0o600, Vec::new()), (0o644, vec!["key_file_open"])] {
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(with(&["--vault-key-file", named]), expected);
    }
    assert_eq!(
        with(&["--tls-certificate", named, "--tls-key", named]),
        ["certificate_unusable", "key_file_open"]
    );
    let kafka = ["--event-sink", "kafka", "--kafka-brokers", "kafka.example:9092"];
    assert_eq!(with(&kafka), ["kafka_plain"]);
    assert_eq!(
        with(&["--public-url", "http://pay.example"]),
        ["client_ip_unknown", "public_url_differs", "public_url_not_https"]
    );
    assert_eq!(
        with(&[
            "--public-url",
            "https://pay.example",
            "--client-ip-header",
            "x-forwarded-for"
        ]),
        ["public_url_differs"]
    );
}

#[test]
fn the_text_has_fact_reason_and_remedy() {
    let dir = tempfile::tempdir().unwrap();
    let output = run(dir.path(), &["doctor", "--url", "http://127.0.0.1:9"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stdout).unwrap();
    for part in [
        "error: service_unreachable",
        "  what  ",
        "  why   ",
        "  do    ",
        "not checked: the settings",
    ] {
        assert!(said.contains(part), "{said}");
    }
    let (_, json) = doctor(dir.path(), &NO_SERVICE, &[]);
    finds(&(Some(1), json), &["service_unreachable"]);
    let wrong = run(dir.path(), &["doctor", "--url", "pay.example"]);
    assert_eq!(wrong.status.code(), Some(2), "{wrong:?}");
}

/// The service deletes counts that are over, perhaps meanwhile.
const AFTER_THE_TEST: i64 = 4_000_000_000_000;

#[tokio::test(flavor = "multi_thread")]
async fn shoppers_who_all_have_one_address_are_named() {
    let world = World::new().await;
    let dir = world.dir.path();
    let database = OtherProgram::connect(world.database()).await;
    let count = async |subject: &str| {
        let row = format!("INSERT INTO attempt_counts VALUES ('{subject} 60', 0, 0, 50, {AFTER_THE_TEST})");
        database.run(&row).await.unwrap();
        let provider = [
            "--provider-url",
            &world.provider.url,
            "--database",
            world.database(),
        ];
        found(dir, &[&NO_SERVICE[..], &provider].concat())
    };
    assert_eq!(count("address 10.0.0.1").await, [""; 0]);
    assert_eq!(count("partner partner_test").await, ["client_ip_unknown"]);
    assert_eq!(count("address 1.2.3.4").await, [""; 0]);
}
