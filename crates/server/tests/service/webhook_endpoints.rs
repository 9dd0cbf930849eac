//! `/v1/webhook-endpoints`: a merchant has several endpoints, and each gets its own events.

use reqwest::Method;
use serde_json::{Value, json};
use standardwebhooks::Webhook;

use crate::waiting::found;
use crate::webhooks::{DECLINED, GOOD, all_are, events, pass};
use crate::world::{Answer, World, send};
use harness::receiver::{ReceivedEvent, ReceiverBehavior, WebhookReceiver};
use store::ListedEvent;

const ENDPOINTS: &str = "/v1/webhook-endpoints";

async fn world() -> World {
    World::with(|settings| settings.webhook_private_networks = Some(true)).await
}

async fn ask(world: &World, method: Method, path: &str, body: Option<Value>) -> Answer {
    let request = world.request(method, path).bearer_auth(crate::world::SECRET_KEY);
    send(match &body {
        Some(body) => request.json(body),
        None => request,
    })
    .await
}

/// A new endpoint: id and secret.
async fn added(world: &World, body: Value) -> (String, String) {
    let answer = ask(world, Method::POST, ENDPOINTS, Some(body)).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    let text = |name: &str| answer.body[name].as_str().unwrap().to_owned();
    (text("id"), text("secret"))
}

async fn receivers() -> (WebhookReceiver, WebhookReceiver) {
    let one = WebhookReceiver::start().await.unwrap();
    (one, WebhookReceiver::start().await.unwrap())
}

fn is_signed(event: &ReceivedEvent, secret: &str) -> bool {
    let key = Webhook::new(secret).unwrap();
    let sent_at = event.header("webhook-timestamp").parse().unwrap();
    let signature = key.sign(event.id(), sent_at, event.text.as_bytes()).unwrap();
    let signatures = event.header("webhook-signature");
    signatures.split(' ').any(|one| one == signature)
}

#[tokio::test]
async fn each_endpoint_gets_its_events_once_and_in_order() {
    let world = world().await;
    let (all, some) = receivers().await;
    let (_, secret_of_all) = added(&world, json!({ "url": all.url })).await;
    let chosen = json!(["charge.succeeded", "charge.failed"]);
    let (_, secret_of_some) = added(&world, json!({ "url": some.url, "events": chosen })).await;
    let charge = world.charge().await;
    world.pay(&charge, "a", DECLINED).await;
    world.pay(&charge, "b", GOOD).await;
    events(&world.service, &charge, all_are("delivered")).await;
    let kinds = [
        "charge.processing",
        "charge.failed",
        "charge.processing",
        "charge.succeeded",
    ];
    assert_eq!(all.kinds_of(&charge.id), kinds);
    assert_eq!(some.kinds_of(&charge.id), ["charge.failed", "charge.succeeded"]);
    let (all, some) = (all.all(), some.all());
    for (one, other) in [(&all[1], &some[0]), (&all[3], &some[1])] {
        assert_eq!(one.id(), other.id());
        assert_eq!(one.body, other.body);
        assert!(is_signed(one, &secret_of_all) && !is_signed(one, &secret_of_some));
        assert!(is_signed(other, &secret_of_some));
    }
    let numbers: Vec<i64> = all
        .iter()
        .map(|event| event.body["sequence"].as_i64().unwrap())
        .collect();
    assert!(numbers.is_sorted_by(|one, next| one < next), "{numbers:?}");
}

#[tokio::test]
async fn an_endpoint_that_does_not_answer_delays_no_other() {
    let world = world().await;
    let (silent, well) = receivers().await;
    silent.set(ReceiverBehavior::SaysNothing);
    added(&world, json!({ "url": silent.url })).await;
    added(&world, json!({ "url": well.url })).await;
    for _ in 0..6 {
        let charge = world.charge().await;
        world.pay(&charge, "a", GOOD).await;
    }
    assert_eq!(well.arrived(12).await.len(), 12);
    assert!(silent.all().len() <= 2, "its share of the calls to a merchant");
}

#[tokio::test]
async fn an_endpoint_that_is_gone_is_removed_alone() {
    let world = world().await;
    let (gone, well) = receivers().await;
    gone.set(ReceiverBehavior::Answers(410));
    added(&world, json!({ "url": gone.url })).await;
    let (id, _) = added(&world, json!({ "url": well.url })).await;
    let charge = world.charge().await;
    world.pay(&charge, "a", GOOD).await;
    assert_eq!(well.arrived(2).await.len(), 2);
    let left = found("one endpoint is left", async || {
        let listed = ask(&world, Method::GET, ENDPOINTS, None).await;
        let items = listed.body["items"].as_array().unwrap().clone();
        (items.len() == 1).then_some(items)
    })
    .await;
    assert_eq!(left[0]["id"], id.as_str());
}

/// Its merchant moved it while the former address was still answering.
#[tokio::test]
async fn a_moved_endpoint_is_not_removed_for_its_former_address() {
    let world = world().await;
    let (former, new) = receivers().await;
    former.set(ReceiverBehavior::SaysNothing);
    let (id, _) = added(&world, json!({ "url": former.url })).await;
    let path = format!("{ENDPOINTS}/{id}");
    let charge = world.charge().await;
    world.pay(&charge, "a", GOOD).await;
    former.arrived(1).await;
    let moved = ask(&world, Method::POST, &path, Some(json!({ "url": new.url }))).await;
    assert_eq!(moved.status, 200, "{moved:?}");
    former.set(ReceiverBehavior::Answers(410));
    let is_over = |events: &[ListedEvent]| events[0].state == "given_up";
    events(&world.service, &charge, is_over).await;
    new.arrived(1).await;
    assert_eq!(ask(&world, Method::GET, &path, None).await.body["url"], new.url);
}

