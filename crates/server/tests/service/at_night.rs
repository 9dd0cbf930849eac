//! What happens at night: a database that cannot be written, a log that nobody reads, a node that stops.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use reqwest::{Client, Method};
use server::readiness::look;

use crate::process::Process;
use crate::world::{World, new_charge, send};

/// How long something may take to happen before a test fails.
const PATIENCE: Duration = Duration::from_secs(20);

async fn ready(world: &World) -> (u16, String) {
    let answer = world.request(Method::GET, "/readyz").send().await.unwrap();
    (answer.status().as_u16(), answer.text().await.unwrap())
}

/// A slow disk may take more than the second that a try is given; a later try finds the database well.
async fn becomes_ready(world: &World) {
    let began = Instant::now();
    loop {
        look(&world.service.app).await;
        let (status, reason) = ready(world).await;
        if status == 200 {
            return;
        }
        assert!(began.elapsed() < PATIENCE, "still not ready: {reason}");
    }
}

async fn on_sqlite() -> (World, std::path::PathBuf) {
    let dir = tempfile::tempdir().unwrap().keep();
    let file = dir.join("books.db");
    let world = World::on(format!("sqlite:{}", file.display())).await;
    (world, file)
}

/// A connection of another program's, which holds the write lock until it is closed.
async fn locked(file: &Path) -> sqlx::SqliteConnection {
    use sqlx::{Connection, Executor};
    let mut other = sqlx::SqliteConnection::connect(&format!("sqlite:{}", file.display()))
        .await
        .unwrap();
    other.execute("BEGIN IMMEDIATE").await.unwrap();
    other
}

#[tokio::test]
async fn a_database_that_is_locked_makes_the_node_not_ready_within_a_second() {
    use sqlx::Connection;
    let (world, file) = on_sqlite().await;
    becomes_ready(&world).await;
    let other = locked(&file).await;
    let began = Instant::now();
    look(&world.service.app).await;
    assert!(began.elapsed() < Duration::from_secs(5));
    assert_eq!(ready(&world).await.0, 503);
    other.close().await.unwrap();
    becomes_ready(&world).await;
}

#[tokio::test]
async fn a_removed_or_replaced_file_makes_the_node_not_ready() {
    let (world, file) = on_sqlite().await;
    let moved = file.with_extension("moved");
    std::fs::rename(&file, &moved).unwrap();
    look(&world.service.app).await;
    let gone = (503, "the database's file was removed or replaced".to_owned());
    assert_eq!(ready(&world).await, gone);
    // Another file with the same contents is another database all the same.
    std::fs::copy(&moved, &file).unwrap();
    look(&world.service.app).await;
    assert_eq!(ready(&world).await, gone);
    std::fs::rename(&moved, &file).unwrap();
    becomes_ready(&world).await;
}

#[tokio::test]
async fn trouble_with_the_database_is_a_503_that_says_when_to_come_back() {
    let world = World::new().await;
    world.service.app.store.close().await;
    let request = world.request(Method::POST, "/v1/charges").json(&new_charge());
    let answer = request
        .bearer_auth(crate::world::SECRET_KEY)
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 503);
    assert!(answer.headers().contains_key("retry-after"));
    let body: serde_json::Value = answer.json().await.unwrap();
    assert_eq!(body["error"]["code"], "unavailable");
    look(&world.service.app).await;
    assert_eq!(ready(&world).await.0, 503);
    // Metrics do not ask the database.
    let metrics = send(world.request(Method::GET, "/metrics")).await;
    assert_eq!(metrics.status, 200);
}

#[tokio::test]
async fn a_log_that_nobody_reads_stops_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut demo =
        Process::start_with_unread_log(dir.path(), &["demo", "--listen", "127.0.0.1:0", "--data", "data"]);
    let http = Client::builder().no_proxy().timeout(PATIENCE).build().unwrap();
    for _ in 0..2_000 {
        let page = http
            .get(format!("{}/openapi.json", demo.url()))
            .send()
            .await
            .unwrap();
        assert_eq!(page.status(), 200);
    }
    let health = http.get(format!("{}/healthz", demo.url())).send().await.unwrap();
    assert_eq!(health.status(), 200);
    let mut log = demo.log();
    let reading = std::thread::spawn(move || {
        let mut text = String::new();
        log.read_to_string(&mut text).unwrap();
        text
    });
    let asked = Instant::now();
    let (ended_well, _) = demo.terminate();
    assert!(ended_well && asked.elapsed() < PATIENCE);
    let log = reading.join().unwrap();
    assert!(
        log.contains("answered") && !log.contains("/healthz"),
        "health is for debug"
    );
}

#[tokio::test]
async fn a_node_with_an_unread_log_ends_when_it_is_asked_to() {
    let dir = tempfile::tempdir().unwrap();
    let mut demo =
        Process::start_with_unread_log(dir.path(), &["demo", "--listen", "127.0.0.1:0", "--data", "data"]);
    let http = Client::builder().no_proxy().timeout(PATIENCE).build().unwrap();
    for _ in 0..1_000 {
        http.get(format!("{}/openapi.json", demo.url()))
            .send()
            .await
            .unwrap();
    }
    // The pipe stays open and full.
    let log = demo.log();
    let asked = Instant::now();
    assert!(demo.terminate().0);
    assert!(asked.elapsed() < PATIENCE);
    drop(log);
}

#[tokio::test]
async fn a_node_that_is_asked_to_end_is_not_ready_first_and_still_serves() {
    let dir = tempfile::tempdir().unwrap();
    let demo = Process::start(
        dir.path(),
        &[
            "demo",
            "--listen",
            "127.0.0.1:0",
            "--data",
            "data",
            "--drain-ms",
            "2000",
        ],
        "info",
    );
    let http = Client::builder().no_proxy().timeout(PATIENCE).build().unwrap();
    let ask = async |path: &str| {
        let answer = http.get(format!("{}{path}", demo.url())).send().await.unwrap();
        answer.status().as_u16()
    };
    assert_eq!(ask("/readyz").await, 200);
    let id = demo.id().to_string();
    assert!(
        Command::new("kill")
            .arg(&id)
            .stdout(Stdio::null())
            .status()
            .unwrap()
            .success()
    );
    let deadline = Instant::now() + Duration::from_secs(1);
    while ask("/readyz").await == 200 {
        assert!(Instant::now() < deadline, "still ready");
    }
    assert_eq!((ask("/readyz").await, ask("/openapi.json").await), (503, 200));
    assert!(demo.terminate().0);
}
