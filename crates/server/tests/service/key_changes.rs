//! The operator rotates keys while the service runs: without a restart, and without refusing valid requests.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use protocol::CreatedCharge;
use reqwest::Client;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::cards::{card_to_save, ring, saved};
use crate::process::{Process, add_merchant, complaint, run};
use crate::waiting::found;
use crate::world::{Answer, card, new_charge, send};

/// A running service with a merchant and a provider.
struct RunningService {
    dir: tempfile::TempDir,
    partner_id: String,
    secret_key: String,
    service: Process,
    _simulator: Process,
    http: Client,
}

impl RunningService {
    fn start() -> Self {
        Self::serving(tempfile::tempdir().unwrap(), &[])
    }

    fn with_vault(keys: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("keys"), keys).unwrap();
        Self::serving(dir, &["--vault-key-file", "keys"])
    }

    /// Replaces the key file.
    fn write_keys(&self, keys: &str) {
        let new = self.dir.path().join("new-keys");
        std::fs::write(&new, keys).unwrap();
        std::fs::rename(new, self.dir.path().join("keys")).unwrap();
    }

    fn serving(dir: tempfile::TempDir, more: &[&str]) -> Self {
        let merchant = json_of(&add_merchant(dir.path()));
        let simulator = Process::start(dir.path(), &["simulator", "--listen", "127.0.0.1:0"], "info");
        let serve = [
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--provider-url",
            simulator.url(),
        ];
        Self {
            service: Process::start(dir.path(), &[&serve[..], more].concat(), "info"),
            _simulator: simulator,
            partner_id: merchant["partner_id"].as_str().unwrap().to_owned(),
            secret_key: merchant["secret_key"].as_str().unwrap().to_owned(),
            http: Client::builder().no_proxy().build().unwrap(),
            dir,
        }
    }

    /// The output of a command.
    fn run_json(&self, arguments: &[&str]) -> Value {
        json_of(&run(self.dir.path(), &[arguments, &["--json"]].concat()))
    }

    async fn create(&self, secret_key: &str, key: Option<&str>) -> Answer {
        let url = format!("{}/v1/charges", self.service.url());
        let mut request = self.http.post(url).bearer_auth(secret_key).json(&new_charge());
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        send(request).await
    }

    /// The charge's status, as its shopper's page asks for it.
    async fn get_charge(&self, charge: &Value) -> Answer {
        let id = charge["id"].as_str().unwrap();
        let url = format!("{}/v1/pub/charges/{id}", self.service.url());
        send(
            self.http
                .get(url)
                .bearer_auth(charge["client_secret"].as_str().unwrap()),
        )
        .await
    }

    async fn pay(&self, charge: &Value) -> Answer {
        let made = serde_json::from_value(charge.clone()).unwrap();
        let url = format!("{}/v1/pub/direct/charges", self.service.url());
        let request = self
            .http
            .post(url)
            .bearer_auth(charge["client_secret"].as_str().unwrap())
            .header("partner-id", &self.partner_id)
            .json(&card(&made, "4242424242424242"));
        send(request).await
    }
}

fn json_of(output: &std::process::Output) -> Value {
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The signing key of a client secret.
fn key_of(charge: &Value) -> String {
    let header = charge["client_secret"]
        .as_str()
        .unwrap()
        .split('.')
        .next()
        .unwrap();
    let header: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(header).unwrap()).unwrap();
    header["kid"].as_str().unwrap().to_owned()
}

/// Repeats the request until the answer is as expected.
async fn until<F: Future<Output = Answer>>(ask: impl Fn() -> F, is_so: impl Fn(&Answer) -> bool) -> Answer {
    found("the change is noticed", async || {
        let answer = ask().await;
        is_so(&answer).then_some(answer)
    })
    .await
}

#[tokio::test]
async fn a_secret_key_is_rolled_and_revoked_without_a_restart() {
    let shop = RunningService::start();
    let of_merchant = ["--partner-id", &shop.partner_id];
    let rolled = shop.run_json(&[&["merchant", "key", "roll"], &of_merchant[..]].concat());
    let new_key = rolled["secret_key"].as_str().unwrap();
    assert_ne!(new_key, shop.secret_key);
    for key in [&shop.secret_key, new_key] {
        assert_eq!(
            shop.create(key, None).await.status,
            201,
            "both are good meanwhile"
        );
    }

    let listed = shop.run_json(&[&["merchant", "key", "list"], &of_merchant[..]].concat());
    let states = [&listed[0]["state"], &listed[1]["state"]];
    assert_eq!(states, ["good", "ending"], "{listed}");
    let old = listed[1]["key_id"].as_str().unwrap();
    assert!(
        shop.secret_key
            .ends_with(listed[1]["ends_with"].as_str().unwrap())
    );
    assert!(!listed.to_string().contains("sk_"), "no key is shown");

    let revoke = [&["merchant", "key", "revoke", "--key-id", old], &of_merchant[..]].concat();
    assert_eq!(shop.run_json(&revoke)["keys_left"], 1);
    assert_eq!(
        shop.create(&shop.secret_key, None).await.code(),
        "secret_key_invalid"
    );
    assert_eq!(shop.create(new_key, None).await.status, 201);
    complaint(&run(shop.dir.path(), &revoke));
}

