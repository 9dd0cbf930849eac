//! A returning shopper of the demo shop can save a card and sees it at the next order; a guest cannot.

use protocol::ChargeIntent;
use reqwest::Client;
use serde_json::{Value, json};

use crate::cards::card_to_save;
use crate::process::Process;
use crate::world::{Answer, send};

async fn order(http: &Client, demo: &Process, shopper: &Value) -> Answer {
    let body = json!({ "product": "gems-100", "shopper": shopper });
    send(http.post(format!("{}/demo/orders", demo.url())).json(&body)).await
}

fn intent(order: &Answer) -> ChargeIntent {
    ChargeIntent::from_payload(order.body["payload"].as_str().unwrap()).unwrap()
}

#[tokio::test]
async fn a_returning_shopper_finds_the_card_of_the_last_order() {
    let dir = tempfile::tempdir().unwrap();
    let http = Client::builder().no_proxy().build().unwrap();
    let demo = Process::start(
        dir.path(),
        &["demo", "--listen", "127.0.0.1:0", "--data", "data"],
        "info",
    );

    let guest = intent(&order(&http, &demo, &Value::Null).await);
    assert_eq!(
        (guest.shopper_id.as_str(), guest.enable_save_payment_method),
        ("", Some(false))
    );
    for wrong in ["", "no spaces", "../x", &"x".repeat(65)] {
        let answer = order(&http, &demo, &json!(wrong)).await;
        assert_eq!((answer.status, answer.field()), (400, "shopper"), "{wrong}");
    }

    let first = order(&http, &demo, &json!("sam-7")).await;
    let told = intent(&first);
    assert_eq!(
        (told.shopper_id.as_str(), told.enable_save_payment_method),
        ("sam-7", Some(true))
    );
    assert!(told.display_saved_payment_method_list && told.eligible_save_payment_methods);
    let charge = json!({
        "id": told.charge_id, "status": "created", "payload": "", "url": "", "expires_at": "",
        "client_secret": first.body["client_secret"],
    });
    let mut body = card_to_save(
        &serde_json::from_value(charge).unwrap(),
        "sam-7",
        "4242424242424242",
    );
    body["item_code"] = json!(told.item_code);
    body["item_name"] = json!(told.item_name);
    body["partner_reference"] = json!(told.partner_reference);
    body["amount_value"] = json!(told.amount_value);
    body["amount_currency"] = json!(told.amount_currency);
    let press = http
        .post(format!("{}/v1/pub/direct/charges", demo.url()))
        .bearer_auth(first.body["client_secret"].as_str().unwrap())
        .header("partner-id", told.partner_id)
        .json(&body);
    assert_eq!(send(press).await.status, 201);

    let next = order(&http, &demo, &json!("sam-7")).await;
    let list = http
        .get(format!("{}/v1/pub/shoppers/sam-7/payment-methods", demo.url()))
        .bearer_auth(next.body["client_secret"].as_str().unwrap());
    let cards = send(list).await.body;
    assert_eq!(cards["items"][0]["card"]["last_four"], "4242", "{cards}");
}
