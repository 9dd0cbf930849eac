//! A process is killed during a payment. The next one finds the outcome, and the charge is paid once.

use crate::process::Process;
use crate::process_merchant::ProcessMerchant;
use crate::waiting::holds;
use crate::world::{card, send};

/// Longer than the test, so the killed process never gets its answer.
const LATENCY_MS: &str = "120000";

#[tokio::test]
async fn a_killed_process_leaves_one_payment_that_the_next_one_finds() {
    let merchant = ProcessMerchant::new();
    let simulator = merchant.simulator(&["--latency", LATENCY_MS], "info");
    let ledger = || send(merchant.http.get(format!("{}/ledger", simulator.url())));
    let provider = ["--provider-url", simulator.url()];

    let first = merchant.serve(&provider, "info");
    let charge = merchant.charge(&first).await;
    let body = card(&charge, "4242424242424242");
    let press = |service: &Process| merchant.press(&merchant.http, service, &charge, &body);
    let lost = tokio::spawn(press(&first).send());
    holds("the payment is in the ledger", async || {
        !ledger().await.body.as_array().unwrap().is_empty()
    })
    .await;
    first.kill();
    assert!(lost.await.unwrap().is_err());

    let second = merchant.serve(&provider, "info");
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
