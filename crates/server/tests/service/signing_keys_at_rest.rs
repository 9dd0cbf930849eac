//! The keys that sign client secrets are wrapped by the vault: the database alone is not enough to sign anything.

use aws_lc_rs::signature::Ed25519KeyPair;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use protocol::CreatedCharge;
use reqwest::Method;
use serde_json::{Value, json};
use store::{Actor, StoredSigningKey};

use crate::cards::ring;
use crate::process::{Process, complaint, run};
use crate::waiting::holds;
use crate::world::{World, send};

/// A client secret of `charge` with another amount, signed with the key in the database; `None` if the database has no
/// usable key.
fn forged(charge: &CreatedCharge, stored: &StoredSigningKey) -> Option<String> {
    let der = STANDARD.decode(&stored.private_key).unwrap();
    Ed25519KeyPair::from_pkcs8(&der).ok()?;
    let claims = charge.client_secret.split('.').nth(1).unwrap();
    let mut claims: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).unwrap()).unwrap();
    claims["jti"] = json!("tok_forged");
    let mut header = Header::new(Algorithm::EdDSA);
    header.kid = Some(stored.id.clone());
    jsonwebtoken::encode(&header, &claims, &EncodingKey::from_ed_der(&der)).ok()
}

async fn opens(world: &World, charge: &CreatedCharge, token: &str) -> bool {
    let path = format!("/v1/pub/charges/{}", charge.id);
    send(world.request(Method::GET, &path).bearer_auth(token))
        .await
        .status
        == 200
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_secret_cannot_be_forged_from_the_database_alone() {
    let world = World::with_vault().await;
    let charge = world.charge().await;
    let stored = world.service.app.store.signing_keys().await.unwrap();
    assert_eq!(stored.len(), 1);
    assert_eq!(stored[0].wrapped_by.as_deref(), Some("key-1"));
    assert_eq!(forged(&charge, &stored[0]), None, "what is stored signs nothing");

    // Without a vault the key is not wrapped, and the same forgery works, so the test can fail.
    let open = World::new().await;
    let charge = open.charge().await;
    let stored = open.service.app.store.signing_keys().await.unwrap();
    let token = forged(&charge, &stored[0]).unwrap();
    assert!(opens(&open, &charge, &token).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plain_key_of_before_the_vault_is_refused_until_a_command_wraps_it() {
    let dir = tempfile::tempdir().unwrap();
    let keys = dir.path().join("keys");
    std::fs::write(&keys, ring("key-1")).unwrap();
    let world = World::new().await;
    let charge = world.charge().await;
    let before = world.service.app.store.signing_keys().await.unwrap();
    assert_eq!(before[0].wrapped_by, None);

    let node = world
        .another_node_with(|settings| settings.vault_key_file = Some(keys.clone()))
        .await;
    let url = format!("http://{}/v1/pub/charges/{}", node.address, charge.id);
    let looked = async || {
        let request = world.http.get(&url).bearer_auth(&charge.client_secret);
        send(request).await.status
    };
    assert_eq!(looked().await, 401, "it is not used");
    let after = world.service.app.store.signing_keys().await.unwrap();
    let (plain, wrapped): (Vec<_>, Vec<_>) = after.into_iter().partition(|key| key.wrapped_by.is_none());
    assert_eq!(plain, before, "it is not wrapped by itself");
    assert_eq!(wrapped.len(), 1, "the service signs with a key of its own");
    assert_eq!(node.app.signing_keys.active().await.unwrap().id(), wrapped[0].id);

    let file = keys.display().to_string();
    let rotate = [
        "key",
        "rotate",
        "--database",
        world.database(),
        "--vault-key-file",
        &file,
    ];
    let said = complaint(&run(world.dir.path(), &rotate));
    assert!(
        said.contains(&before[0].id) && said.contains("--wrap-plain"),
        "{said}"
    );
    assert_eq!(looked().await, 401, "a usual rotation does not wrap it");
    let moved = run(world.dir.path(), &[&rotate[..], &["--wrap-plain"]].concat());
    assert!(moved.status.success(), "{moved:?}");
    holds("the key is read again", async || looked().await == 200).await;
    let lines = node
        .app
        .store
        .audit_lines_of(&before[0].id, None, 10)
        .await
        .unwrap();
    let acts: Vec<_> = lines.iter().map(|line| line.action.as_str()).collect();
    assert!(acts.contains(&"signing_key_wrapped"), "{acts:?}");
    node.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_planted_signing_key_signs_nothing_and_is_reported() {
    let world = World::with_vault().await;
    let charge = world.charge().await;
    let app = &world.service.app;
    let own = app.signing_keys.active().await.unwrap().id().to_owned();
    // A key that another service made, with the newest date.
    let other = World::new().await;
    let mut planted = other.service.app.store.signing_keys().await.unwrap().remove(0);
    planted.created_at = world.clock.now_ms() + 1_000;
    let by = Actor::service(0);
    app.store.add_signing_key(&planted, None, &by).await.unwrap();

    // The service has read the keys when it reports this one.
    holds("the key is reported", async || {
        app.signing_keys.active().await.unwrap();
        let lines = app.store.audit_lines_of(&planted.id, None, 10).await.unwrap();
        lines.iter().any(|line| line.action == "signing_key_refused")
    })
    .await;
    assert_eq!(app.signing_keys.active().await.unwrap().id(), own);
    assert!(
        app.signing_keys.key(&planted.id).await.unwrap().is_none(),
        "it checks no signature and opens no card"
    );
    assert!(opens(&world, &charge, &charge.client_secret).await);
    assert!(!opens(&world, &charge, &forged(&charge, &planted).unwrap()).await);
    let stored = app.store.signing_keys().await.unwrap();
    assert_eq!(stored[0], planted, "it was not wrapped");
}

#[test]
fn a_plain_signing_key_is_named_in_the_log_and_the_list() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::fs::write(dir.join("keys"), ring("key-1")).unwrap();
    assert!(run(dir, &["migrate"]).status.success());
    let made = run(dir, &["key", "rotate", "--signing", "--json"]);
    let plain: Value = serde_json::from_slice(&made.stdout).unwrap();
    let plain = plain["key_id"].as_str().unwrap();
    let with_vault = ["--vault-key-file", "keys"];
    let serve = [
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--provider-url",
        "http://127.0.0.1:9",
    ];
    let service = Process::start(dir, &[&serve[..], &with_vault].concat(), "info");
    assert!(service.terminate().0);
    let log = std::fs::read_to_string(dir.join("cardform.log")).unwrap();
    let lines: Vec<_> = log.lines().filter(|line| line.contains(plain)).collect();
    assert_eq!(lines.len(), 1, "{log}");
    assert!(
        lines[0].contains("ERROR") && lines[0].contains("--wrap-plain"),
        "{log}"
    );

    let list = || {
        let listed = run(dir, &[&["key", "list", "--json"], &with_vault[..]].concat());
        let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
        listed["signing"].as_array().unwrap().clone()
    };
    let state = |id: &str| list().iter().find(|key| key["key_id"] == id).unwrap()["state"].clone();
    assert_eq!(state(plain), "refused");
    // When the only usable key is revoked, the refused one does not count as its successor.
    let listed = list();
    let own = listed.iter().find(|key| key["state"] == "good").unwrap()["key_id"]
        .as_str()
        .unwrap();
    let revoke = ["key", "revoke", "--signing", "--json", "--key-id", own];
    let revoked = run(dir, &[&revoke[..], &with_vault].concat());
    let revoked: Value = serde_json::from_slice(&revoked.stdout).unwrap();
    assert_eq!(state(revoked["key_id"].as_str().unwrap()), "good", "{revoked}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_vault_rotation_rewraps_signing_keys_too() {
    let dir = tempfile::tempdir().unwrap();
    let keys = dir.path().join("keys");
    let (old, new) = (ring("old"), ring("new"));
    std::fs::write(&keys, &old).unwrap();
    let world = World::with(|settings| settings.vault_key_file = Some(keys.clone())).await;
    let charge = world.charge().await;
    std::fs::write(&keys, format!("{new}\n{old}\n")).unwrap();
    let file = keys.display().to_string();
    let with_vault = [
        "--database",
        world.database(),
        "--vault-key-file",
        &file,
        "--json",
    ];
    let rotated = run(world.dir.path(), &[&["key", "rotate"], &with_vault[..]].concat());
    assert!(rotated.status.success(), "{rotated:?}");
    std::fs::write(&keys, &new).unwrap();
    let listed = run(world.dir.path(), &[&["key", "list"], &with_vault[..]].concat());
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!(listed["vault"][0]["key_id"], "new", "{listed}");
    assert_eq!(listed["vault"][0]["signing_keys"], 1, "{listed}");
    let node = world.another_node().await;
    let url = format!("http://{}/v1/pub/charges/{}", node.address, charge.id);
    assert_eq!(
        send(world.http.get(url).bearer_auth(&charge.client_secret))
            .await
            .status,
        200
    );
    node.stop().await;
}

#[test]
fn a_service_without_its_wrapping_key_names_it_and_stops() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("keys"), ring("spring")).unwrap();
    let with_key = ["--vault-key-file", "keys"];
    assert!(run(dir.path(), &["migrate"]).status.success());
    let rotated = run(
        dir.path(),
        &[&["key", "rotate", "--signing"], &with_key[..]].concat(),
    );
    assert!(rotated.status.success(), "{rotated:?}");
    let serve = [
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--provider-url",
        "http://127.0.0.1:9",
    ];
    let said = complaint(&run(dir.path(), &serve));
    assert!(
        said.contains("spring") && said.contains("vault_key_file"),
        "{said}"
    );
}
