//! A client with many idle connections cannot use up all connections or file descriptors.

use std::num::NonZero;
use std::time::Duration;

use protocol::CreatedCharge;
use reqwest::Client;
use serde_json::Value;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::process::Process;
use crate::world::{World, card, new_charge, send};

const DESCRIPTORS: u32 = 256;
const IDLE: usize = 300;
/// Payments must not wait longer than this because of other clients' connections.
const WAIT_MAX: Duration = Duration::from_secs(5);

/// The arguments of a demo in the folder where it is started.
const DEMO: [&str; 5] = ["demo", "--listen", "127.0.0.1:0", "--data", "data"];

/// Connections to the service that send nothing.
async fn idle_connections(demo: &Process) -> Vec<TcpStream> {
    let address = demo.url().trim_start_matches("http://").to_owned();
    let mut open = Vec::new();
    for _ in 0..IDLE {
        open.push(TcpStream::connect(&address).await.unwrap());
    }
    open
}

fn client() -> Client {
    Client::builder().no_proxy().timeout(WAIT_MAX).build().unwrap()
}

async fn metrics(http: &Client, demo: &Process) -> String {
    let answer = http.get(format!("{}/metrics", demo.url())).send().await.unwrap();
    answer.text().await.unwrap()
}

/// Whether the service has closed it.
async fn is_closed(connection: &mut TcpStream) -> bool {
    let read = timeout(Duration::from_millis(1), connection.read(&mut [0; 16])).await;
    matches!(read, Ok(Ok(0) | Err(_)))
}

#[tokio::test]
async fn shoppers_pay_despite_300_idle_connections() {
    let dir = tempfile::tempdir().unwrap();
    let demo = Process::start_with_descriptors(dir.path(), &DEMO, DESCRIPTORS);
    let mut idle = idle_connections(&demo).await;

    let http = client();
    let health = http.get(format!("{}/healthz", demo.url())).send().await.unwrap();
    assert_eq!(health.status(), 200);
    let key = demo.ready["secret_key"].as_str().unwrap();
    let request = http.post(format!("{}/v1/charges", demo.url()));
    let created = send(request.bearer_auth(key).json(&new_charge())).await;
    let charge: CreatedCharge = serde_json::from_value(created.body).unwrap();
    let request = http
        .post(format!("{}/v1/pub/direct/charges", demo.url()))
        .bearer_auth(&charge.client_secret)
        .header("partner-id", "partner_demo")
        .json(&card(&charge, "4242424242424242"));
    let paid = send(request).await;
    assert_eq!(
        (paid.status, &paid.body["status_code"]),
        (201, &Value::from("succeeded"))
    );

    let mut closed = 0;
    for connection in &mut idle {
        closed += usize::from(is_closed(connection).await);
    }
    assert!((IDLE - 100..IDLE).contains(&closed), "{closed} were closed");
    let metrics = metrics(&http, &demo).await;
    let turned_away = metrics
        .lines()
        .find(|line| line.starts_with("cardform_connections_turned_away_total{reason=\"idle\"}"))
        .unwrap_or_else(|| panic!("not counted in\n{metrics}"));
    let counted: usize = turned_away.rsplit(' ').next().unwrap().parse().unwrap();
    assert!(counted >= closed, "{turned_away}");
    let log = std::fs::read_to_string(dir.path().join("cardform.log")).unwrap();
    assert!(log.contains("too many connections"), "{log}");
    assert!(
        log.matches("too many connections").count() < 5,
        "one line for many"
    );
}

#[tokio::test]
async fn a_low_limit_of_descriptors_is_raised_at_start() {
    let dir = tempfile::tempdir().unwrap();
    let demo = Process::start_with_soft_limit(dir.path(), &DEMO, DESCRIPTORS);
    let mut idle = idle_connections(&demo).await;
    let metrics = metrics(&client(), &demo).await;
    let value = |name: &str| -> u64 {
        let line = metrics.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap().trim().parse().unwrap()
    };
    assert!(value("process_max_fds ") > u64::from(DESCRIPTORS));
    assert!(value("process_open_fds ") > u64::from(DESCRIPTORS));
    for connection in &mut idle {
        assert!(!is_closed(connection).await, "there is room for all");
    }
}

#[tokio::test]
async fn the_oldest_idle_connection_is_closed_at_the_limit() {
    let world = World::with(|settings| settings.connections_max = NonZero::new(3)).await;
    let address = world.service.address.to_string();
    let mut idle = Vec::new();
    for _ in 0..3 {
        let mut connection = TcpStream::connect(&address).await.unwrap();
        // The answer shows that the connection was accepted.
        let answer = crate::world::say(&mut connection, "GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n").await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        idle.push(connection);
    }
    let mut another = TcpStream::connect(&address).await.unwrap();
    let answer = crate::world::say(&mut another, "GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let gone = timeout(WAIT_MAX, idle[0].read(&mut [0; 16])).await.unwrap();
    assert!(matches!(gone, Ok(0) | Err(_)));
    assert!(!is_closed(&mut idle[1]).await && !is_closed(&mut idle[2]).await);
}
