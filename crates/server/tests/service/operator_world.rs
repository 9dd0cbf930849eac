//! A service with an operator key, and visits with events as the page sends them.

use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};

use protocol::{Report, Sensitive};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use server::config::Settings;
use uuid::Uuid;

use crate::world::{Answer, World, send};

pub(crate) const KEY: &str = "op_0123456789abcdefghijklmnopqrstuv";

/// A service with an operator key, and the number of events sent to it.
pub(crate) struct OperatorWorld {
    world: World,
    sent: AtomicU64,
}

impl Deref for OperatorWorld {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

impl OperatorWorld {
    pub(crate) async fn new() -> Self {
        Self::with(|_| ()).await
    }

    pub(crate) async fn with(change: impl FnOnce(&mut Settings)) -> Self {
        let world = World::with(|settings| {
            settings.operator_key = Some(Sensitive::new(KEY.into()));
            change(settings);
        })
        .await;
        Self {
            world,
            sent: AtomicU64::new(0),
        }
    }

    pub(crate) async fn ask(&self, query: &str, key: Option<&str>) -> Answer {
        let request = self.report_request(query);
        send(match key {
            Some(key) => request.bearer_auth(key),
            None => request,
        })
        .await
    }

    pub(crate) fn report_request(&self, query: &str) -> RequestBuilder {
        self.request(Method::GET, &format!("/v1/operator/report{query}"))
    }

    pub(crate) async fn report(&self, query: &str) -> Report {
        let answer = self.ask(query, Some(KEY)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        serde_json::from_value(answer.body).unwrap()
    }

    pub(crate) async fn post(&self, events: &[&Value]) {
        let records: Vec<Value> = events
            .iter()
            .map(|event| json!({"key": event["visit"], "value": event}))
            .collect();
        let request = self
            .request(Method::POST, "/topics/cardform-events")
            .header("content-type", "application/vnd.kafka.json.v2+json")
            .body(json!({ "records": records }).to_string());
        let answer = send(request).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        for offset in answer.body["offsets"].as_array().unwrap() {
            assert_eq!(offset["error_code"], Value::Null, "{offset}");
        }
        self.sent.fetch_add(events.len() as u64, Ordering::Relaxed);
    }

    /// Posts the visits' events, and writes the visits.
    pub(crate) async fn send_visits(&self, visits: &[SentVisit]) {
        let events: Vec<&Value> = visits.iter().flat_map(|visit| &visit.events).collect();
        self.post(&events).await;
        self.write().await;
    }

    /// Writes the visits, after all accepted events were processed.
    pub(crate) async fn write(&self) {
        let app = &self.service.app;
        app.visits
            .wait_for_events(self.sent.load(Ordering::Relaxed))
            .await;
        app.visits.flush(&app.store).await.unwrap();
    }
}

/// The events of a visit as the page sends them.
pub(crate) struct SentVisit {
    id: Uuid,
    pub(crate) events: Vec<Value>,
}

impl SentVisit {
    pub(crate) fn new(number: u128, locale: &str) -> Self {
        let id = Uuid::from_u128(number);
        let mut visit = Self {
            id,
            events: Vec::new(),
        };
        visit.push(
            json!({"type": "page-view", "name": "pageView", "title": "t", "path": "/", "referrerUrl": "",
                          "locale": locale, "additionalInfo": {}}),
        );
        visit
    }

    fn push(&mut self, mut event: Value) {
        let fields = event.as_object_mut().unwrap();
        fields.insert("id".into(), json!(Uuid::new_v4().to_string()));
        fields.insert("at".into(), json!(1_000 + self.events.len()));
        fields.insert("visit".into(), json!(self.id.to_string()));
        fields.insert(
            "metadata".into(),
            json!({
                "namespace": "pay", "codaCookieId": "c", "fullUrl": "https://pay.example/", "ip": "",
                "libraryVersion": "2.3.0", "domainName": "pay.example", "userAgent": "", "os": "iOS", "mobile": true,
                "browser": "Safari", "cid": "", "campaignId": "", "utmCampaign": "", "utmSource": "", "utmMedium": "",
                "utmContent": "", "utmTerm": "", "sessionId": "s", "sessionNum": 1, "engagementMs": 0,
            }),
        );
        // The events here are the same as the page's.
        let _: protocol::Event = serde_json::from_value(event.clone()).unwrap();
        self.events.push(event);
    }

    pub(crate) fn did(mut self, name: &str, data: Value) -> Self {
        let mut data = data;
        data["elapsed_ms"] = json!(7);
        self.push(json!({"type": "custom", "name": name, "data": data}));
        self
    }

    pub(crate) fn saw(mut self, experiment: &str, variation: u32) -> Self {
        self.push(
            json!({"type": "experiment-viewed", "name": "ExperimentViewed", "experimentId": experiment,
                         "variationId": variation, "variationKey": "k"}),
        );
        self
    }

    pub(crate) fn pays(self) -> Self {
        self.did("field_focus", json!({"field": "card-number"}))
            .did("brand_detected", json!({"brand": "visa"}))
            .did("submit_invoked", json!({"method": "new_card"}))
            .did("submit_success", json!({}))
    }
}
