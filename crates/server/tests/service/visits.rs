//! The operator's report: its figures against visits and charges that are known, in both databases, and who gets it.

use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};

use reqwest::Method;
use serde_json::{Value, json};
use server::config::Settings;
use server::store::WebhookEndpoint;
use uuid::Uuid;
use wire::{Report, Sensitive};

use crate::world::{Answer, PARTNER_ID, World, send};

const KEY: &str = "op_0123456789abcdefghijklmnopqrstuv";

/// A world with an operator, and how many events it was sent.
struct Watched {
    world: World,
    sent: AtomicU64,
}

impl Deref for Watched {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

impl Watched {
    async fn new() -> Self {
        Self::with(|_| ()).await
    }

    async fn with(change: impl FnOnce(&mut Settings)) -> Self {
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

    async fn ask(&self, query: &str, key: Option<&str>) -> Answer {
        let mut request = self.request(Method::GET, &format!("/v1/operator/report{query}"));
        if let Some(key) = key {
            request = request.bearer_auth(key);
        }
        send(request).await
    }

    async fn report(&self, query: &str) -> Report {
        let answer = self.ask(query, Some(KEY)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        serde_json::from_value(answer.body).unwrap()
    }

    async fn post(&self, events: &[&Value]) {
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

    /// Posts the visits' events, and has what they tell written.
    async fn tell(&self, visits: &[Visit]) {
        let events: Vec<&Value> = visits.iter().flat_map(|visit| &visit.events).collect();
        self.post(&events).await;
        self.write().await;
    }

    /// Writes what was told, once all events that were accepted have been folded.
    async fn write(&self) {
        let app = &self.service.app;
        app.visits.has_seen(self.sent.load(Ordering::Relaxed)).await;
        app.visits.flush(&app.store).await.unwrap();
    }
}

/// The events of a visit as the page sends them.
struct Visit {
    id: Uuid,
    events: Vec<Value>,
}

impl Visit {
    fn new(number: u128, locale: &str) -> Self {
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
        // What is sent here is what the page sends.
        let _: wire::Event = serde_json::from_value(event.clone()).unwrap();
        self.events.push(event);
    }

    fn did(mut self, name: &str, data: Value) -> Self {
        let mut data = data;
        data["elapsed_ms"] = json!(7);
        self.push(json!({"type": "custom", "name": name, "data": data}));
        self
    }

    fn saw(mut self, experiment: &str, variation: u32) -> Self {
        self.push(
            json!({"type": "experiment-viewed", "name": "ExperimentViewed", "experimentId": experiment,
                         "variationId": variation, "variationKey": "k"}),
        );
        self
    }

    fn pays(self) -> Self {
        self.did("field_focus", json!({"field": "card-number"}))
            .did("brand_detected", json!({"brand": "visa"}))
            .did("submit_invoked", json!({"method": "new_card"}))
            .did("submit_success", json!({}))
    }
}

const REDESIGN: &str = "pop-646-card-form-ui-redesign";

/// Ten visits: two look, two stop in a field, one is ready and leaves, two are declined, three pay.
fn ten_visits() -> Vec<Visit> {
    let field = |visit: Visit, field: &str| visit.did("field_focus", json!({ "field": field }));
    let declined = |visit: Visit| {
        visit.did("submit_invoked", json!({"method": "saved_card"})).did(
            "submit_fail",
            json!({"status": "failed", "decline_code": "insufficient_funds"}),
        )
    };
    vec![
        Visit::new(1, "en-US").saw(REDESIGN, 0),
        Visit::new(2, "th-TH").saw(REDESIGN, 1),
        field(Visit::new(3, "en-US"), "card-number")
            .did(
                "field_error",
                json!({"field": "card-number", "error_id": "CardNumber_Invalid"}),
            )
            .saw(REDESIGN, 0),
        field(field(Visit::new(4, "th-TH"), "card-number"), "card-expiry").saw(REDESIGN, 1),
        field(Visit::new(5, "en-US"), "card-expiry")
            .did("page_left", json!({"field": "card-security-code", "ready": true})),
        declined(Visit::new(6, "en-US").saw(REDESIGN, 0)),
        declined(Visit::new(7, "ja-JP")),
        Visit::new(8, "en-US").saw(REDESIGN, 1).pays(),
        Visit::new(9, "en-US").saw(REDESIGN, 1).pays(),
        declined(Visit::new(10, "th-TH").saw(REDESIGN, 1)).did("submit_success", json!({})),
    ]
}

#[tokio::test]
async fn ten_known_visits_are_counted_step_by_step() {
    let world = Watched::new().await;
    world.tell(&ten_visits()).await;
    let report = world.report("").await;
    insta::assert_json_snapshot!(json!({ "visits": report.visits, "experiments": report.experiments }));
}

#[tokio::test]
async fn the_order_of_events_and_telling_them_twice_change_nothing() {
    let (one, two) = (Watched::new().await, Watched::new().await);
    let visits = ten_visits();
    one.tell(&visits).await;
    let mut events: Vec<&Value> = visits.iter().flat_map(|visit| &visit.events).collect();
    events.reverse();
    for event in &events {
        two.post(&[*event]).await;
        two.write().await;
    }
    two.post(&events).await;
    two.write().await;
    let (one, two) = (one.report("").await, two.report("").await);
    assert_eq!((one.visits, one.experiments), (two.visits, two.experiments));
}

#[tokio::test]
async fn a_range_and_a_locale_choose_the_visits() {
    let world = Watched::new().await;
    let mut visits = ten_visits();
    let later = visits.split_off(5);
    world.tell(&visits).await;
    world.clock.advance_ms(60_000);
    world.tell(&later).await;
    // A visit belongs to when it first came.
    world.tell(&[Visit::new(1, "en-US").pays()]).await;
    let now = world.clock.now_ms();
    let (earlier, later) = (
        world
            .report(&format!("?from={}&to={now}", now - 60_000))
            .await
            .visits,
        world.report(&format!("?from={now}&to={}", now + 1)).await.visits,
    );
    assert_eq!((earlier.funnel.viewed, earlier.funnel.paid), (5, 1));
    assert_eq!((later.funnel.viewed, later.funnel.paid), (5, 3));
    let range = format!("from={}&to={}", now - 60_000, now + 1);
    let thai = world.report(&format!("?{range}&locale=th-TH")).await;
    assert_eq!((thai.visits.funnel.viewed, thai.visits.funnel.paid), (3, 1));
    assert_eq!(thai.visits.locales.len(), 1);
    let of_redesign: i64 = thai.experiments[0]
        .variations
        .iter()
        .map(|variation| variation.funnel.viewed)
        .sum();
    assert_eq!(of_redesign, 3);
    let other = world.report(&format!("?{range}&experiment=enable-ddc")).await;
    assert!(other.experiments.is_empty());
    let redesign = world
        .report(&format!("?{range}&experiment={REDESIGN}&locale=en-US"))
        .await;
    assert_eq!(redesign.experiments[0].variations.len(), 2);
}

#[tokio::test]
async fn charges_are_counted_by_when_they_were_made_and_where_they_stand() {
    let world = Watched::new().await;
    let paid = world.charge().await;
    assert_eq!(world.pay(&paid, "press-1", "4242424242424242").await.status, 201);
    world.clock.advance_ms(60_000);
    let declined = world.charge().await;
    assert_eq!(
        world.pay(&declined, "press-2", "4000000000009995").await.status,
        402
    );
    world.charge().await;
    let now = world.clock.now_ms();
    let report = world
        .report(&format!("?from={}&to={}", now - 3_599_999, now + 1))
        .await;
    let charges = report.charges;
    assert_eq!(charges.bucket_ms, 60_000);
    let counted: Vec<_> = charges
        .buckets
        .iter()
        .filter(|bucket| bucket.outcomes != wire::ChargeOutcomes::default())
        .map(|bucket| {
            let of = bucket.outcomes;
            (bucket.at - now, of.succeeded, of.declined, of.unpaid)
        })
        .collect();
    assert_eq!(counted, [(-60_000, 1, 0, 0), (0, 0, 1, 1)]);
    let total = charges.total;
    assert_eq!(
        (
            total.succeeded,
            total.declined,
            total.under_way,
            total.unknown,
            total.unpaid
        ),
        (1, 1, 0, 0, 1)
    );
    assert_eq!(charges.declines.len(), 1);
    assert_eq!(charges.declines[0].name, "insufficient_funds");
    assert_eq!(report.now.attempts_open, 0);
}

#[tokio::test]
async fn webhooks_that_wait_are_told_with_their_age() {
    let world = Watched::new().await;
    let store = &world.service.app.store;
    let endpoint = WebhookEndpoint {
        partner_id: PARTNER_ID.into(),
        url: "https://shop.example/hook".into(),
        secret: "whsec_AAAA".into(),
        created_at: 0,
    };
    store.put_webhook_endpoint(&endpoint).await.unwrap();
    let since = world.clock.now_ms();
    let charge = world.charge().await;
    world.pay(&charge, "press-1", "4242424242424242").await;
    world.clock.advance_ms(5_000);
    let now = world.report("").await.now;
    assert_eq!(
        (now.webhooks_waiting, now.webhooks_waiting_since),
        (2, Some(since))
    );
}

#[tokio::test]
async fn hostile_events_leave_nothing_of_theirs_in_the_report() {
    let world = Watched::new().await;
    let visit = Visit::new(1, "en-US");
    let mut events = Vec::new();
    for value in [
        json!(null),
        json!(7),
        json!([]),
        json!({}),
        json!("x".repeat(2_000)),
        json!(-1),
        json!("' OR 1=1 --"),
        json!("<img src=x onerror=alert(1)>"),
        json!("sam@example.com"),
        json!("4242424242424242"),
    ] {
        for place in ["type", "name", "visit", "at", "locale", "data"] {
            let mut event = visit.events[0].clone();
            event[place] = value.clone();
            events.push(event);
        }
        for (name, word) in [
            ("field_focus", "field"),
            ("field_error", "error_id"),
            ("brand_detected", "brand"),
            ("submit_invoked", "method"),
            ("submit_fail", "decline_code"),
            ("page_left", "ready"),
        ] {
            let mut event = visit.events[0].clone();
            event["type"] = json!("custom");
            event["name"] = json!(name);
            event["data"] = json!({ word: value.clone() });
            events.push(event);
        }
        let mut event = visit.events[0].clone();
        event["type"] = json!("experiment-viewed");
        event["experimentId"] = value.clone();
        event["variationId"] = value;
        events.push(event);
    }
    world.post(&events.iter().collect::<Vec<_>>()).await;
    world.write().await;
    let answer = world.ask("", Some(KEY)).await;
    assert_eq!(answer.status, 200);
    let text = answer.body.to_string();
    for hostile in ["xxx", "OR 1=1", "<img", "sam@", "4242", "-1"] {
        assert!(!text.contains(hostile), "{hostile}: {text}");
    }
    let report: Report = serde_json::from_value(answer.body).unwrap();
    assert_eq!(report.visits.funnel.viewed, 1);
}

#[tokio::test]
async fn a_wrong_query_is_a_400() {
    let world = Watched::new().await;
    for query in [
        "?from=x",
        "?from=5&to=4",
        "?from=-1",
        "?to=99999999999999999999",
        "?locale=xx",
        "?from=0",
    ] {
        assert_eq!(world.ask(query, Some(KEY)).await.status, 400, "{query}");
    }
}

#[tokio::test]
async fn without_the_setting_there_is_no_report_and_no_page() {
    let world = World::new().await;
    for path in ["/v1/operator/report", "/operator", "/operator/assets/index.js"] {
        let request = world.request(Method::GET, path).bearer_auth(KEY);
        assert_eq!(send(request).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn a_wrong_key_sees_nothing_and_too_many_of_them_are_shut_out() {
    let world = Watched::new().await;
    assert_eq!(world.ask("", None).await.status, 401);
    for (number, key) in [
        "sk_test0000000000000000000000000000",
        "x",
        KEY.trim_end_matches('v'),
    ]
    .iter()
    .cycle()
    .take(10)
    .enumerate()
    {
        let answer = world.ask("", Some(key)).await;
        assert_eq!(
            (answer.status, answer.code()),
            (401, "secret_key_invalid"),
            "{number}"
        );
    }
    // Even the right one, so that nobody learns which it is.
    let shut_out = world
        .request(Method::GET, "/v1/operator/report")
        .bearer_auth(KEY)
        .send()
        .await
        .unwrap();
    assert_eq!(shut_out.status(), 429);
    assert_eq!(shut_out.headers()["retry-after"], "60");
    world.clock.advance_ms(60_000);
    assert_eq!(world.ask("", Some(KEY)).await.status, 200);
}

#[tokio::test]
async fn visits_are_forgotten_after_their_time_and_their_experiments_with_them() {
    let world = Watched::with(|settings| {
        settings.visit_retention_days = Some(2);
    })
    .await;
    let app = &world.service.app;
    world.tell(&[Visit::new(1, "en-US").saw("old-one", 0)]).await;
    world.clock.advance_ms(2 * 86_400_000);
    world.tell(&[Visit::new(2, "en-US").saw("new-one", 0)]).await;
    server::housekeeping::tidy(app).await.unwrap();
    let week = format!("?from={}", world.clock.now_ms() - 7 * 86_400_000);
    let ended = |report: &Report| report.visits.funnel.viewed;
    world.clock.advance_ms(1);
    assert_eq!(ended(&world.report(&week).await), 2);
    server::housekeeping::tidy(app).await.unwrap();
    let kept = world.report(&week).await;
    assert_eq!(ended(&kept), 1);
    assert_eq!(kept.experiments.len(), 1);
    let told = app.store.experiments_told().await.unwrap();
    assert_eq!(told.into_iter().collect::<Vec<_>>(), ["new-one"]);
}
