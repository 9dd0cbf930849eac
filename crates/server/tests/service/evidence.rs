//! `cardform evidence`: prints how a page must be served, and compares a served page with that.

use std::collections::HashSet;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use crate::changing_proxy::{ReplyChange, changed};
use crate::process::run;
use crate::world::World;

/// The settings of the tested service, as arguments of the command.
pub(crate) fn evidence(world: &World, arguments: &[&str]) -> (Option<i32>, Value) {
    let mut words = vec!["evidence", "--provider-url", &world.provider.url, "--json"];
    if !arguments.contains(&"--database") {
        words.extend(["--database", world.database()]);
    }
    words.extend(arguments);
    let output = run(world.dir.path(), &words);
    let said = String::from_utf8(output.stdout).unwrap();
    let said = serde_json::from_str(&said)
        .unwrap_or_else(|_| panic!("{said}\n{}", String::from_utf8_lossy(&output.stderr)));
    (output.status.code(), said)
}

async fn page(world: &World) -> String {
    let charge = world.charge().await;
    world.url(&format!("/?payload={}", charge.payload))
}

/// The output of `verify` for the page behind this proxy.
pub(crate) async fn verified(world: &World, change: ReplyChange, arguments: &[&str]) -> (Option<i32>, Value) {
    let payload = world.charge().await.payload;
    let (_listening, url) = changed(world, change).await;
    let page = format!("{url}/?payload={payload}");
    let words: Vec<&str> = ["verify", &page]
        .into_iter()
        .chain(arguments.iter().copied())
        .collect();
    evidence(world, &words)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_served_page_has_no_differences() {
    let world = World::new().await;
    let page = page(&world).await;
    let (code, said) = evidence(&world, &["verify", &page]);
    assert_eq!((code, &said["differences"]), (Some(0), &Value::Array(Vec::new())));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_headers_of_a_plain_proxy_are_no_difference() {
    let world = World::new().await;
    let plain: ReplyChange = |reply| {
        reply.add("via", "1.1 proxy");
        reply.set("server", "nginx");
        reply.add("x-cache", "MISS");
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(&reply.body).unwrap();
        reply.body = gzip.finish().unwrap();
        reply.set("content-encoding", "gzip");
        if reply.is_page() {
            reply.set("content-type", "text/html;charset=UTF-8");
        }
    };
    let (code, said) = verified(&world, plain, &[]).await;
    assert_eq!((code, &said["differences"]), (Some(0), &json!([])), "{said}");
    assert_eq!(said["not_compared"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_with_theme_and_language_has_no_differences() {
    let world = World::new().await;
    let charge = world.charge().await;
    let style = r##"{"children":{"cardForm":{"errorColor":"#aa0000"}},"fonts":[]}"##;
    let query = serde_urlencoded::to_string([
        ("payload", charge.payload.as_str()),
        ("customStyle", style),
        (
            "options",
            r#"{"show_cardholder_name":true,"color_mode":"dark","cookie_id":"c1"}"#,
        ),
        ("init_time", "1752580800000"),
    ])
    .unwrap();
    let (code, said) = evidence(&world, &["verify", &world.url(&format!("/ar-SA?{query}"))]);
    assert_eq!((code, &said["differences"]), (Some(0), &json!([])), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_database_the_uncompared_parts_are_listed() {
    let world = World::new().await;
    let elsewhere = |change: ReplyChange, arguments: &'static [&'static str]| {
        let world = &world;
        async move {
            let payload = world.charge().await.payload;
            let (_listening, url) = changed(world, change).await;
            let page = format!("{url}/?payload={payload}");
            let mut words = vec!["--database", "sqlite:nowhere.db", "verify", &page];
            words.extend(arguments);
            evidence(world, &words)
        }
    };
    let (code, said) = elsewhere(|_| (), &[]).await;
    assert_eq!(code, Some(0), "{said}");
    let skipped: Vec<&str> = said["not_compared"]
        .as_array()
        .unwrap()
        .iter()
        .map(|skipped| skipped["what"].as_str().unwrap())
        .collect();
    assert_eq!(skipped, ["card_key", "frame-ancestors", "payee"]);
    assert!(!world.dir.path().join("nowhere.db").exists());

    let open: ReplyChange = |reply| reply.policy("frame-ancestors https://shop.example", "frame-ancestors *");
    let (code, said) = elsewhere(open, &[]).await;
    assert_eq!(code, Some(1), "{said}");
    assert!(said.to_string().contains("--allowed-origin"), "{said}");

    let pinned: &[&str] = &["--allowed-origin", "https://shop.example", "--card-key", "AAAA"];
    let (code, said) = elsewhere(|_| (), pinned).await;
    assert_eq!(code, Some(1), "{said}");
    assert_eq!(said["differences"][0]["what"], "card_key.x");
    assert_eq!(said["not_compared"][0]["what"], "payee");
    let (code, said) = elsewhere(|_| (), &["--any-origin"]).await;
    assert_eq!(code, Some(1), "{said}");
    assert!(said.to_string().contains("frame-ancestors"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_card_key_that_evidence_prints_is_the_one_that_verify_expects() {
    let world = World::new().await;
    let database = world.database();
    let (code, said) = evidence(&world, &["--database", database]);
    assert_eq!(code, Some(0));
    let key = said["card_key"]["x"].as_str().unwrap();
    let page = page(&world).await;
    let named = [
        "--database",
        "sqlite:nowhere.db",
        "verify",
        &page,
        "--card-key",
        key,
    ];
    let (code, said) = evidence(&world, &named);
    assert_eq!((code, &said["differences"]), (Some(0), &json!([])), "{said}");
    let skipped = said["not_compared"].to_string();
    assert!(!skipped.contains("card_key"), "{skipped}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_inventory_names_each_script_with_purpose_and_hash() {
    let world = World::new().await;
    let (code, said) = evidence(&world, &[]);
    assert_eq!(code, Some(0));
    let files = &said["scripts_and_styles"];
    assert_eq!(files["/sdk/cardform.js"]["loaded"], "merchants_page");
    let doctor = files["/sdk/doctor.js"]["purpose"].as_str().unwrap();
    assert!(doctor.contains("under development"), "{doctor}");
    let files = files.as_object().unwrap();
    let first = files.values().filter(|file| file["loaded"] == "first");
    assert_eq!(first.count(), 2, "one script and one style sheet come first");
    for (path, file) in files {
        let text = |name: &str| file[name].as_str().unwrap();
        assert!(
            !text("purpose").starts_with("Unknown"),
            "{path}: add it to PURPOSES"
        );
        assert!(
            text("integrity").starts_with("sha384-") && text("sha256").len() == 64,
            "{path}"
        );
    }
    assert_eq!(said["headers"]["x-content-type-options"], "nosniff");
}

/// The output of `cardform evidence components`.
fn components() -> Value {
    let dir = tempfile::tempdir().unwrap();
    let output = run(dir.path(), &["evidence", "components"]);
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn is_hash(algorithm: &str, content: &str) -> bool {
    let digits = match algorithm {
        "SHA-1" => 40,
        "SHA-256" => 64,
        "SHA-384" => 96,
        "SHA-512" => 128,
        _ => return false,
    };
    content.len() == digits && content.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Checks the rules of the JSON schema of `CycloneDX` 1.6 for the parts that we use: required fields, allowed words,
/// patterns.
#[test]
fn the_list_of_components_has_cyclonedx_format() {
    let list: Value = components();
    let names: HashSet<&str> = list.as_object().unwrap().keys().map(String::as_str).collect();
    let known = [
        "$schema",
        "bomFormat",
        "specVersion",
        "version",
        "metadata",
        "components",
    ];
    assert!(names.iter().all(|name| known.contains(name)), "{names:?}");
    assert_eq!(list["$schema"], "http://cyclonedx.org/schema/bom-1.6.schema.json");
    assert_eq!(
        (&list["bomFormat"], &list["specVersion"]),
        (&"CycloneDX".into(), &"1.6".into())
    );
    assert!(list["version"].as_u64().unwrap() >= 1);
    assert_eq!(list["metadata"]["component"]["type"], "application");
    let mut refs = HashSet::new();
    for component in list["components"].as_array().unwrap() {
        let text = |name: &str| {
            component[name]
                .as_str()
                .unwrap_or_else(|| panic!("{name} of {component}"))
        };
        assert_eq!(text("type"), "library");
        assert!(!text("name").is_empty() && !text("version").is_empty());
        assert!(["required", "optional", "excluded"].contains(&text("scope")));
        let purl = text("purl");
        assert!(
            purl.starts_with("pkg:cargo/") || purl.starts_with("pkg:npm/"),
            "{purl}"
        );
        assert!(
            purl.contains(&format!("@{}", text("version").replace('+', "%2B"))),
            "{purl}"
        );
        assert!(refs.insert(text("bom-ref").to_owned()), "{purl} is there twice");
        for hash in component["hashes"].as_array().into_iter().flatten() {
            let [algorithm, content] = ["alg", "content"].map(|name| hash[name].as_str().unwrap());
            assert!(is_hash(algorithm, content), "{hash} of {purl}");
        }
        for licence in component["licenses"].as_array().into_iter().flatten() {
            assert!(!licence["expression"].as_str().unwrap().is_empty(), "{purl}");
        }
    }
}

#[test]
fn crates_and_npm_packages_are_listed_with_their_hashes() {
    let list: Value = components();
    let components = list["components"].as_array().unwrap();
    let of = |start: &str| {
        components
            .iter()
            .find(|component| component["purl"].as_str().unwrap().starts_with(start))
            .unwrap_or_else(|| panic!("no {start}"))
    };
    assert_eq!(of("pkg:cargo/axum@")["hashes"][0]["alg"], "SHA-256");
    assert_eq!(of("pkg:npm/react@")["hashes"][0]["alg"], "SHA-512");
    assert_eq!(of("pkg:npm/react@")["scope"], "required");
    assert_eq!(of("pkg:npm/vitest@")["scope"], "excluded", "no shopper gets it");
    assert!(
        components.iter().all(|component| component["name"] != "server"),
        "our own"
    );
}
