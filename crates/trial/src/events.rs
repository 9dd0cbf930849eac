//! How many events per second the service accepts, in batches as pages send them, and the effect on pages and memory.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use reqwest::Client;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::TrialError;
use crate::bench::rate;
use crate::broker::Broker;
use crate::own_address::own_address;
use crate::pages::{memory_mb, page, timed};
use crate::postgres::{Durability, Postgres};
use crate::process::{CardformProcess, Program};

/// How many events per second must be accepted on two cores, which also send them.
const PER_SECOND_MIN: f64 = 20_000.0;
/// How many events a request has, and how many requests run at the same time.
const BATCH: usize = 50;
const AT_ONCE: usize = 64;
/// How many requests come before the first memory measurement, and how many are measured.
const WARM_UP: usize = 1_000;
const REQUESTS: usize = 6_000;
/// How long pages are requested without events, and together with them.
const PAGES_FOR: Duration = Duration::from_secs(10);
/// The pause between two pages.
const PAGE_PAUSE: Duration = Duration::from_millis(20);
/// The slowest allowed page during these events, in milliseconds, as the 99th percentile: a shopper does not notice it.
const PAGE_MS_MAX: f64 = 100.0;
/// The memory limit after all these events, in megabytes; the queue is limited to 32.
const MEMORY_MB_MAX: f64 = 200.0;

/// The rows of the bench's table: into the database's own log, and into Kafka.
pub async fn rows(binary: &Path, broker: &Path) -> Result<Vec<Value>, TrialError> {
    let mut rows = Vec::new();
    let sqlite = ["--database", "sqlite:cardform.db"];
    rows.extend(measured("SQLite", binary, &sqlite).await?);
    let postgres = Postgres::start(Durability::Full)?;
    rows.extend(measured("PostgreSQL", binary, &["--database", &postgres.new_database()?]).await?);
    drop(postgres);
    let broker = Broker::start(broker, own_address()?)?;
    let address = broker.address.to_string();
    let kafka = ["--event-sink", "kafka", "--kafka-brokers", &address];
    rows.extend(measured("Kafka", binary, &[&sqlite[..], &kafka].concat()).await?);
    Ok(rows)
}

async fn measured(sink: &str, binary: &Path, settings: &[&str]) -> Result<Vec<Value>, TrialError> {
    // Next to the program, because a folder for temporary files may be in memory.
    let beside = binary.parent().unwrap_or(binary);
    let dir =
        tempfile::tempdir_in(beside).map_err(|cause| TrialError::Start("a folder".to_owned(), cause))?;
    let program = Program::new(binary, dir.path());
    let listen = [
        "serve",
        "--create",
        "--listen",
        "127.0.0.1:0",
        "--provider-url",
        "http://127.0.0.1:9",
    ];
    let service = program.serve(&[&listen[..], settings].concat())?;
    let load = EventLoad::new(&service)?;
    let address = page(&program, &service, settings)?;

    load.send(WARM_UP, None).await?;
    let before = memory_mb(&service)?;
    let start = Instant::now();
    load.send(REQUESTS, None).await?;
    let per_second = rate(REQUESTS * BATCH, start.elapsed());
    let after = memory_mb(&service)?;

    let alone = pages_p99(&load.http, &address, PAGES_FOR).await?;
    let paced = pace(PAGES_FOR);
    let beside_pages = load.send(paced, Some(PAGES_FOR / u32::try_from(paced).unwrap_or(u32::MAX)));
    let (sent, beside) = tokio::join!(beside_pages, pages_p99(&load.http, &address, PAGES_FOR));
    sent?;
    Ok(vec![
        json!({"name": format!("events into {sink}, {BATCH} at a time"), "measured": per_second, "unit": "/s",
               "ratio_min": 1.0, "yardstick": {"name": "what must be", "measured": PER_SECOND_MIN}}),
        json!({"name": "a page beside 20 000 events/s, p99", "measured": beside?, "unit": "ms",
               "measured_max": PAGE_MS_MAX, "yardstick": {"name": "without events", "measured": alone}}),
        json!({"name": format!("memory after {} events", (WARM_UP + REQUESTS) * BATCH), "measured": after, "unit": "MB",
               "measured_max": MEMORY_MB_MAX,
               "yardstick": {"name": format!("after {}", WARM_UP * BATCH), "measured": before}}),
    ])
}

/// How many requests fit into this time at the required rate.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "some thousands"
)]
#[expect(clippy::cast_precision_loss, reason = "fifty")]
fn pace(time: Duration) -> usize {
    (PER_SECOND_MIN / BATCH as f64 * time.as_secs_f64()) as usize
}

