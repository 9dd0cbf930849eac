//! `POST /topics/{topic}`: events are accepted in the format of Kafka's REST proxy, and stored in the database in their
//! order.

use harness::test_cards::GOOD_CARD;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use server::service::housekeeping;
use store::{Store, StoredBatch};

use crate::other_program::OtherProgram;
use crate::world::{Answer, World, send};

const TOPIC: &str = "/topics/cardform-events";
const JSON_RECORDS: &str = "application/vnd.kafka.json.v2+json";
const DAY_MS: i64 = 86_400_000;

fn posted(world: &World, body: impl Into<reqwest::Body>) -> RequestBuilder {
    world
        .request(Method::POST, TOPIC)
        .header("content-type", JSON_RECORDS)
        .body(body)
}

async fn post(world: &World, body: &Value) -> Answer {
    send(posted(world, body.to_string())).await
}

fn records(values: impl IntoIterator<Item = Value>) -> Value {
    let records: Vec<_> = values
        .into_iter()
        .map(|value| json!({ "value": value }))
        .collect();
    json!({ "records": records })
}

/// An event with this number.
fn event(number: impl Into<Value>) -> Value {
    json!({"type": "custom", "at": number.into()})
}

/// Every stored event as a record, with its offset.
async fn kept(world: &World) -> Vec<(i64, Value)> {
    kept_in(&world.service.app.store).await
}

async fn kept_in(store: &Store) -> Vec<(i64, Value)> {
    let batches = store.events_from(0, 1_000).await.unwrap();
    let of_batch = |batch: &StoredBatch| {
        let records: Vec<Value> = serde_json::from_str(&batch.body).unwrap();
        assert_eq!(i64::try_from(records.len()).unwrap(), batch.events);
        (batch.first_offset..).zip(records).collect::<Vec<_>>()
    };
    batches.iter().flat_map(of_batch).collect()
}

async fn metric(world: &World, line: &str) -> bool {
    let answer = world.request(Method::GET, "/metrics").send().await.unwrap();
    answer.text().await.unwrap().lines().any(|is| is == line)
}

fn taken(offset: i64) -> Value {
    json!({"partition": 0, "offset": offset, "error_code": null, "error": null})
}

#[tokio::test]
async fn events_are_stored_unchanged_with_rising_offsets() {
    let world = World::new().await;
    let first = json!({"records": [
        {"key": "visit-1", "value": {"type": "page-view", "title": "Pay \u{2728}"}},
        {"key": "visit-2", "value": event(7), "partition": 0},
    ]});
    let answer = send(posted(&world, first.to_string())).await;
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.body,
        json!({"offsets": [taken(0), taken(1)], "key_schema_id": null, "value_schema_id": null})
    );
    let answer = post(&world, &records([event(3)])).await;
    assert_eq!(answer.body["offsets"], json!([taken(2)]));
    let records = &first["records"];
    assert_eq!(
        kept(&world).await,
        [
            (0, records[0].clone()),
            (1, records[1].clone()),
            (2, json!({"value": event(3)}))
        ]
    );
    // An offset in the middle of a batch returns the whole batch.
    let from = world.service.app.store.events_from(1, 9).await.unwrap();
    assert_eq!(
        from.iter().map(|batch| batch.first_offset).collect::<Vec<_>>(),
        [0, 2]
    );
}

