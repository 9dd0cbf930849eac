//! Webhook commands: an operator sets, lists and replays webhooks, and a developer sees them arrive.

use std::path::Path;

use reqwest::Client;
use serde_json::{Value, json};
use wire::CreatedCharge;

use crate::process::{Process, complaint, run};
use crate::world::{card, new_charge, send};

fn said(dir: &Path, arguments: &[&str]) -> Value {
    let output = run(dir, &[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[tokio::test]
async fn webhook_listen_shows_events_and_replay_sends_them_again() {
    let dir = tempfile::tempdir().unwrap();
    let dir_path = dir.path();
    said(dir_path, &["migrate"]);
    let private = ["--webhook-private-networks", "true"];
    let add = [
        "merchant",
        "add",
        "--name",
        "Shop",
        "--webhook-url",
        "http://127.0.0.1:9/",
    ];
    let merchant = said(dir_path, &[&add[..], &private].concat());
    let partner_id = merchant["partner_id"].as_str().unwrap();
    let secret = merchant["webhook_secret"].as_str().unwrap();

    let listen = ["webhook", "listen", "--listen", "127.0.0.1:0", "--secret", secret];
    let receiver = Process::start(dir_path, &listen, "info");
    let set = [
        "webhook",
        "set",
        "--partner-id",
        partner_id,
        "--url",
        receiver.url(),
    ];
    assert_eq!(
        said(dir_path, &[&set[..], &private].concat())["webhook_secret"],
        secret,
        "it stays"
    );

    let simulator = Process::start(dir_path, &["simulator", "--listen", "127.0.0.1:0"], "info");
    let serve = [
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--provider-url",
        simulator.url(),
    ];
    let service = Process::start(dir_path, &[&serve[..], &private].concat(), "info");
    let http = Client::builder().no_proxy().build().unwrap();
    let create = http
        .post(format!("{}/v1/charges", service.url()))
        .bearer_auth(merchant["secret_key"].as_str().unwrap());
    let charge: CreatedCharge = serde_json::from_value(send(create.json(&new_charge())).await.body).unwrap();
    let pay = http
        .post(format!("{}/v1/pub/direct/charges", service.url()))
        .bearer_auth(&charge.client_secret)
        .header("partner-id", partner_id)
        .json(&card(&charge, "4242424242424242"));
    assert_eq!(send(pay).await.status, 201);

    let of_charge = ["--charge", charge.id.as_str()];
    let delivered = |tries: i64| {
        let events = said(dir_path, &[&["webhook", "list"][..], &of_charge].concat());
        let events = events.as_array().unwrap().clone();
        events.len() == 2
            && events
                .iter()
                .all(|event| event["state"] == "delivered" && event["tries"] == tries)
    };
    while !delivered(1) {}
    let replayed = said(dir_path, &[&["webhook", "replay"][..], &of_charge].concat());
    assert_eq!(replayed, json!({ "replayed": 2 }));
    while !delivered(1) {}
    service.kill();

    let (ended_well, printed) = receiver.terminate();
    assert!(ended_well);
    let lines: Vec<Value> = printed
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let seen: Vec<_> = lines
        .iter()
        .map(|line| {
            (
                line["verified"].as_bool().unwrap(),
                line["event"]["type"].as_str().unwrap(),
            )
        })
        .collect();
    let once = [(true, "charge.processing"), (true, "charge.succeeded")];
    assert_eq!(seen, [once, once].concat());
    assert_eq!(lines[0]["id"], lines[2]["id"]);
}

#[tokio::test]
async fn a_wrongly_signed_webhook_is_refused_and_shown() {
    let dir = tempfile::tempdir().unwrap();
    let secret = "whsec_plJ3nmyCDGBKInavdOK15jsl";
    let listen = ["webhook", "listen", "--listen", "127.0.0.1:0", "--secret", secret];
    let receiver = Process::start(dir.path(), &listen, "info");
    let http = Client::builder().no_proxy().build().unwrap();
    assert_eq!(send(http.post(receiver.url()).body("{}")).await.status, 400);
    let forged = http
        .post(receiver.url())
        .header("webhook-id", "evt_1")
        .header("webhook-timestamp", "1731705121")
        .header(
            "webhook-signature",
            "v1,vlHcB/9ZO1Kz38vfgyOyO4vZVQCTjBSRNB6WWeFvMFI=",
        )
        .body(r#"{"event_type":"ping"}"#);
    assert_eq!(send(forged).await.status, 400, "it is years old");
    let (_, printed) = receiver.terminate();
    assert_eq!(printed.matches(r#""verified":false"#).count(), 2, "{printed}");
}

#[test]
fn an_invalid_webhook_is_refused_in_one_line() {
    let dir = tempfile::tempdir().unwrap();
    assert!(run(dir.path(), &["migrate"]).status.success());
    let refused = |arguments: &[&str]| complaint(&run(dir.path(), arguments));
    let set = |url: &str| refused(&["webhook", "set", "--partner-id", "partner_1", "--url", url]);
    assert!(set("https://shop.example/").contains("no merchant"));
    assert!(set("http://shop.example/").contains("https"));
    assert!(set("https://10.0.0.1/").contains("private network"));
    assert!(set("shop.example").contains("absolute URL"));
    assert!(refused(&["webhook", "listen", "--secret", "abc"]).contains("whsec_"));
    assert!(refused(&["webhook", "remove", "--partner-id", "partner_1"]).contains("no webhook"));
}
