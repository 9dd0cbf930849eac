//! No card data, secret or payload is on disk or in a log, even at the finest log level.

use std::path::Path;

use demo::simulator::cards::TEST_CARDS;
use protocol::CreatedCharge;
use reqwest::Client;
use serde_json::{Value, json};

use crate::memory::contains;
use crate::process::Process;
use crate::world::{Answer, card, new_charge, send};

/// A security code that no id or time contains by chance: it is searched for in quotes, in JSON and after a field's
/// name.
const SECURITY_CODE: &str = "9174";

/// Every file under `dir`, with its bytes.
fn files(dir: &Path, found: &mut Vec<(String, Vec<u8>)>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push((path.display().to_string(), std::fs::read(&path).unwrap()));
        }
    }
}

/// The log line that has the code as a separate word, not as a part of an id, a time or a fraction.
fn line_with_code(log: &[u8]) -> Option<String> {
    let log = String::from_utf8_lossy(log);
    let is_part = |character: char| character.is_ascii_alphanumeric() || matches!(character, '.' | ':' | '-');
    let has_word = |line: &str, word: &str| {
        line.match_indices(word).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            let after = line[at + word.len()..].chars().next();
            // `code: 917` and `code=917` are words; `:917` in a time is not.
            !before.is_some_and(is_part) && !after.is_some_and(|sign| sign.is_ascii_alphanumeric())
        })
    };
    let names_it = |line: &str| line.to_lowercase().contains("code");
    let has_code =
        |line: &&str| has_word(line, SECURITY_CODE) || names_it(line) && has_word(line, &SECURITY_CODE[..3]);
    log.lines().find(has_code).map(str::to_owned)
}

#[test]
fn the_search_finds_a_security_code_in_a_log_line() {
    for line in [
        "code=9174",
        "paying security_code: 917",
        "SecurityCode(917)",
        "cvv 9174 x",
    ] {
        assert!(line_with_code(line.as_bytes()).is_some(), "{line}");
    }
    for line in [
        "at 10:00:00.917 code=x",
        "req_9174ab",
        "0.9174",
        "status_code=201 ms=5917",
    ] {
        assert_eq!(line_with_code(line.as_bytes()), None, "{line}");
    }
}

async fn pay(http: &Client, demo: &Process, charge: &CreatedCharge, body: &Value) -> Answer {
    let request = http
        .post(format!(
            "{}/v1/pub/direct/charges?number=4242424242424242",
            demo.url()
        ))
        .bearer_auth(&charge.client_secret)
        .header("partner-id", "partner_demo")
        .json(body);
    send(request).await
}

#[tokio::test]
async fn no_card_secret_or_payload_is_on_disk_or_in_a_log() {
    let dir = tempfile::tempdir().unwrap();
    let http = Client::builder().no_proxy().build().unwrap();
    let demo = Process::start(
        dir.path(),
        &["demo", "--listen", "127.0.0.1:0", "--data", "data"],
        "trace",
    );
    let key = demo.ready["secret_key"].as_str().unwrap().to_owned();
    let mut secrets = Vec::new();
    for test_card in TEST_CARDS {
        let request = http
            .post(format!("{}/v1/charges", demo.url()))
            .bearer_auth(&key)
            .json(&new_charge());
        let charge: CreatedCharge = serde_json::from_value(send(request).await.body).unwrap();
        let good = card(&charge, test_card.number);
        // Ways in which a card can be wrong; each could be logged with its value by mistake.
        let mut mistyped = good.clone();
        mistyped["payment_method"]["card"]["expiration_month"] = json!([test_card.number, SECURITY_CODE]);
        let mut misplaced = good.clone();
        misplaced["charge_id"] = json!(test_card.number);
        let mut broken = good.clone();
        broken["payment_method"]["card"]["security_code"] = json!(format!("{SECURITY_CODE}{SECURITY_CODE}"));
        for (body, status) in [(&mistyped, 400), (&misplaced, 403), (&broken, 422)] {
            assert_eq!(pay(&http, &demo, &charge, body).await.status, status);
        }
        let mut last = good;
        last["payment_method"]["card"]["security_code"] = json!(if test_card.number.len() == 15 {
            SECURITY_CODE
        } else {
            &SECURITY_CODE[..3]
        });
        let paid = pay(&http, &demo, &charge, &last).await;
        assert_eq!(
            paid.status,
            if test_card.decline.is_some() && !test_card.challenge {
                402
            } else {
                201
            },
            "{paid:?}"
        );
        secrets.extend([charge.client_secret, charge.payload]);
    }

    // During the run, so that the write-ahead log and the shared memory file exist, too.
    let mut found = Vec::new();
    files(dir.path(), &mut found);
    for name in [
        "cardform.db",
        "cardform.db-wal",
        "ledger.jsonl",
        "challenges.jsonl",
        "cardform.log",
    ] {
        assert!(
            found
                .iter()
                .any(|(path, bytes)| path.ends_with(name) && !bytes.is_empty()),
            "{name}"
        );
    }
    let log = found
        .iter()
        .find(|(path, _)| path.ends_with("cardform.log"))
        .unwrap();
    assert!(contains(&log.1, "/v1/pub/direct/charges"), "requests are logged");
    assert_eq!(line_with_code(&log.1), None, "a security code is in the log");
    for (path, bytes) in &found {
        for test_card in TEST_CARDS {
            assert!(
                !contains(bytes, test_card.number),
                "{} is in {path}",
                test_card.number
            );
        }
        for quoted in [
            format!("\"{SECURITY_CODE}"),
            format!("\"{}\"", &SECURITY_CODE[..3]),
        ] {
            assert!(!contains(bytes, &quoted), "a security code is in {path}");
        }
        for secret in &secrets {
            assert!(
                !contains(bytes, secret),
                "a client secret or a payload is in {path}"
            );
        }
        // The built page, which is stored in the database, has `page_number=` in its own code.
        assert!(!contains(bytes, "?number="), "a query string is in {path}");
        assert!(
            path.ends_with("demo-secret-key") || !contains(bytes, &key),
            "the merchant's key is in {path}"
        );
    }
}