#[tokio::test]
async fn unusable_requests_are_refused_in_the_proxys_format() {
    let world = World::new().await;
    let one = records([event(1)]).to_string();
    let to = |path: &str, kind: &str, body: String| {
        let request = world.request(Method::POST, path);
        send(request.header("content-type", kind.to_owned()).body(body))
    };
    let thousand_and_one = records((0..1_001).map(Value::from)).to_string();
    let large = format!("{{\"records\":[{{\"value\":\"{}\"}}]}}", "a".repeat(1_048_576));
    for (answer, status, code) in [
        (to("/topics/other", JSON_RECORDS, one.clone()).await, 404, 40_401),
        (to("/topics/%ff", JSON_RECORDS, one.clone()).await, 404, 40_401),
        (to(TOPIC, "application/json", one.clone()).await, 415, 415),
        (
            to(TOPIC, "application/vnd.kafka.binary.v2+json", one.clone()).await,
            415,
            415,
        ),
        (to(TOPIC, JSON_RECORDS, "{}".into()).await, 422, 422),
        (
            to(TOPIC, JSON_RECORDS, r#"{"records":[]}"#.into()).await,
            422,
            422,
        ),
        (
            to(TOPIC, JSON_RECORDS, r#"{"records":[{"key":"a"}]}"#.into()).await,
            422,
            422,
        ),
        (to(TOPIC, JSON_RECORDS, thousand_and_one).await, 422, 422),
        (to(TOPIC, JSON_RECORDS, "{\"records\":".into()).await, 422, 42_203),
        (to(TOPIC, JSON_RECORDS, String::new()).await, 422, 42_203),
        (to(TOPIC, JSON_RECORDS, large).await, 413, 413),
        (send(world.request(Method::GET, TOPIC)).await, 405, 405),
    ] {
        assert_eq!(
            (answer.status, answer.body["error_code"].as_u64()),
            (status, Some(code)),
            "{answer:?}"
        );
        assert!(
            answer.body["message"]
                .as_str()
                .is_some_and(|words| !words.is_empty())
        );
        assert_eq!(answer.body.as_object().unwrap().len(), 2, "{answer:?}");
    }
    let with_parameter = to(TOPIC, "Application/vnd.kafka.JSON.v2+json; charset=utf-8", one).await;
    assert_eq!(with_parameter.status, 200);
    assert_eq!(kept(&world).await.len(), 1);
}

#[tokio::test]
async fn an_unusable_record_does_not_affect_the_others() {
    let world = World::new().await;
    let answer = post(
        &world,
        &json!({"records": [
            {"value": event(1)}, {"value": event(2), "partition": 1}, {"value": {"title": "c".repeat(300_000)}},
            {"value": event(4)}, {"value": event(5), "partition": -1},
            {"value": event(6), "partition": 5_000_000_000_i64}, {"value": "text"}, {"key": {"a": 1}, "value": event(8)},
        ]}),
    )
    .await;
    assert_eq!(answer.status, 200);
    let offsets = answer.body["offsets"].as_array().unwrap();
    assert_eq!(
        [&offsets[0], &offsets[3], &offsets[7]],
        [&taken(0), &taken(1), &taken(2)]
    );
    for refused in [1, 2, 4, 5, 6] {
        let is = &offsets[refused];
        assert_eq!(is["error_code"], 50_002, "{is}");
        assert!(
            is["offset"].is_null() && is["partition"].is_null() && is["error"].is_string(),
            "{is}"
        );
    }
    assert_eq!(
        kept(&world).await,
        [
            (0, json!({"value": event(1)})),
            (1, json!({"value": event(4)})),
            // A key that is no text is left out.
            (2, json!({"value": event(8)})),
        ]
    );
}

#[tokio::test]
async fn any_page_may_post_events_without_credentials() {
    let world = World::new().await;
    let preflight = world
        .request(Method::OPTIONS, TOPIC)
        .header("origin", "https://shop.example")
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "content-type")
        .send()
        .await
        .unwrap();
    assert!(preflight.status().is_success());
    let header = |name: &str| {
        preflight
            .headers()
            .get(name)
            .map(|value| value.to_str().unwrap().to_owned())
    };
    assert_eq!(header("access-control-allow-origin").as_deref(), Some("*"));
    assert_eq!(header("access-control-allow-methods").as_deref(), Some("POST"));
    assert_eq!(
        header("access-control-allow-headers").as_deref(),
        Some("content-type")
    );
    assert_eq!(header("access-control-allow-credentials"), None);
    // The page can read refusals, too.
    for body in [records([event(1)]).to_string(), "{".to_owned()] {
        let answer = posted(&world, body)
            .header("origin", "https://shop.example")
            .send()
            .await
            .unwrap();
        assert_eq!(answer.headers()["access-control-allow-origin"], "*");
        assert_eq!(answer.headers()["content-type"], "application/vnd.kafka.v2+json");
    }
}

#[tokio::test]
async fn a_card_number_in_an_event_is_not_stored() {
    let world = World::new().await;
    let grouped = "4242 4242 4242 4242";
    let body = json!({"records": [
        {"key": GOOD_CARD, "value": {"title": grouped, "at": 1_763_738_400_000_i64}},
        {"value": {"type": "custom", "pan": grouped, "at": GOOD_CARD.parse::<u64>().unwrap()}},
        {"value": {"data": {"field": GOOD_CARD}}},
    ]});
    assert_eq!(post(&world, &body).await.status, 200);
    let nines = "9".repeat(16);
    assert_eq!(
        kept(&world).await,
        [
            (
                0,
                json!({"key": nines, "value": {"title": "9999 9999 9999 9999", "at": 1_763_738_400_000_i64}})
            ),
            // A field that is not known and a number that is too large are left out.
            (1, json!({"value": {"type": "custom"}})),
            (2, json!({"value": {"data": {"field": nines}}})),
        ]
    );
    assert!(metric(&world, "cardform_events_masked_total 2").await);
}

#[tokio::test]
async fn one_client_cannot_fill_the_log() {
    let world = World::with(|settings| {
        settings.limit_events_per_address = Some("10/3600".parse().unwrap());
        settings.client_ip_header = Some("x-forwarded-for".into());
    })
    .await;
    let from = |client: &'static str, events: i32| {
        let request = posted(&world, records((0..events).map(event)).to_string());
        request.header("x-forwarded-for", client).send()
    };
    assert_eq!(from("1.2.3.4", 10).await.unwrap().status(), 200);
    let refused = from("1.2.3.4", 1).await.unwrap();
    assert_eq!(refused.status(), 429);
    let wait: u64 = refused.headers()["retry-after"]
        .to_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!((1..=360).contains(&wait), "{wait}");
    assert_eq!(refused.json::<Value>().await.unwrap()["error_code"], 429);
    assert_eq!(from("2606:4700:1:2::1", 10).await.unwrap().status(), 200);
    assert_eq!(from("2606:4700:1:2::2", 1).await.unwrap().status(), 429);
    assert_eq!(from("1.2.3.5", 1).await.unwrap().status(), 200);
}

