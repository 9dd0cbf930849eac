//! `GET /openapi.json`: compares the description with the routes, and with the handwritten docs.

use std::collections::{BTreeMap, BTreeSet};

use protocol::{DeclineCode, ErrorCode};
use reqwest::Method;
use serde_json::{Value, json};
use server::openapi::operations::OPERATIONS;
use web::{Caller, Operation};

use crate::world::{World, send};

const ROUTES: &str = include_str!("../../src/service/routes.rs");
const DOCS: &str = include_str!("../../../../docs/merchant-api.md");

/// The paths that `routes.rs` serves below `/v1`.
fn routed() -> BTreeSet<String> {
    let api = ROUTES.split("fn api()").nth(1).unwrap();
    let api = api.split("\n}\n").next().unwrap();
    for other in [".nest(", ".merge(", "_service("] {
        assert!(!api.contains(other), "this test does not see through `{other}`");
    }
    let paths = api.split(".route(").skip(1);
    paths
        .map(|route| format!("/v1{}", route.split('"').nth(1).unwrap()))
        .collect()
}

async fn description(world: &World) -> Value {
    let answer = send(world.request(Method::GET, "/openapi.json")).await;
    assert_eq!(answer.status, 200);
    answer.body
}

#[tokio::test]
async fn every_route_has_an_operation_and_every_operation_a_route() {
    let world = World::new().await;
    let mut described = BTreeMap::<String, BTreeSet<String>>::new();
    for operation in OPERATIONS {
        let methods = described.entry(operation.path.to_owned()).or_default();
        assert!(
            methods.insert(operation.method.to_owned()),
            "{} is there twice",
            operation.path
        );
    }
    assert_eq!(
        routed(),
        described.keys().cloned().collect(),
        "paths: routes.rs against openapi/operations.rs"
    );
    for (path, methods) in described {
        // No path has this method, so the answer lists the allowed ones.
        let request = world.request(Method::TRACE, &path.replace(['{', '}'], ""));
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), 405, "{path}");
        let allowed = answer.headers()["allow"].to_str().unwrap();
        let served = allowed.split(',').filter(|method| *method != "HEAD");
        assert_eq!(
            served.map(str::to_owned).collect::<BTreeSet<_>>(),
            methods,
            "{path}"
        );
    }
}

#[tokio::test]
async fn an_unchanged_description_is_a_304() {
    let world = World::new().await;
    let get = || world.request(Method::GET, "/openapi.json");
    let answer = get().send().await.unwrap();
    let header = |name: &str| answer.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("content-type"), "application/json");
    assert_eq!(header("cache-control"), "public, max-age=3600");
    let again = get()
        .header("if-none-match", header("etag"))
        .send()
        .await
        .unwrap();
    assert_eq!(again.status(), 304);
    assert_eq!(again.text().await.unwrap(), "");
    let other = get().header("if-none-match", "\"other\"").send().await.unwrap();
    assert_eq!(other.status(), 200);
}

fn references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match field {
                    Value::String(to) if name == "$ref" => {
                        found.insert(to.clone());
                    }
                    _ => references(field, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

#[tokio::test]
async fn the_description_is_openapi_with_valid_references() {
    let world = World::new().await;
    let document = description(&world).await;
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["info"]["version"], env!("CARGO_PKG_VERSION"));
    let mut found = BTreeSet::new();
    references(&document, &mut found);
    assert!(found.len() > 10, "{found:?}");
    for reference in found {
        let place = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(place).is_some(), "{reference}");
    }
    // It does not cite the repository's documents.
    assert!(!document.to_string().contains(".md"), "a citation is left");
}

#[tokio::test]
async fn the_description_has_what_a_merchant_must_know() {
    let world = World::new().await;
    let document = description(&world).await;
    let create = &document["paths"]["/v1/charges"]["post"];
    assert_eq!(create["security"], serde_json::json!([{ "secretKey": [] }]));
    let required = &document["components"]["schemas"]["CreateCharge"]["required"];
    assert_eq!(required.as_array().unwrap().len(), 5, "{required}");
    let event = &document["webhooks"]["charge.succeeded"]["post"];
    assert!(event["requestBody"].to_string().contains("ChargeEvent"));
    let pay = &document["paths"]["/v1/pub/direct/charges"]["post"]["responses"];
    assert!(pay["429"]["headers"]["retry-after"]["required"] == true);
    let codes =
        pay["403"]["content"]["application/json"]["schema"]["allOf"][1]["properties"]["error"]["properties"]
            ["code"]["enum"]
            .clone();
    assert_eq!(
        codes,
        serde_json::json!(["partner_mismatch", "charge_mismatch", "merchant_inactive"])
    );
}

/// The rows of the table below this heading, each as its cells without backticks.
fn table(heading: &str) -> Vec<Vec<String>> {
    let section = DOCS.split(&format!("\n## {heading}\n")).nth(1).expect(heading);
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    // The first row names the columns.
    rows.skip(1)
        .map(|row| {
            let cells = row.trim_matches('|').split('|');
            cells.map(|cell| cell.trim().replace('`', "")).collect()
        })
        .collect()
}

#[tokio::test]
async fn the_docs_list_every_error_code_with_its_status() {
    let world = World::new().await;
    let document = description(&world).await;
    let variants = document["components"]["schemas"]["ErrorCode"]["enum"].clone();
    let codes = variants.as_array().unwrap().iter().map(|variant| {
        let code: ErrorCode = serde_json::from_value(variant.clone()).unwrap();
        let name = variant.as_str().unwrap().to_owned();
        (name, code.status().to_string())
    });
    let documented = table("Errors").into_iter().map(|mut row| {
        let status = row.remove(1);
        (row.remove(0), status)
    });
    assert_eq!(
        documented.collect::<BTreeMap<_, _>>(),
        codes.collect::<BTreeMap<_, _>>()
    );
}

#[test]
fn an_error_that_a_merchants_call_answers_is_not_marked_as_the_pages() {
    let merchants = OPERATIONS.iter().filter(|one| one.caller == Caller::Merchant);
    let codes: Vec<_> = merchants.flat_map(Operation::error_codes).collect();
    let marked = table("Errors")
        .into_iter()
        .filter(|row| row[2].starts_with("page:"));
    let wrong: Vec<_> = marked
        .filter(|row| codes.iter().any(|code| json!(code) == row[0]))
        .map(|row| row[0].clone())
        .collect();
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn the_docs_list_every_decline_code_and_its_retry() {
    let codes = DeclineCode::ALL.iter().map(|code| {
        let row = code.row();
        let again = if row.retryable { "yes" } else { "no" };
        (code.as_str().to_owned(), again.to_owned())
    });
    let documented = table("Declines").into_iter().map(|mut row| {
        let again = row.remove(1);
        (row.remove(0), again)
    });
    assert_eq!(
        documented.collect::<BTreeMap<_, _>>(),
        codes.collect::<BTreeMap<_, _>>()
    );
}
