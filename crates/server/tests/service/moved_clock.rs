//! `cardform demo --clock`: what takes days happens when the time is moved, as docs/testing.md has it.

use std::path::Path;

use harness::receiver::{ReceiverBehavior, WebhookReceiver};
use reqwest::{Client, Method};
use serde_json::{Value, json};

use crate::process::Process;
use crate::waiting::holds;
use crate::world::{Answer, card, new_charge, send};

struct Demo {
    process: Process,
    http: Client,
}

impl Demo {
    fn start(dir: &Path, more: &[&str]) -> Self {
        let arguments = [&["demo", "--listen", "127.0.0.1:0"], more].concat();
        Self {
            process: Process::start(dir, &arguments, "info"),
            http: Client::builder().no_proxy().build().unwrap(),
        }
    }

    async fn call(&self, method: Method, path: &str, body: &Value) -> Answer {
        let key = self.process.ready["secret_key"].as_str().unwrap();
        let request = self.http.request(method, format!("{}{path}", self.process.url()));
        send(request.bearer_auth(key).json(body)).await
    }

    /// A new charge with these fields, which is paid with this card. Returns its path.
    async fn paid(&self, number: &str, fields: &Value) -> String {
        let mut body = new_charge();
        for (name, value) in fields.as_object().unwrap() {
            body[name] = value.clone();
        }
        let created = self.call(Method::POST, "/v1/charges", &body).await;
        let charge = serde_json::from_value(created.body.clone()).unwrap();
        let press = self
            .http
            .post(format!("{}/v1/pub/direct/charges", self.process.url()))
            .bearer_auth(created.body["client_secret"].as_str().unwrap())
            .header("partner-id", "partner_demo")
            .json(&card(&charge, number));
        assert_eq!(send(press).await.status, 201);
        format!("/v1/charges/{}", created.body["id"].as_str().unwrap())
    }

    async fn advance(&self, by: &str) -> Answer {
        self.call(Method::POST, "/clock", &json!({ "advance": by })).await
    }

    /// Waits until this part of the charge has this value.
    async fn becomes(&self, charge: &str, pointer: &str, expected: &str) {
        holds(format_args!("{pointer} of {charge} is {expected}"), async || {
            let view = self.call(Method::GET, charge, &Value::Null).await.body;
            view.pointer(pointer) == Some(&json!(expected))
        })
        .await;
    }
}

#[tokio::test]
async fn a_month_takes_a_minute() {
    let dir = tempfile::tempdir().unwrap();
    let demo = Demo::start(dir.path(), &["--clock"]);
    let manual = json!({ "capture_method": "manual" });
    let ends = demo.paid("4242424242424242", &manual).await;
    let mut by_itself = manual.clone();
    by_itself["capture_after_hours"] = json!(48);
    let captured = demo.paid("4242424242424242", &by_itself).await;
    let disputed = demo.paid("4000000000000259", &json!({})).await;
    let refunded = demo.paid("4242424242424242", &json!({})).await;
    let refund = json!({ "amount_value": "1.78" });
    let refund = demo
        .call(Method::POST, &format!("{refunded}/refunds"), &refund)
        .await;
    assert_eq!(refund.body["status"], "succeeded");

    assert_eq!(demo.advance("P2D").await.status, 200);
    demo.becomes(&captured, "/status", "succeeded").await;
    assert_eq!(demo.advance("P1D").await.status, 200);
    demo.becomes(&disputed, "/dispute/status", "open").await;
    assert_eq!(demo.advance("P1D").await.status, 200);
    demo.becomes(&refunded, "/refunds/0/status", "failed").await;
    assert_eq!(demo.advance("P3D").await.status, 200);
    demo.becomes(&ends, "/status", "expired").await;
    assert_eq!(demo.advance("P23D").await.status, 200);
    demo.becomes(&disputed, "/dispute/status", "lost").await;

    let late = demo.paid("4242424242424242", &json!({})).await;
    for wrong in ["-P1D", "P401D", "P1M", "tomorrow", ""] {
        let refused = demo.advance(wrong).await;
        assert_eq!((refused.status, refused.field()), (400, "advance"), "{wrong}");
    }
    let (_, _) = demo.process.terminate();

    // Without the option the time stays, but nothing moves it.
    let demo = Demo::start(dir.path(), &[]);
    assert_eq!(demo.advance("P1D").await.status, 404);
    let later = demo.paid("4242424242424242", &json!({})).await;
    let created_at = async |charge: &str| {
        let view = demo.call(Method::GET, charge, &Value::Null).await.body;
        view["created_at"].as_str().unwrap().to_owned()
    };
    assert!(created_at(&later).await > created_at(&late).await);
}

#[tokio::test]
async fn a_webhook_is_tried_again_when_its_time_is_reached() {
    let dir = tempfile::tempdir().unwrap();
    let demo = Demo::start(dir.path(), &["--clock"]);
    let receiver = WebhookReceiver::start().await.unwrap();
    receiver.set(ReceiverBehavior::AsksToWait(503, 3_600));
    let endpoint = json!({ "url": receiver.url, "events": ["charge.succeeded"] });
    let added = demo.call(Method::POST, "/v1/webhook-endpoints", &endpoint).await;
    assert_eq!(added.status, 201);
    demo.paid("4242424242424242", &json!({})).await;
    receiver.arrived(1).await;
    // A result that is recorded after the time was moved would begin its hour then.
    holds("the refusal is recorded", async || {
        let listed = demo.call(Method::GET, "/v1/events", &Value::Null).await.body;
        listed.pointer("/items/0/deliveries/0/last_result") == Some(&json!("503"))
    })
    .await;
    receiver.set(ReceiverBehavior::Answers(204));
    assert_eq!(demo.advance("PT1H").await.status, 200);
    let [refused, again] = &receiver.arrived(2).await[..] else {
        panic!("more than two events");
    };
    assert_eq!(refused.id(), again.id());
}