#[tokio::test]
async fn an_inactive_merchant_takes_no_payment_but_can_read() {
    let shop = RunningService::start();
    let made = shop.create(&shop.secret_key, None).await.body;
    let set = |change: &[&str]| {
        shop.run_json(&[&["merchant", "set", "--partner-id", &shop.partner_id], change].concat())
    };
    assert_eq!(set(&["--active", "false"])["active"], false);
    assert_eq!(
        shop.create(&shop.secret_key, None).await.code(),
        "merchant_inactive"
    );
    until(|| shop.pay(&made), |answer| answer.code() == "merchant_inactive").await;
    let url = format!(
        "{}/v1/charges/{}",
        shop.service.url(),
        made["id"].as_str().unwrap()
    );
    let view = send(shop.http.get(url).bearer_auth(&shop.secret_key)).await;
    assert_eq!(view.body["status"], "created");

    set(&["--active", "true"]);
    until(|| shop.pay(&made), |answer| answer.status_code() == "succeeded").await;
}

#[tokio::test]
async fn a_merchant_gets_another_name_and_other_origins() {
    let shop = RunningService::start();
    let set = |change: &[&str]| {
        shop.run_json(&[&["merchant", "set", "--partner-id", &shop.partner_id], change].concat())
    };
    let origins = [
        "--allowed-origin",
        "https://a.example",
        "--allowed-origin",
        "https://b.example",
    ];
    let renamed = set(&[&["--name", "Bazaar"], &origins[..]].concat());
    assert_eq!(renamed["name"], "Bazaar");
    assert_eq!(
        renamed["allowed_origins"],
        json!(["https://a.example", "https://b.example"])
    );
    assert_eq!(set(&["--any-origin"])["allowed_origins"], json!([]));
    let listed = shop.run_json(&["merchant", "list"]);
    assert_eq!(
        (&listed[0]["name"], &listed[0]["active"]),
        (&json!("Bazaar"), &json!(true))
    );
    let wrong = |change: &[&str]| run(shop.dir.path(), &[&["merchant", "set"], change].concat());
    let unknown = complaint(&wrong(&["--partner-id", "partner_none", "--name", "X"]));
    assert!(unknown.contains("--partner-id"), "{unknown}");
    for website in [
        "https://shop.example@evil.example/",
        "https://user:secret@shop.example/",
        "javascript:alert(1)",
    ] {
        let refused = complaint(&wrong(&["--partner-id", &shop.partner_id, "--website", website]));
        assert!(refused.contains("is not a web address"), "{website}: {refused}");
    }
    let nothing = wrong(&["--partner-id", &shop.partner_id]);
    assert_eq!(nothing.status.code(), Some(2), "what shall be changed is missing");
}

#[tokio::test]
async fn signing_keys_are_rotated_and_revoked_without_a_restart() {
    let shop = RunningService::start();
    let before = shop.create(&shop.secret_key, Some("order-1")).await.body;
    let old_key = key_of(&before);

    let new_key = shop.run_json(&["key", "rotate", "--signing"])["key_id"].clone();
    let signed_anew = |answer: &Answer| key_of(&answer.body) == new_key;
    let after = until(|| shop.create(&shop.secret_key, None), signed_anew)
        .await
        .body;
    for charge in [&before, &after] {
        assert_eq!(
            shop.get_charge(charge).await.status,
            200,
            "both keys count meanwhile"
        );
    }
    let again = shop.create(&shop.secret_key, Some("order-1")).await.body;
    assert_eq!(again["client_secret"], before["client_secret"]);

    let revoked = shop.run_json(&["key", "revoke", "--signing", "--key-id", &old_key]);
    assert_eq!(revoked["key_id"], Value::Null, "the new one signs already");
    until(
        || shop.get_charge(&before),
        |answer| answer.code() == "client_secret_invalid",
    )
    .await;
    assert_eq!(shop.get_charge(&after).await.status, 200);
    let again = shop.create(&shop.secret_key, Some("order-1")).await;
    assert_eq!((again.status, &again.body["id"]), (201, &before["id"]));
    assert_eq!(
        shop.get_charge(&again.body).await.status,
        200,
        "a fresh client secret opens"
    );
}

#[tokio::test]
async fn revoking_the_active_signing_key_creates_another() {
    let shop = RunningService::start();
    let before = shop.create(&shop.secret_key, None).await.body;
    let revoked = shop.run_json(&["key", "revoke", "--signing", "--key-id", &key_of(&before)]);
    let new_key = revoked["key_id"].as_str().unwrap();
    until(
        || shop.get_charge(&before),
        |answer| answer.code() == "client_secret_invalid",
    )
    .await;
    let after = shop.create(&shop.secret_key, None).await.body;
    assert_eq!(key_of(&after), new_key);
    let listed = shop.run_json(&["key", "list"]);
    let states = [&listed["signing"][0]["state"], &listed["signing"][1]["state"]];
    assert_eq!(states, ["good", "ended"], "{listed}");
    let unknown = ["key", "revoke", "--signing", "--key-id", "sig_none"];
    complaint(&run(shop.dir.path(), &unknown));
}

