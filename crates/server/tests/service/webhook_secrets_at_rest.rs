//! The secrets that sign webhooks are wrapped by the vault: the database alone is not enough to sign an event.

use std::path::Path;

use serde_json::Value;
use standardwebhooks::Webhook;
use store::StoredWebhookSecret;

use crate::cards::ring;
use crate::process::{Process, complaint, run};
use crate::webhooks::{all_are, events, other_merchant_is_paid, pass};
use crate::world::{PARTNER_ID, World};
use harness::receiver::{ReceivedEvent, WebhookReceiver};

const KEYS: [&str; 2] = ["--vault-key-file", "keys"];
const SHOP: &str = "https://shop.example/";

/// A folder with a database and the vault's keys.
fn folder(keys: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    write_keys(dir.path(), keys);
    assert!(run(dir.path(), &["migrate"]).status.success());
    dir
}

fn write_keys(dir: &Path, keys: &str) {
    std::fs::write(dir.join("keys"), keys).unwrap();
    let owner_alone = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(dir.join("keys"), owner_alone).unwrap();
}

fn said(dir: &Path, arguments: &[&[&str]]) -> Value {
    let output = run(dir, &[&arguments.concat()[..], &["--json"]].concat());
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A new merchant with a webhook: its id and its secret.
fn merchant(dir: &Path, keys: &[&str]) -> (String, String) {
    let add = ["merchant", "add", "--name", "Shop", "--webhook-url", SHOP];
    let added = said(dir, &[&add, keys]);
    let text = |name: &str| added[name].as_str().unwrap().to_owned();
    (text("partner_id"), text("webhook_secret"))
}

/// The secret that `webhook set` shows.
fn set(dir: &Path, partner_id: &str, more: &[&[&str]]) -> String {
    let set = ["webhook", "set", "--partner-id", partner_id, "--url", SHOP];
    let shown = said(dir, &[&[&set[..]], more].concat());
    shown["webhook_secret"].as_str().unwrap().to_owned()
}

/// Whether a file of the folder contains the text.
fn is_on_disk(dir: &Path, text: &str) -> bool {
    let files = std::fs::read_dir(dir).unwrap();
    files.into_iter().any(|file| {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    })
}

/// Starts and stops the service with the vault's keys. Returns its log.
fn log_of_a_start(dir: &Path) -> String {
    let serve = [
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--provider-url",
        "http://127.0.0.1:9",
    ];
    let service = Process::start(dir, &[&serve[..], &KEYS].concat(), "info");
    assert!(service.terminate().0);
    std::fs::read_to_string(dir.join("cardform.log")).unwrap()
}

#[test]
fn a_webhook_secret_is_not_in_the_files_of_a_database_with_keys() {
    let dir = folder(&ring("key-1"));
    let dir = dir.path();
    let (partner_id, first) = merchant(dir, &KEYS);
    assert!(!is_on_disk(dir, &first), "a new merchant's");
    let second = set(dir, &partner_id, &[&["--new-secret"], &KEYS]);
    assert_ne!(first, second);
    assert!(!is_on_disk(dir, &second), "a new one");
    assert_eq!(set(dir, &partner_id, &[&KEYS]), second, "it is shown again");

    // Without keys the secret is not wrapped, and the same search finds it, so the test can fail.
    let open = folder("");
    let (_, secret) = merchant(open.path(), &[]);
    assert!(is_on_disk(open.path(), &secret));
}

#[test]
fn a_plain_secret_is_refused_with_keys_until_a_command_wraps_it() {
    let dir = folder(&ring("key-1"));
    let dir = dir.path();
    let (partner_id, secret) = merchant(dir, &[]);
    let audit = || said(dir, &[&["audit", "list", "--subject", &partner_id]]).to_string();
    let log = log_of_a_start(dir);
    let lines: Vec<_> = log.lines().filter(|line| line.contains(&partner_id)).collect();
    assert_eq!(lines.len(), 1, "{log}");
    assert!(
        lines[0].contains("ERROR") && lines[0].contains("--wrap-plain"),
        "{log}"
    );
    assert!(audit().contains("webhook_secret_refused"), "{}", audit());
    assert!(is_on_disk(dir, &secret), "it is not wrapped by itself");
    let set_again = ["webhook", "set", "--partner-id", &partner_id, "--url", SHOP];
    let refused = complaint(&run(dir, &[&set_again[..], &KEYS].concat()));
    assert!(refused.contains("--new-secret"), "{refused}");
    let refused = complaint(&run(dir, &[&["key", "rotate"], &KEYS[..]].concat()));
    assert!(
        refused.contains(&partner_id) && refused.contains("--wrap-plain"),
        "{refused}"
    );
    assert!(is_on_disk(dir, &secret), "a usual rotation does not wrap it");

    let moved = said(dir, &[&["key", "rotate", "--wrap-plain"], &KEYS]);
    assert_eq!(moved["webhook_secrets"], 1, "{moved}");
    assert_eq!(set(dir, &partner_id, &[&KEYS]), secret, "it stays the same");
    assert!(audit().contains("webhook_secret_wrapped"), "{}", audit());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_planted_secret_signs_no_event() {
    let dir = tempfile::tempdir().unwrap();
    write_keys(dir.path(), &ring("key-1"));
    let world = world(dir.path()).await;
    let receiver = WebhookReceiver::start().await.unwrap();
    set_in(&world, dir.path(), &receiver.url);
    let store = &world.service.app.store;
    let mut endpoint = store.webhook_endpoint(PARTNER_ID).await.unwrap().unwrap();
    endpoint.secret = StoredWebhookSecret::plain("whsec_plJ3nmyCDGBKInavdOK15jsl");
    store.put_webhook_endpoint(&endpoint).await.unwrap();

    let charge = world.charge().await;
    world.pay(&charge, "a", "4242424242424242").await;
    events(&world.service, &charge, |events| events[0].last_result.is_some()).await;
    assert!(receiver.all().is_empty());
    let lines = store.audit_lines_of(PARTNER_ID, None, 10).await.unwrap();
    assert!(
        lines.iter().any(|line| line.action == "webhook_secret_refused"),
        "{lines:?}"
    );
    assert_eq!(
        store.webhook_endpoint(PARTNER_ID).await.unwrap().unwrap(),
        endpoint
    );
}

#[test]
fn a_vault_rotation_rewraps_webhook_secrets_too() {
    let (old, new) = (ring("old"), ring("new"));
    let dir = folder(&old);
    let dir = dir.path();
    let (partner_id, secret) = merchant(dir, &KEYS);
    write_keys(dir, &format!("{new}\n{old}\n"));
    let rotated = said(dir, &[&["key", "rotate"], &KEYS]);
    assert_eq!(rotated["webhook_secrets"], 1, "{rotated}");
    let again = said(dir, &[&["key", "rotate"], &KEYS]);
    assert_eq!(again["webhook_secrets"], 0, "nothing is left to do: {again}");

    write_keys(dir, &new);
    let listed = said(dir, &[&["key", "list"], &KEYS]);
    assert_eq!(listed["vault"][0]["key_id"], "new", "{listed}");
    assert_eq!(listed["vault"][0]["webhook_secrets"], 1, "{listed}");
    assert_eq!(set(dir, &partner_id, &[&KEYS]), secret);
}

#[test]
fn a_rotation_names_the_merchant_whose_webhook_secret_no_key_opens() {
    let dir = folder(&ring("lost"));
    let dir = dir.path();
    let (partner_id, _) = merchant(dir, &KEYS);
    write_keys(dir, &ring("new"));
    let said = complaint(&run(dir, &[&["key", "rotate"], &KEYS[..]].concat()));
    assert!(said.contains(&partner_id) && said.contains("webhook"), "{said}");
}

#[test]
fn commands_without_the_keys_fail_clearly_and_leave_nothing() {
    let dir = folder(&ring("spring"));
    let dir = dir.path();
    let (partner_id, secret) = merchant(dir, &KEYS);
    let set_again = ["webhook", "set", "--partner-id", &partner_id, "--url", SHOP];
    let add = ["merchant", "add", "--name", "Second", "--webhook-url", SHOP];
    let set_new = [&set_again[..], &["--new-secret"]].concat();
    for command in [&set_again[..], &set_new, &add] {
        let said = complaint(&run(dir, command));
        assert!(said.contains("--vault-key-file"), "{command:?}: {said}");
    }
    let merchants = said(dir, &[&["merchant", "list"]]);
    assert_eq!(merchants.as_array().unwrap().len(), 1, "{merchants}");

    write_keys(dir, &ring("summer"));
    let said = complaint(&run(dir, &[&set_again[..], &KEYS].concat()));
    for word in ["spring", "vault_key_file", "--new-secret"] {
        assert!(said.contains(word), "{said}");
    }
    assert_ne!(set(dir, &partner_id, &[&["--new-secret"], &KEYS]), secret);
}

#[test]
fn a_secret_that_no_key_opens_is_reported_at_start() {
    let dir = folder(&ring("lost"));
    let dir = dir.path();
    let (partner_id, _) = merchant(dir, &KEYS);
    write_keys(dir, &ring("new"));
    let (other, _) = merchant(dir, &KEYS);
    let log = log_of_a_start(dir);
    let lines: Vec<_> = log.lines().filter(|line| line.contains(&partner_id)).collect();
    assert_eq!(lines.len(), 1, "{log}");
    assert!(lines[0].contains("webhook") && lines[0].contains("lost"), "{log}");
    assert!(!log.contains(&other), "{log}");
}

#[test]
fn the_demos_webhook_secrets_are_wrapped_by_its_own_vault() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let demo = Process::start(dir, &["demo", "--listen", "127.0.0.1:0"], "info");
    let database = ["--database", "sqlite:.cardform/cardform.db"];
    let set_again = ["webhook", "set", "--partner-id", "partner_demo", "--url", SHOP];
    let refused = complaint(&run(dir, &[&set_again[..], &database].concat()));
    assert!(refused.contains("--vault-key-file"), "{refused}");
    let keys = ["--vault-key-file", ".cardform/vault-keys"];
    let secret = set(dir, "partner_demo", &[&database, &keys]);
    assert!(secret.starts_with("whsec_"));
    demo.terminate();
    assert!(!is_on_disk(&dir.join(".cardform"), &secret));
}

/// A service with the vault's keys in `keys` of this folder.
async fn world(dir: &Path) -> World {
    World::with(|settings| {
        settings.vault_key_file = Some(dir.join("keys"));
        settings.webhook_private_networks = Some(true);
    })
    .await
}

/// Sets the merchant's webhook with the keys of the folder. Returns its secret.
fn set_in(world: &World, dir: &Path, url: &str) -> String {
    let set = [
        "webhook",
        "set",
        "--partner-id",
        PARTNER_ID,
        "--url",
        url,
        "--new-secret",
    ];
    let more = [
        "--database",
        world.database(),
        "--webhook-private-networks",
        "true",
    ];
    let shown = said(dir, &[&set, &more, &KEYS]);
    shown["webhook_secret"].as_str().unwrap().to_owned()
}

/// Whether the event is signed with this secret, checked as a receiver does.
fn is_signed(event: &ReceivedEvent, secret: &str) -> bool {
    let sent_at = event.headers["webhook-timestamp"]
        .to_str()
        .unwrap()
        .parse()
        .unwrap();
    let signed = Webhook::new(secret)
        .unwrap()
        .sign(event.id(), sent_at, event.text.as_bytes());
    event.headers["webhook-signature"] == signed.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrapped_secret_signs_its_merchants_events() {
    let dir = tempfile::tempdir().unwrap();
    write_keys(dir.path(), &ring("key-1"));
    let world = world(dir.path()).await;
    let receiver = WebhookReceiver::start().await.unwrap();
    let secret = set_in(&world, dir.path(), &receiver.url);
    let stored = world
        .service
        .app
        .store
        .webhook_endpoint(PARTNER_ID)
        .await
        .unwrap()
        .unwrap()
        .secret;
    assert_eq!(stored.wrapped_by.as_deref(), Some("key-1"));

    let charge = world.charge().await;
    world.pay(&charge, "a", "4242424242424242").await;
    let arrived = receiver.arrived(2).await;
    assert!(
        arrived.iter().all(|event| is_signed(event, &secret)),
        "{arrived:?}"
    );
    let unknown_secret = "whsec_plJ3nmyCDGBKInavdOK15jsl";
    assert!(
        !is_signed(&arrived[0], unknown_secret),
        "the check can tell the difference"
    );
    // The receiver refuses events signed with the stored text.
    assert!(!Webhook::new(&stored.text).is_ok_and(|_| is_signed(&arrived[0], &stored.text)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_merchant_with_a_lost_key_delays_no_other_merchant() {
    let dir = tempfile::tempdir().unwrap();
    let (lost, new) = (ring("lost"), ring("new"));
    write_keys(dir.path(), &new);
    let world = world(dir.path()).await;
    let (receiver, heard) = (
        WebhookReceiver::start().await.unwrap(),
        WebhookReceiver::start().await.unwrap(),
    );
    write_keys(dir.path(), &lost);
    let secret = set_in(&world, dir.path(), &receiver.url);
    write_keys(dir.path(), &new);

    let charge = world.charge().await;
    world.pay(&charge, "a", "4242424242424242").await;
    let seen = events(&world.service, &charge, |events| events[0].last_result.is_some()).await;
    assert_eq!(seen[0].state, "due");
    let result = seen[0].last_result.as_deref().unwrap();
    assert!(result.contains("secret cannot be opened"), "{result}");
    other_merchant_is_paid(&world, &heard.url).await;
    assert_eq!(heard.arrived(2).await.len(), 2);
    assert!(receiver.all().is_empty());

    // The key is back: the waiting events are sent within five minutes, the longest pause.
    write_keys(dir.path(), &format!("{new}\n{lost}\n"));
    pass(&world, 5 * 60_000);
    events(&world.service, &charge, all_are("delivered")).await;
    assert!(receiver.all().iter().all(|event| is_signed(event, &secret)));
}
