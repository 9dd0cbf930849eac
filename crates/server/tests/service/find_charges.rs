//! A merchant finds its charges: all of them page by page, those with a value, and as a table.

use protocol::CreatedCharge;
use reqwest::Method;
use serde_json::{Value, json};

use crate::world::{Answer, SECRET_KEY, World, new_charge, send};

const GOOD: &str = "4242424242424242";
const OTHER_GOOD: &str = "5555555555554444";
const DECLINED: &str = "4000000000009995";

async fn list(world: &World, query: &str) -> Answer {
    let request = world.request(Method::GET, &format!("/v1/charges{query}"));
    send(request.bearer_auth(SECRET_KEY)).await
}

/// The ids of a page.
async fn ids(world: &World, query: &str) -> Vec<String> {
    let answer = list(world, query).await;
    assert_eq!(answer.status, 200, "{query}: {answer:?}");
    assert_eq!(answer.body["next"], Value::Null, "{query}");
    ids_of(&answer.body)
}

fn ids_of(page: &Value) -> Vec<String> {
    let items = page["items"].as_array().unwrap().iter();
    items
        .map(|item| item["id"].as_str().unwrap().to_owned())
        .collect()
}

async fn table(world: &World, query: &str) -> Vec<csv::StringRecord> {
    let request = world
        .request(Method::GET, &format!("/v1/charges{query}"))
        .header("accept", "text/csv");
    let answer = request.bearer_auth(SECRET_KEY).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let kind = answer.headers()["content-type"].to_str().unwrap();
    assert_eq!(kind, "text/csv; charset=utf-8; header=present");
    let text = answer.text().await.unwrap();
    let mut rows = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(text.as_bytes());
    rows.records().map(Result::unwrap).collect()
}

async fn create(world: &World, change: impl FnOnce(&mut Value)) -> CreatedCharge {
    let mut body = new_charge();
    change(&mut body);
    let answer = world.create(&body, None).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    serde_json::from_value(answer.body).unwrap()
}

#[tokio::test]
async fn every_charge_is_on_one_page_while_others_are_made() {
    let world = World::new().await;
    let mut made = Vec::new();
    for number in 0..25 {
        made.push(world.charge().await.id);
        world.clock.advance_ms(number % 2);
    }
    let (mut seen, mut query) = (Vec::new(), "?limit=4".to_owned());
    loop {
        let page = list(&world, &query).await.body;
        seen.extend(ids_of(&page));
        made.push(world.charge().await.id);
        let Some(next) = page["next"].as_str() else {
            break;
        };
        query = format!("?limit=4&after={next}");
    }
    made.truncate(25);
    let mut sorted = seen.clone();
    sorted.sort();
    made.sort();
    assert_eq!(sorted, made);
    let page = list(&world, "").await.body;
    assert_eq!(ids_of(&page).len(), 20);
    let last = page["items"][0]["id"].as_str().unwrap();
    assert_eq!(page["items"][0], world.view(last).await);
}

#[tokio::test]
async fn each_filter_finds_its_charges() {
    let world = World::new().await;
    let paid = create(&world, |body| {
        body["partner_reference"] = json!("order-1");
        body["shopper_id"] = json!("ana");
    })
    .await;
    let mut press = crate::world::card(&paid, OTHER_GOOD);
    press["payment_method"]["shopper"] = json!({ "id": "ana" });
    assert_eq!(send(world.press(&paid, "a", &press)).await.status, 201);
    world.clock.advance_ms(60_000);
    let declined = world.charge().await;
    world.pay(&declined, "a", DECLINED).await;
    let open = create(&world, |body| body["partner_reference"] = json!("Łódź & co")).await;
    let reference = world.view(&paid.id).await["provider"]["reference"].clone();
    let reference = reference.as_str().unwrap().to_owned();
    for (query, expected) in [
        ("?status=succeeded", vec![&paid]),
        ("?status=failed", vec![&declined]),
        ("?status=canceled", vec![]),
        ("?partner_reference=order-1&status=created", vec![]),
        ("?partner_reference=%C5%81%C3%B3d%C5%BA+%26+co", vec![&open]),
        ("?shopper_id=ana", vec![&paid]),
        ("?shopper_id=ben", vec![]),
        ("?last_four=4444", vec![&paid]),
        ("?last_four=9995", vec![&declined]),
        ("?decline_code=insufficient_funds", vec![&declined]),
        ("?decline_code=lost_card", vec![]),
        (&format!("?provider_reference={reference}"), vec![&paid]),
        ("?created_to=2026-07-15T12:01:00Z", vec![&paid]),
        (
            "?created_from=2026-07-15T12:01:00Z&created_to=2026-07-15T12:00:00Z",
            vec![],
        ),
        (
            "?created_from=2026-07-15T14:01:00%2B02:00&last_four=9995",
            vec![&declined],
        ),
        ("?created_from=2026-07-15T12:01:01Z", vec![]),
    ] {
        let expected: Vec<_> = expected.iter().map(|charge| charge.id.clone()).collect();
        assert_eq!(ids(&world, query).await, expected, "{query}");
    }
}

