//! The keys that sign client secrets are wrapped by the vault: the database alone is not enough to sign anything.

use aws_lc_rs::signature::Ed25519KeyPair;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use protocol::CreatedCharge;
use reqwest::Method;
use serde_json::{Value, json};
use store::StoredSigningKey;

use crate::cards::ring;
use crate::process::{complaint, run};
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
async fn an_old_plain_signing_key_is_wrapped_and_stays_valid() {
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
    let after = world.service.app.store.signing_keys().await.unwrap();
    assert_eq!(after.len(), 1);
    assert_eq!(after[0].wrapped_by.as_deref(), Some("key-1"));
    assert_ne!(after[0].private_key, before[0].private_key);
    let url = format!("http://{}/v1/pub/charges/{}", node.address, charge.id);
    let looked = send(world.http.get(url).bearer_auth(&charge.client_secret)).await;
    assert_eq!(looked.status, 200);
    let lines = node
        .app
        .store
        .audit_lines_of(&after[0].id, None, 10)
        .await
        .unwrap();
    assert!(lines.iter().any(|line| line.action == "signing_key_wrapped"));
    node.stop().await;
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
