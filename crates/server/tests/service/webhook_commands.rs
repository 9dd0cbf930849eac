//! Webhook commands: an operator sets, lists and replays webhooks, and a developer sees them arrive.

use std::path::Path;

use protocol::CreatedCharge;
use reqwest::Client;
use serde_json::{Value, json};

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
async fn a_merchant_chooses_events_and_tries_its_receiver() {
    let dir = tempfile::tempdir().unwrap();
    let dir_path = dir.path();
    said(dir_path, &["migrate"]);
    let private = ["--webhook-private-networks", "true"];
    let url = "http://127.0.0.1:9/";
    let add = ["merchant", "add", "--name", "Shop", "--webhook-url", url];
    let merchant = said(dir_path, &[&add[..], &private].concat());
    let partner_id = merchant["partner_id"].as_str().unwrap();
    let secret = merchant["webhook_secret"].as_str().unwrap();
    let of_merchant = ["--partner-id", partner_id];
    let events = |given: &[&str], url: &str| {
        let set = [
            &["webhook", "set", "--url", url][..],
            &of_merchant,
            &private,
            given,
        ]
        .concat();
        said(dir_path, &set)["events"].clone()
    };
    let chosen = json!(["charge.succeeded", "charge.failed"]);
    assert_eq!(events(&[], url).as_array().unwrap().len(), 20, "all of them");
    assert_eq!(
        events(&["--events", "charge.succeeded,charge.failed"], url),
        chosen
    );

    let listen = ["webhook", "listen", "--listen", "127.0.0.1:0", "--secret", secret];
    let receiver = Process::start(dir_path, &listen, "info");
    assert_eq!(events(&[], receiver.url()), chosen, "they stay");
    let shown = said(dir_path, &[&["webhook", "show"][..], &of_merchant].concat());
    assert_eq!(shown[0]["events"], chosen);
    assert_eq!(said(dir_path, &["webhook", "show"]), shown);
    assert!(!shown.to_string().contains(secret));

    let trigger = |kind: &str, to: &[&str]| said(dir_path, &[&["trigger", kind][..], to].concat());
    let answer = trigger("charge.failed", &[&of_merchant[..], &private].concat());
    assert_eq!(answer["type"], "charge.failed");
    assert!(answer["result"].as_str().unwrap().starts_with('2'), "{answer}");
    let address = receiver.url().to_owned();
    let to_url = ["--url", address.as_str(), "--secret", secret];
    let all = events(&["--events", "all"], receiver.url());
    let kinds = all.as_array().unwrap().iter().map(|kind| kind.as_str().unwrap());
    for kind in kinds {
        assert_eq!(trigger(kind, &to_url)["type"], kind);
    }
    let forged = [
        "--url",
        receiver.url(),
        "--secret",
        "whsec_plJ3nmyCDGBKInavdOK15jsl",
    ];
    let refused = run(dir_path, &[&["trigger", "charge.failed"][..], &forged].concat());
    assert!(complaint(&refused).contains("answered 400"), "{refused:?}");

    let (_, printed) = receiver.terminate();
    let lines: Vec<Value> = printed
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let verified: Vec<&Value> = lines.iter().filter(|line| line["verified"] == true).collect();
    assert_eq!(verified.len(), 21);
    for line in verified {
        let event = &line["event"];
        let (object, told) = event["type"].as_str().unwrap().split_once('.').unwrap();
        if object == "payment_method" {
            assert_eq!(event["data"]["last_four"], "4242");
            continue;
        }
        let status = event["data"]["status"].as_str().unwrap();
        assert_eq!(told, status);
        assert_eq!(event["data"]["charge"].is_object(), object != "charge");
        assert_eq!(event["data"]["test"], true, "{event}");
        assert_eq!(event["sequence"], 1);
    }
    let gone = run(dir_path, &[&["trigger", "charge.failed"][..], &to_url].concat());
    assert!(
        complaint(&gone).contains("did not arrive: no connection"),
        "{gone:?}"
    );
}

#[test]
fn an_unknown_event_is_refused_with_the_known_ones() {
    let dir = tempfile::tempdir().unwrap();
    assert!(run(dir.path(), &["migrate"]).status.success());
    let refused = |arguments: &[&str]| complaint(&run(dir.path(), arguments));
    let set = [
        "webhook",
        "set",
        "--partner-id",
        "partner_1",
        "--url",
        "https://shop.example/",
    ];
    let said = refused(&[&set[..], &["--events", "charge.succeeded,charge.paid"]].concat());
    assert!(
        said.contains("charge.paid") && said.contains("charge.outcome_unknown"),
        "{said}"
    );
    let both = refused(&[&set[..], &["--events", "all,charge.failed"]].concat());
    assert!(both.contains("all"), "{both}");
    let said = refused(&["trigger", "charge.created", "--partner-id", "partner_1"]);
    assert!(
        said.contains("charge.created") && said.contains("charge.processing"),
        "{said}"
    );
    let none = refused(&["trigger", "charge.failed", "--partner-id", "partner_1"]);
    assert!(none.contains("no webhook"), "{none}");
}

#[tokio::test]
async fn a_webhook_with_a_wrong_signature_is_refused_and_shown() {
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