#[tokio::test]
async fn another_merchant_finds_nothing() {
    let world = World::new().await;
    world.charge().await;
    let other_key = world.another_merchant().await;
    for query in ["", "?status=created", "?partner_reference=order-1"] {
        let request = world.request(Method::GET, &format!("/v1/charges{query}"));
        let answer = send(request.bearer_auth(other_key)).await;
        assert_eq!(answer.body, json!({"items": [], "next": null}), "{query}");
    }
    let without_key = send(world.request(Method::GET, "/v1/charges")).await;
    assert_eq!(without_key.code(), "secret_key_invalid");
}

#[tokio::test]
async fn a_bad_query_is_refused_by_the_name_of_the_parameter() {
    let world = World::new().await;
    for (query, field) in [
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("limit=5&limit=6", "limit"),
        ("after=next", "after"),
        ("after=1.ch_%00", "after"),
        ("created_from=2026-07-15", "created_from"),
        ("status=paid", "status"),
        ("partner_reference=", "partner_reference"),
        ("partner_reference=%00", "partner_reference"),
        ("shopper_id=%1b", "shopper_id"),
        ("last_four=424", "last_four"),
        ("decline_code=declined", "decline_code"),
        ("provider_reference=+", "provider_reference"),
        ("reference=order-1", "reference"),
        ("%3Cb%3E=1", "query"),
    ] {
        let answer = list(&world, &format!("?{query}")).await;
        let refused = (answer.status, answer.code(), answer.field());
        assert_eq!(refused, (400, "invalid_request", field), "{query}");
    }
}

#[tokio::test]
async fn a_table_has_all_charges_and_no_formula() {
    let world = World::new().await;
    let link = "=HYPERLINK(\"https://evil.example\",\"open\")";
    let paid = create(&world, |body| {
        body["partner_reference"] = json!(link);
        body["metadata"] = json!({"floor": "3"});
    })
    .await;
    let mut press = crate::world::card(&paid, GOOD);
    press["partner_reference"] = json!(link);
    assert_eq!(send(world.press(&paid, "a", &press)).await.status, 201);
    world.clock.advance_ms(1);
    // More than a page.
    for _ in 0..120 {
        world.charge().await;
    }
    let rows = table(&world, "").await;
    assert_eq!(rows.len(), 1 + 121);
    let column = |name: &str| rows[0].iter().position(|cell| cell == name).expect(name);
    let last = rows.last().unwrap();
    let cell = |name: &str| &last[column(name)];
    assert_eq!(cell("id"), paid.id);
    assert_eq!(cell("partner_reference"), format!("'{link}"));
    assert_eq!(cell("amount_captured"), "12.50");
    assert_eq!(cell("metadata"), "{\"floor\":\"3\"}");
    assert_eq!(cell("paid_with_last_four"), "4242");
    assert_eq!(cell("provider_name"), "simulator");
    assert_eq!(cell("decline_code"), "");
    assert_eq!(table(&world, "?status=succeeded").await.len(), 2);
    assert_eq!(table(&world, "?status=expired").await.len(), 1);
    let request = world
        .request(Method::GET, "/v1/charges?limit=5")
        .header("accept", "text/csv");
    let answer = send(request.bearer_auth(SECRET_KEY)).await;
    assert_eq!((answer.code(), answer.field()), ("invalid_request", "limit"));
}