#[tokio::test]
async fn a_new_secret_is_shown_once_and_the_former_one_signs_for_a_day() {
    let world = world().await;
    let receiver = WebhookReceiver::start().await.unwrap();
    let (id, former) = added(&world, json!({ "url": receiver.url })).await;
    let path = format!("{ENDPOINTS}/{id}");
    let changed = ask(&world, Method::POST, &path, Some(json!({ "new_secret": true }))).await;
    let new = changed.body["secret"].as_str().unwrap();
    assert_ne!(new, former);
    let shown = ask(&world, Method::GET, &path, None).await;
    assert_eq!(shown.body.get("secret"), None);
    let charge = world.charge().await;
    world.pay(&charge, "a", GOOD).await;
    let arrived = receiver.arrived(2).await;
    assert!(is_signed(&arrived[0], new) && is_signed(&arrived[0], &former));
    pass(&world, 86_400_000);
    let charge = world.charge().await;
    world.pay(&charge, "a", GOOD).await;
    let arrived = receiver.arrived(3).await;
    assert!(is_signed(&arrived[2], new) && !is_signed(&arrived[2], &former));
}

#[tokio::test]
async fn an_endpoint_is_changed_and_removed() {
    let world = world().await;
    let body = json!({ "url": "http://127.0.0.1:9/", "events": ["refund.failed"], "description": "Shop" });
    let (id, _) = added(&world, body).await;
    let path = format!("{ENDPOINTS}/{id}");
    let change = json!({ "events": null, "description": null });
    let changed = ask(&world, Method::POST, &path, Some(change)).await;
    assert_eq!(changed.status, 200, "{}", changed.body);
    assert_eq!(changed.body["url"], "http://127.0.0.1:9/");
    assert_eq!(
        (&changed.body["events"], &changed.body["description"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(ask(&world, Method::GET, &path, None).await.body, changed.body);
    assert_eq!(ask(&world, Method::DELETE, &path, None).await.status, 204);
    for method in [Method::GET, Method::DELETE] {
        let gone = ask(&world, method, &path, None).await;
        assert_eq!((gone.status, gone.code()), (404, "webhook_endpoint_not_found"));
    }
}

#[tokio::test]
async fn another_merchants_endpoint_does_not_exist() {
    let world = world().await;
    let (id, _) = added(&world, json!({ "url": "http://127.0.0.1:9/" })).await;
    let other_key = world.another_merchant().await;
    let path = format!("{ENDPOINTS}/{id}");
    for (method, body) in [
        (Method::GET, None),
        (Method::POST, Some(json!({ "new_secret": true }))),
        (Method::DELETE, None),
    ] {
        let request = world.request(method, &path).bearer_auth(other_key);
        let answer = send(match &body {
            Some(body) => request.json(body),
            None => request,
        })
        .await;
        assert_eq!(
            (answer.status, answer.code()),
            (404, "webhook_endpoint_not_found")
        );
    }
    let listed = world.request(Method::GET, ENDPOINTS).bearer_auth(other_key);
    assert_eq!(send(listed).await.body, json!({ "items": [] }));
    assert_eq!(ask(&world, Method::GET, &path, None).await.status, 200);
}

#[tokio::test]
async fn a_wrong_endpoint_is_refused_and_the_field_is_named() {
    let world = World::new().await;
    let url = "https://shop.example/webhooks";
    let long = format!("https://shop.example/{}", "x".repeat(2_048));
    for (field, body) in [
        ("url", json!({})),
        ("url", json!({ "url": "shop.example" })),
        ("url", json!({ "url": "http://shop.example/" })),
        ("url", json!({ "url": "https://10.0.0.1/" })),
        ("url", json!({ "url": "https://a:b@shop.example/" })),
        ("url", json!({ "url": long })),
        (
            "events[1]",
            json!({ "url": url, "events": ["charge.failed", "charge.paid"] }),
        ),
        ("events", json!({ "url": url, "events": [] })),
        ("events", json!({ "url": url, "events": "all" })),
        (
            "description",
            json!({ "url": url, "description": "x".repeat(256) }),
        ),
        ("description", json!({ "url": url, "description": "bell \u{7}" })),
        ("secret", json!({ "url": url, "secret": "whsec_" })),
    ] {
        let refused = ask(&world, Method::POST, ENDPOINTS, Some(body.clone())).await;
        assert_eq!(
            (refused.status, refused.code()),
            (400, "invalid_request"),
            "{body}"
        );
        assert_eq!(refused.body["error"]["field"], field, "{body}");
    }
    for _ in 0..16 {
        added(&world, json!({ "url": url })).await;
    }
    let refused = ask(&world, Method::POST, ENDPOINTS, Some(json!({ "url": url }))).await;
    assert_eq!((refused.status, refused.code()), (400, "invalid_request"));
    let listed = ask(&world, Method::GET, ENDPOINTS, None).await;
    assert_eq!(listed.body["items"].as_array().unwrap().len(), 16);
}
