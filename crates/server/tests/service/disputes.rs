//! Disputes of a provider that lists them, and the merchant's list. Stripe's events of disputes are in `stripe/events.rs`.

use payments::operations::listed_disputes::record_listed_disputes;
use reqwest::Method;
use serde_json::{Value, json};

use crate::webhooks;
use crate::world::{SECRET_KEY, World, send};

const DAY_MS: i64 = 24 * 3_600_000;

/// The second dispute begins and ends between two looks, and is told twice all the same.
#[tokio::test]
async fn a_dispute_is_told_when_it_begins_and_when_it_ends() {
    let (world, _receiver) = webhooks::world().await;
    let charges = &world.service.app.charges;
    let lost = world.paid_with("4000000000000259", json!({})).await;
    let mut since = 0;
    let told = async |id: &str| {
        let request = world.request(Method::GET, &format!("/v1/events?charge_id={id}"));
        let events = send(request.bearer_auth(SECRET_KEY)).await.body;
        let mut events = events["items"].as_array().unwrap().clone();
        events.sort_by_key(|event| event["sequence"].as_i64());
        let types = events
            .iter()
            .map(|event| event["type"].as_str().unwrap().to_owned());
        types
            .filter(|kind| kind.starts_with("dispute."))
            .collect::<Vec<_>>()
    };
    record_listed_disputes(charges, &mut since).await.unwrap();
    assert_eq!(world.view(&lost.id).await["dispute"], Value::Null);
    world.clock.advance_ms(3 * DAY_MS);
    record_listed_disputes(charges, &mut since).await.unwrap();
    let open = &world.view(&lost.id).await["dispute"];
    assert_eq!(
        (&open["status"], &open["amount_value"]),
        (&json!("open"), &json!("12.50"))
    );
    assert_eq!(open["reason"], "fraudulent");
    let won = world.paid_with("4000000000002685", json!({})).await;
    world.clock.advance_ms(30 * DAY_MS);
    for _ in 0..2 {
        record_listed_disputes(charges, &mut since).await.unwrap();
    }
    assert_eq!(world.view(&lost.id).await["dispute"]["status"], "lost");
    assert_eq!(told(&lost.id).await, ["dispute.open", "dispute.lost"]);
    assert_eq!(told(&won.id).await, ["dispute.open", "dispute.won"]);
    // A node that starts again looks at all of them, and tells nothing twice.
    record_listed_disputes(charges, &mut 0).await.unwrap();
    assert_eq!(told(&won.id).await, ["dispute.open", "dispute.won"]);
}

/// Money that was released before is not disputed.
#[tokio::test]
async fn money_that_was_not_taken_is_not_disputed() {
    let world = World::new().await;
    let held = world
        .paid_with("4000000000000259", json!({ "capture_method": "manual" }))
        .await;
    world.clock.advance_ms(30 * DAY_MS);
    record_listed_disputes(&world.service.app.charges, &mut 0)
        .await
        .unwrap();
    assert_eq!(world.view(&held.id).await["dispute"], Value::Null);
}

#[tokio::test]
async fn a_bad_query_of_disputes_is_refused_by_its_parameter() {
    let world = World::new().await;
    for (query, field) in [
        ("after=%00", "after"),
        ("after=dp_1", "after"),
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("status=open", "status"),
    ] {
        let request = world.request(Method::GET, &format!("/v1/disputes?{query}"));
        let refused = send(request.bearer_auth(SECRET_KEY)).await;
        assert_eq!((refused.status, refused.field()), (400, field), "{query}");
    }
    let all = send(world.request(Method::GET, "/v1/disputes").bearer_auth(SECRET_KEY)).await;
    assert_eq!(all.body, json!({"items": [], "next": null}));
}
