//! A merchant reads its events, and hears one again.

use reqwest::Method;
use serde_json::{Value, json};

use crate::webhooks::{DECLINED, GOOD, all_are, events, other_merchant_is_paid, world};
use crate::world::{Answer, SECRET_KEY, World, send};
use harness::receiver::{ReceiverBehavior, WebhookReceiver};

async fn list(world: &World, query: &str) -> Answer {
    let request = world.request(Method::GET, &format!("/v1/events{query}"));
    send(request.bearer_auth(SECRET_KEY)).await
}

async fn resend(world: &World, id: &str) -> Answer {
    let request = world.request(Method::POST, &format!("/v1/events/{id}/resend"));
    send(request.bearer_auth(SECRET_KEY)).await
}

fn items(answer: &Answer) -> &Vec<Value> {
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body["items"].as_array().unwrap()
}

#[tokio::test]
async fn events_are_listed_as_they_were_sent() {
    let (world, receiver) = world().await;
    let paid = world.charge().await;
    world.pay(&paid, "a", GOOD).await;
    let declined = world.charge().await;
    world.pay(&declined, "a", DECLINED).await;
    other_merchant_is_paid(&world, &receiver.url).await;
    for charge in [&paid, &declined] {
        events(&world.service, charge, all_are("delivered")).await;
    }
    let all = list(&world, "").await;
    assert_eq!(items(&all).len(), 4);
    let of_charge = list(&world, &format!("?charge_id={}&type=charge.succeeded", paid.id)).await;
    let [event] = items(&of_charge).as_slice() else {
        panic!("{of_charge:?}");
    };
    let sent = receiver
        .all()
        .into_iter()
        .find(|sent| sent.id() == event["id"])
        .unwrap();
    let mut body: Value = serde_json::from_str(&sent.text).unwrap();
    body["id"] = json!(sent.id());
    body["charge_id"] = json!(paid.id);
    body["deliveries"] = json!([{"endpoint_id": null, "state": "delivered", "tries": 1, "last_result": "204", "next_try_at": null}]);
    assert_eq!(event, &body);
    assert_eq!(items(&list(&world, "?type=charge.failed").await).len(), 1);
    assert!(items(&list(&world, "?type=charge.expired").await).is_empty());
    // Also both events of the other merchant.
    let sent = receiver.arrived(6).await;
    let own = [paid.id.as_str(), declined.id.as_str()];
    let foreign = sent
        .iter()
        .map(harness::receiver::ReceivedEvent::charge_id)
        .find(|id| !own.contains(id));
    let foreign = foreign.unwrap();
    assert!(items(&list(&world, &format!("?charge_id={foreign}")).await).is_empty());

    // Page by page, each once.
    let (mut seen, mut query) = (Vec::new(), "?limit=3".to_owned());
    loop {
        let page = list(&world, &query).await;
        seen.extend(items(&page).clone());
        let Some(next) = page.body["next"].as_str() else {
            break;
        };
        query = format!("?limit=3&after={next}");
    }
    assert_eq!(&seen, items(&all));
}

#[tokio::test]
async fn a_bad_query_of_events_is_refused_by_its_parameter() {
    let world = World::new().await;
    for (query, field) in [
        ("type=charge.created", "type"),
        ("charge_id=", "charge_id"),
        ("limit=x", "limit"),
        ("after=x", "after"),
        ("status=due", "status"),
    ] {
        let answer = list(&world, &format!("?{query}")).await;
        let refused = (answer.status, answer.code(), answer.field());
        assert_eq!(refused, (400, "invalid_request", field), "{query}");
    }
}

#[tokio::test]
async fn a_delivered_event_is_sent_again_with_its_id() {
    let (world, receiver) = world().await;
    let charge = world.charge().await;
    world.pay(&charge, "a", GOOD).await;
    let sent = events(&world.service, &charge, all_are("delivered")).await;
    let before = receiver.all().len();
    let answer = resend(&world, &sent[0].id).await;
    assert_eq!(answer.status, 202);
    assert_eq!(answer.body["id"], sent[0].id.as_str());
    let delivery = &answer.body["deliveries"][0];
    assert_eq!(
        (&delivery["state"], &delivery["tries"]),
        (&json!("due"), &json!(0))
    );
    let again = receiver.arrived(before + 1).await;
    assert_eq!(again[before].id(), sent[0].id);
    events(&world.service, &charge, all_are("delivered")).await;
}

#[tokio::test]
async fn an_event_is_sent_now_also_to_endpoints_that_are_paused() {
    let (world, first) = world().await;
    let further = WebhookReceiver::start().await.unwrap();
    let add = world.request(Method::POST, "/v1/webhook-endpoints");
    let added = send(add.bearer_auth(SECRET_KEY).json(&json!({"url": further.url}))).await;
    assert_eq!(added.status, 201);
    for receiver in [&first, &further] {
        receiver.set(ReceiverBehavior::AsksToWait(503, 600));
    }
    let charge = world.charge().await;
    world.pay(&charge, "a", GOOD).await;
    let waiting = events(&world.service, &charge, |events| {
        events[..2].iter().all(|event| event.last_result.is_some())
    })
    .await;
    for receiver in [&first, &further] {
        receiver.set(ReceiverBehavior::Answers(200));
    }
    assert_eq!(resend(&world, &waiting[0].id).await.status, 202);
    events(&world.service, &charge, |events| {
        all_are("delivered")(&events[..2])
    })
    .await;
}

#[tokio::test]
async fn only_an_event_of_the_merchant_is_sent_again() {
    let (world, receiver) = world().await;
    other_merchant_is_paid(&world, &receiver.url).await;
    let foreign = receiver.arrived(1).await[0].id().to_owned();
    for id in [foreign.as_str(), "evt_none"] {
        let answer = resend(&world, id).await;
        assert_eq!((answer.status, answer.code()), (404, "event_not_found"), "{id}");
    }
    let request = world
        .request(Method::POST, "/v1/events/evt_1/resend")
        .body("{\"now\": true}");
    let answer = send(request.bearer_auth(SECRET_KEY)).await;
    assert_eq!((answer.status, answer.field()), (400, "now"));
}