/// Pages that send events.
struct EventLoad {
    http: Client,
    url: Arc<str>,
    bodies: Arc<[Arc<str>]>,
}

impl EventLoad {
    fn new(service: &CardformProcess) -> Result<Self, TrialError> {
        let http = Client::builder().no_proxy().build();
        Ok(Self {
            http: http.map_err(|cause| TrialError::Answer(cause.to_string()))?,
            url: format!("{}/topics/cardform-events", service.url).into(),
            bodies: (0..16).map(|visit| Arc::from(body(visit))).collect(),
        })
    }

    /// Sends requests, as fast as they are answered or one per interval; every event must be accepted.
    async fn send(&self, requests: usize, every: Option<Duration>) -> Result<(), TrialError> {
        let next = Arc::new(AtomicUsize::new(0));
        let start = Instant::now();
        let mut senders = JoinSet::new();
        for _ in 0..AT_ONCE {
            let (http, url, bodies, next) = (
                self.http.clone(),
                Arc::clone(&self.url),
                Arc::clone(&self.bodies),
                Arc::clone(&next),
            );
            senders.spawn(async move {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= requests {
                        return Ok(());
                    }
                    if let Some(every) = every {
                        let due = start + every * u32::try_from(number).unwrap_or(u32::MAX);
                        tokio::time::sleep_until(due.into()).await;
                    }
                    let body = Arc::clone(&bodies[number % bodies.len()]);
                    taken(&http, &url, body.to_string()).await?;
                }
            });
        }
        while let Some(sender) = senders.join_next().await {
            sender.map_err(|cause| TrialError::Answer(cause.to_string()))??;
        }
        Ok(())
    }
}

async fn taken(http: &Client, url: &str, body: String) -> Result<(), TrialError> {
    let failed = |cause: reqwest::Error| TrialError::Answer(cause.without_url().to_string());
    let request = http
        .post(url)
        .header("content-type", "application/vnd.kafka.json.v2+json")
        .body(body);
    let answer = request.send().await.map_err(failed)?;
    let status = answer.status();
    let text = answer.text().await.map_err(failed)?;
    let taken = text.matches("\"error_code\":null").count();
    if status == 200 && taken == BATCH {
        Ok(())
    } else {
        Err(TrialError::Answer(format!(
            "{status} and took {taken} of {BATCH} events"
        )))
    }
}

/// The 99th percentile of page times, in milliseconds.
async fn pages_p99(http: &Client, address: &str, time: Duration) -> Result<f64, TrialError> {
    let start = Instant::now();
    let mut took = Vec::new();
    while start.elapsed() < time {
        took.push(timed(http, address).await?);
        tokio::time::sleep(PAGE_PAUSE).await;
    }
    took.sort_by(f64::total_cmp);
    Ok(took[took.len() * 99 / 100])
}

/// A request as a page sends it: events of about a kilobyte each.
fn body(visit: usize) -> String {
    let visit = format!("00000000-0000-4000-8000-{visit:012}");
    let records: Vec<_> = (0..BATCH)
        .map(|number| {
            let kind = ["page-view", "custom", "click", "session"][number % 4];
            json!({"key": visit, "value": {
                "type": kind, "name": "field_blur", "id": format!("11111111-1111-4111-8111-{number:012}"),
                "at": 1_790_000_000_000_u64 + number as u64, "visit": visit,
                "metadata": {
                    "namespace": "pay", "codaCookieId": "2f7c0a86-52f1-4d46-9a7e-0b6d3f2c9d11",
                    "fullUrl": "https://pay.example/en-US?utm_source=newsletter&utm_campaign=spring-sale-of-gems",
                    "ip": "203.0.113.7", "libraryVersion": "2.3.0", "domainName": "pay.example",
                    "userAgent": "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) \
                                  Chrome/126.0.0.0 Mobile Safari/537.36",
                    "os": "Android", "mobile": true, "browser": "Chrome", "cid": "", "campaignId": "",
                    "utmCampaign": "spring-sale-of-gems", "utmSource": "newsletter", "utmMedium": "email",
                    "utmContent": "", "utmTerm": "", "sessionId": "9a1f4c1e-7f0c-4a55-8a4b-6f9a4f7f3d20",
                    "sessionNum": 3, "engagementMs": 5_321,
                },
                "title": "Pay with card", "path": "/en-US", "referrerUrl": "https://shop.example", "locale": "en-US",
                "data": {"field": "card-number", "elapsed_ms": 4_200},
            }})
        })
        .collect();
    json!({ "records": records }).to_string()
}