#[tokio::test]
async fn large_events_count_more_often_and_do_not_fill_the_log() {
    let world = World::with(|settings| {
        settings.limit_events_per_address = Some("1000/3600".parse().unwrap());
        settings.client_ip_header = Some("x-forwarded-for".into());
        settings.event_storage_mb = Some(1);
    })
    .await;
    let from = |client: &'static str, values: Vec<Value>| {
        let request = posted(&world, records(values).to_string());
        send(request.header("x-forwarded-for", client))
    };
    assert_eq!(
        from("1.2.3.5", vec![event(1)]).await.body["offsets"],
        json!([taken(0)])
    );
    // Unknown fields are not stored, but count for the limit.
    let unknown = json!({"type": "custom", "pan": "x".repeat(240_000)});
    let mut stored = 0;
    for _ in 0..96 {
        stored += usize::from(from("1.2.3.4", vec![unknown.clone()]).await.status == 200);
    }
    assert_eq!(stored, 8);
    // The known fields of one event have a limit together.
    let long = "\u{1f600}".repeat(500);
    let known = json!({"metadata": {"fullUrl": long.repeat(4), "os": long, "browser": long, "cid": long, "utmTerm": long, "utmSource": long}});
    let refused = from("1.2.3.6", vec![known]).await;
    assert_eq!(refused.body["offsets"][0]["error_code"], 50_002, "{refused:?}");
    let kept = kept(&world).await;
    assert_eq!((kept.len(), &kept[0].1), (9, &json!({"value": event(1)})));
}

/// The statements of docs/events.md, for this database.
fn documented_statement(database: &str) -> String {
    let docs = include_str!("../../../../docs/events.md");
    let (name, is_sqlite) = ("-- PostgreSQL", database.starts_with("sqlite:"));
    let statement = docs
        .lines()
        .find(|line| line.starts_with("SELECT") && line.contains(name) != is_sqlite);
    statement.unwrap().to_owned()
}

