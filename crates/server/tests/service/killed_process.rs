//! A process that is killed during a payment: the next one finds the outcome, and nobody pays twice.

use reqwest::Client;
use serde_json::Value;
use wire::CreatedCharge;

use crate::process::{Process, add_merchant};
use crate::world::{card, new_charge, send};

/// Longer than the test, so the killed process never gets its answer.
const LATENCY_MS: &str = "120000";

#[tokio::test]
async fn a_killed_process_leaves_one_payment_that_the_next_one_finds() {
    let dir = tempfile::tempdir().unwrap();
    let http = Client::builder().no_proxy().build().unwrap();
    let simulator = ["simulator", "--listen", "127.0.0.1:0", "--latency", LATENCY_MS];
    let simulator = Process::start(dir.path(), &simulator, "info");
    let ledger = || send(http.get(format!("{}/ledger", simulator.url())));
    let serve = [
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--provider-url",
        simulator.url(),
    ];
    let added = add_merchant(dir.path());
    let merchant: Value = serde_json::from_slice(&added.stdout).unwrap();

    let first = Process::start(dir.path(), &serve, "info");
    let create = http
        .post(format!("{}/v1/charges", first.url()))
        .json(&new_charge());
    let created = send(create.bearer_auth(merchant["secret_key"].as_str().unwrap())).await;
    let charge: CreatedCharge = serde_json::from_value(created.body).unwrap();
    let press = |service: &Process| {
        http.post(format!("{}/v1/pub/direct/charges", service.url()))
            .bearer_auth(&charge.client_secret)
            .header("partner-id", merchant["partner_id"].as_str().unwrap())
            .json(&card(&charge, "4242424242424242"))
    };
    let lost = tokio::spawn(press(&first).send());
    while ledger().await.body.as_array().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    first.kill();
    assert!(lost.await.unwrap().is_err());

    let second = Process::start(dir.path(), &serve, "info");
    // This press waits until the reconciler has looked the payment up.
    let answer = send(press(&second)).await;
    assert_eq!(
        (answer.status, answer.status_code()),
        (201, "succeeded"),
        "{answer:?}"
    );
    let entries = ledger().await.body;
    assert_eq!(entries.as_array().unwrap().len(), 1, "{entries}");
    assert_eq!(entries[0]["outcome"], "approved");
}
