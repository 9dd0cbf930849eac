//! Device data: a session for the page, and its id in the payment.

use protocol::CreatedCharge;
use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};

use crate::provider::LinkState;
use crate::world::{Answer, World, card, send};

async fn initiate(world: &World, charge: &CreatedCharge) -> Answer {
    let request = world.request(Method::POST, "/v1/pub/device-data/initiate");
    send(request.bearer_auth(&charge.client_secret)).await
}

/// Posts as the hidden frame does. Returns the message that its page sends to the parent.
async fn collect(url: &str, bin: &str, jwt: &str) -> Value {
    let form = serde_urlencoded::to_string([("Bin", bin), ("JWT", jwt)]).unwrap();
    let browser = Client::builder().no_proxy().build().unwrap();
    let answer = browser.post(url).body(form).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    let page = answer.text().await.unwrap();
    let (_, rest) = page.split_once("data-message=\"").unwrap();
    let (message, _) = rest.split_once('"').unwrap();
    serde_json::from_str(&message.replace("&quot;", "\"")).unwrap()
}

#[tokio::test]
async fn a_collected_session_reaches_the_provider_with_the_charge() {
    let world = World::new().await;
    let charge = world.charge().await;
    let session = initiate(&world, &charge).await;
    assert_eq!(session.status, 200);
    let url = session.body["url"].as_str().unwrap();
    assert_eq!(url, format!("{}/device-data/collect", world.provider.url));
    let message = collect(url, "424242", session.body["jwt"].as_str().unwrap()).await;
    assert_eq!(
        (&message["MessageType"], &message["Status"]),
        (&json!("profile.completed"), &json!(true))
    );
    let mut body = card(&charge, "4242424242424242");
    body["shopper_agent"]["device_metadata"]["session_id"] = message["SessionId"].clone();
    assert_eq!(send(world.press(&charge, "press-1", &body)).await.status, 201);
    let sessions = world.provider.simulator.device_data.all();
    let key = &world.provider.simulator.ledger.entries()[0].asked.idempotency_key;
    assert_eq!(sessions.len(), 1);
    assert_eq!(
        (
            sessions[0].charge_id.as_str(),
            sessions[0].first_six.as_deref(),
            sessions[0].paid_with.as_ref()
        ),
        (charge.id.as_str(), Some("424242"), Some(key))
    );
}

#[tokio::test]
async fn a_forged_token_or_wrong_bin_collects_no_device_data() {
    let world = World::new().await;
    let charge = world.charge().await;
    let session = initiate(&world, &charge).await.body;
    let (url, jwt) = (session["url"].as_str().unwrap(), session["jwt"].as_str().unwrap());
    for (bin, jwt) in [("424242", "forged"), ("4242", jwt), ("<b>424", jwt)] {
        let message = collect(url, bin, jwt).await;
        assert_eq!(
            (&message["Status"], &message["SessionId"]),
            (&json!(false), &json!(""))
        );
    }
}

#[tokio::test]
async fn without_a_provider_the_device_data_answer_is_empty() {
    let world = World::new().await;
    let charge = world.charge().await;
    world.provider.set(LinkState::Down);
    let answer = initiate(&world, &charge).await;
    assert_eq!((answer.status, answer.body), (200, json!({})));
}

#[tokio::test]
async fn device_data_is_limited_and_needs_a_payable_charge() {
    let world = World::new().await;
    let charge = world.charge().await;
    for _ in 0..20 {
        assert_eq!(initiate(&world, &charge).await.status, 200);
    }
    let refused = initiate(&world, &charge).await;
    assert_eq!((refused.status, refused.code()), (429, "too_many_requests"));
    let paid = world.charge().await;
    assert_eq!(world.pay(&paid, "press-1", "4242424242424242").await.status, 201);
    let refused = initiate(&world, &paid).await;
    assert_eq!((refused.status, refused.code()), (409, "charge_not_payable"));
    assert_eq!(world.provider.simulator.device_data.all().len(), 20);
}

#[tokio::test]
async fn device_data_needs_a_client_secret() {
    let world = World::new().await;
    let answer = send(world.request(Method::POST, "/v1/pub/device-data/initiate")).await;
    assert_eq!((answer.status, answer.code()), (401, "client_secret_missing"));
}

#[tokio::test]
async fn an_invalid_device_data_session_id_is_refused() {
    let world = World::new().await;
    let charge = world.charge().await;
    for wrong in [String::new(), "x".repeat(256), "a b".into(), "é".into()] {
        let mut body = card(&charge, "4242424242424242");
        body["shopper_agent"]["device_metadata"]["session_id"] = json!(wrong);
        let answer = send(world.press(&charge, "press-1", &body)).await;
        assert_eq!(
            (answer.status, answer.field()),
            (400, "shopper_agent.device_metadata.session_id")
        );
    }
    assert_eq!(world.provider.asked(), 0);
}