#[tokio::test]
async fn the_documented_sql_reads_every_stored_event() {
    let world = World::new().await;
    let deep = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
    for field in [
        r#""title":"a\u0000b""#,
        r#""title":"\ud800""#,
        r#""type":"\udfff""#,
        r#""at":1e200000"#,
        r#""at":-0.0"#,
        r#""data":{"a":1e200000}"#,
        r#""data":{"\u0000":1}"#,
        r#""other":"\ud800\u0000""#,
        r#""other":1e200000"#,
        &format!(r#""other":{deep}"#),
        &format!(r#""data":{{"a":{deep}}}"#),
        r#""title":"\u001b[2J\u202e""#,
    ] {
        let key = [r#""k\u0000""#, r#""\ud800""#, "1e200000", &deep];
        for key in key {
            let body = format!(r#"{{"records":[{{"key":{key},"value":{{{field}}}}}]}}"#);
            assert_eq!(send(posted(&world, body)).await.status, 200, "{field:.60}");
        }
    }
    let database = OtherProgram::connect(world.database()).await;
    let statement = documented_statement(world.database());
    database.run(&statement).await.unwrap();
    assert!(kept(&world).await.len() >= 16);
}

#[tokio::test]
async fn the_oldest_events_are_deleted_and_counted_when_full() {
    let world = World::with(|settings| settings.event_storage_mb = Some(1)).await;
    // Each request has 200 kB in a hundred events: five requests fit.
    let large = json!({"title": "x".repeat(480), "referrerUrl": "x".repeat(1_470)});
    for number in 0..7 {
        let answer = post(&world, &records(vec![large.clone(); 100])).await;
        assert_eq!(answer.body["offsets"][99], taken(number * 100 + 99));
    }
    let kept = kept(&world).await;
    assert_eq!((kept.len(), kept[0].0), (500, 200));
    assert!(metric(&world, "cardform_events_dropped_total{reason=\"no_room\"} 200").await);
}

#[tokio::test]
async fn old_events_are_deleted() {
    let world = World::with(|settings| settings.event_retention_days = Some(7)).await;
    post(&world, &records([event(1)])).await;
    world.clock.advance_ms(6 * DAY_MS);
    post(&world, &records([event(2)])).await;
    housekeeping::delete_old_data(&world.service.app).await.unwrap();
    assert_eq!(kept(&world).await.len(), 2);
    world.clock.advance_ms(DAY_MS + 1);
    housekeeping::delete_old_data(&world.service.app).await.unwrap();
    assert_eq!(kept(&world).await, [(1, json!({"value": event(2)}))]);
    // Deleted events no longer count towards the size, otherwise the log would shrink with time.
    let answer = post(&world, &records([event(3)])).await;
    assert_eq!(answer.body["offsets"], json!([taken(2)]));
}

#[tokio::test]
async fn simultaneous_requests_are_all_stored_with_their_own_offsets() {
    let world = World::new().await;
    let requests = (0..40).map(|request| {
        let values = (0..25).map(move |number| event(request * 25 + number));
        let sent = posted(&world, records(values).to_string());
        async move { send(sent).await.body }
    });
    let mut told = Vec::new();
    for (request, answer) in (0_i64..).zip(run_all(requests).await) {
        for (number, offset) in (0_i64..).zip(answer["offsets"].as_array().unwrap()) {
            told.push((
                offset["offset"].as_i64().unwrap(),
                json!({"value": event(request * 25 + number)}),
            ));
        }
    }
    told.sort_by_key(|(offset, _)| *offset);
    assert_eq!(told, kept(&world).await);
    assert_eq!(told.len(), 1_000);
}

/// Sends all requests at the same time. The answers are in the order of the requests.
async fn run_all<T: Send + 'static>(
    questions: impl Iterator<Item = impl Future<Output = T> + Send + 'static>,
) -> Vec<T> {
    let asked: Vec<_> = questions.map(tokio::spawn).collect();
    let mut answers = Vec::new();
    for task in asked {
        answers.push(task.await.unwrap());
    }
    answers
}

#[tokio::test]
async fn a_database_error_is_a_retriable_error_for_events() {
    let world = World::new().await;
    world.service.app.store.close().await;
    let answer = post(&world, &records([event(1), event(2)])).await;
    assert_eq!(answer.status, 200);
    for offset in answer.body["offsets"].as_array().unwrap() {
        assert_eq!(offset["error_code"], 50_003, "{offset}");
    }
}

#[tokio::test]
async fn a_stopping_service_stores_all_accepted_events() {
    let world = World::new().await;
    let mut sent = (0..20).map(|number| {
        let request = posted(&world, records([event(number)]).to_string());
        tokio::spawn(async move { request.send().await?.json::<Value>().await })
    });
    let first = sent.next().unwrap();
    let sent: Vec<_> = sent.collect();
    first.await.unwrap().unwrap();
    let database = world.service.app.config.database.clone();
    world.service.stop().await;
    let mut taken = 1;
    for request in sent {
        // Requests that arrived too late were refused.
        if let Ok(answer) = request.await.unwrap() {
            taken += usize::from(answer["offsets"][0]["error_code"].is_null());
        }
    }
    let store = Store::connect(&database).await.unwrap();
    assert_eq!(kept_in(&store).await.len(), taken);
}

#[tokio::test]
async fn events_are_counted_by_known_types() {
    let world = World::new().await;
    let of_type = |kind: &str| json!({"type": kind, "name": "x"});
    let body = records([
        of_type("custom"),
        of_type("custom"),
        of_type("session"),
        of_type(GOOD_CARD),
        json!({}),
    ]);
    assert_eq!(post(&world, &body).await.status, 200);
    // They are counted after the answer; a stopped service has counted all.
    let app = world.service.app.clone();
    world.service.stop().await;
    let text = app.metrics.text().unwrap();
    for line in [
        "cardform_events_total{type=\"custom\"} 2",
        "cardform_events_total{type=\"session\"} 1",
        "cardform_events_total{type=\"other\"} 2",
    ] {
        assert!(text.contains(line), "{line} is missing in\n{text}");
    }
}