#[test]
fn a_command_in_the_wrong_folder_creates_no_database() {
    let dir = tempfile::tempdir().unwrap();
    let of_merchant = ["--partner-id", "partner_1"];
    let commands: [&[&str]; 9] = [
        &["merchant", "add", "--name", "Shop"],
        &["merchant", "list"],
        &["merchant", "set", "--name", "Shop"],
        &["merchant", "key", "roll"],
        &["merchant", "key", "list"],
        &["webhook", "set", "--url", "https://shop.example/"],
        &["key", "rotate", "--signing"],
        &["key", "list"],
        &["audit", "list"],
    ];
    for command in commands {
        let wants_merchant = matches!(command[1], "set" | "key");
        let merchant: &[&str] = if wants_merchant { &of_merchant } else { &[] };
        let said = complaint(&run(dir.path(), &[command, merchant].concat()));
        assert!(
            said.contains("cardform.db") && said.contains("migrate"),
            "{command:?}: {said}"
        );
        let left = std::fs::read_dir(dir.path()).unwrap().count();
        assert_eq!(left, 0, "{command:?} left something");
    }
    std::fs::write(dir.path().join("cardform.db"), "").unwrap();
    let said = complaint(&run(dir.path(), &["merchant", "list"]));
    assert!(said.contains("migrate"), "an empty file is none of ours: {said}");
}

/// A returning shopper, who saves a card once and then pays with it each time.
async fn shops(
    shop: Arc<RunningService>,
    number: usize,
    key: watch::Receiver<String>,
    is_over: watch::Receiver<bool>,
) -> usize {
    let shopper = format!("shopper-{number}");
    let mut paid = 0;
    while !*is_over.borrow() {
        let mut wanted = new_charge();
        wanted["shopper_id"] = json!(shopper);
        wanted["enable_save_payment_method"] = json!(true);
        wanted["eligible_save_payment_methods"] = json!(true);
        wanted["display_saved_payment_method_list"] = json!(true);
        let secret_key = key.borrow().clone();
        let url = format!("{}/v1/charges", shop.service.url());
        let made = send(shop.http.post(url).bearer_auth(secret_key).json(&wanted)).await;
        assert_eq!(made.status, 201, "{made:?}");
        let charge: CreatedCharge = serde_json::from_value(made.body).unwrap();
        let url = format!("{}/v1/pub/shoppers/{shopper}/payment-methods", shop.service.url());
        let list = send(shop.http.get(url).bearer_auth(&charge.client_secret))
            .await
            .body;
        let body = match list["items"][0]["card"]["payment_method_id"].as_str() {
            Some(id) => saved(&charge, &shopper, id, "123"),
            None => card_to_save(&charge, &shopper, "4242424242424242"),
        };
        let url = format!("{}/v1/pub/direct/charges", shop.service.url());
        let press = shop.http.post(url).bearer_auth(&charge.client_secret);
        let answer = send(press.header("partner-id", &shop.partner_id).json(&body)).await;
        assert_eq!(answer.status_code(), "succeeded", "{answer:?}");
        paid += 1;
    }
    paid
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_key_is_rotated_under_load_without_an_error() {
    let (one, two) = (ring("one"), ring("two"));
    let shop = Arc::new(RunningService::with_vault(&one));
    let (key, current_key) = watch::channel(shop.secret_key.clone());
    let (end, is_over) = watch::channel(false);
    let shoppers: Vec<_> = (0..3)
        .map(|number| {
            tokio::spawn(shops(
                Arc::clone(&shop),
                number,
                current_key.clone(),
                is_over.clone(),
            ))
        })
        .collect();
    let turns = tokio::task::spawn_blocking({
        let shop = Arc::clone(&shop);
        move || {
            let vault = ["--vault-key-file", "keys"];
            shop.write_keys(&format!("{one}\n{two}\n"));
            shop.write_keys(&format!("{two}\n{one}\n"));
            let rotated = shop.run_json(&[&["key", "rotate"], &vault[..]].concat());
            assert_eq!(
                (&rotated["unusable"], &rotated["signing_keys"]),
                (&json!(0), &json!(1))
            );
            shop.run_json(&[&["key", "rotate"], &vault[..]].concat());
            shop.write_keys(&two);
            shop.run_json(&[&["key", "rotate", "--signing"], &vault[..]].concat());
            let of_merchant = ["--partner-id", &shop.partner_id];
            let rolled = shop.run_json(&[&["merchant", "key", "roll"], &of_merchant[..]].concat());
            key.send_replace(rolled["secret_key"].as_str().unwrap().to_owned());
        }
    });
    turns.await.unwrap();
    end.send_replace(true);
    for shopper in shoppers {
        assert!(shopper.await.unwrap() > 0, "every shopper paid");
    }
}
