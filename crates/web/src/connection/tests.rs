use axum::body::Bytes;
use axum::routing::{get, post};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, WriteHalf, duplex};
use tokio::task::JoinHandle;
use tokio::time::{Interval, interval};

use super::*;
use crate::connections::{ConnectionLimits, Connections};

/// How many bytes fit between client and server before one of them must read.
const PIPE_BYTES: usize = 1_024;
const TIME_LIMITS: TimeLimits = TimeLimits::new(
    Duration::from_secs(15),
    Duration::from_secs(75),
    Duration::from_secs(30),
);

/// A client's end of a connection, and the task that serves it, which returns how long it ran. The clock only moves
/// while the test waits.
fn connected() -> (DuplexStream, JoinHandle<Duration>, watch::Sender<bool>) {
    let (client, server) = duplex(PIPE_BYTES);
    let (stop, stopped) = watch::channel(false);
    let peer: SocketAddr = ([127, 0, 0, 1], 1).into();
    let connections = Connections::new(ConnectionLimits::default());
    let began = Instant::now();
    let serving = tokio::spawn(async move {
        let admitted = connections.admit(peer.ip()).await.unwrap();
        serve(server, peer, admitted, routes(), TIME_LIMITS, stopped).await;
        began.elapsed()
    });
    (client, serving, stop)
}

fn routes() -> Router {
    Router::new()
        .route("/", get(async || "answer"))
        .route("/long", get(async || "x".repeat(PIPE_BYTES * 100)))
        .route("/echo", post(async |body: Bytes| body))
        .route("/slow", get(slow))
}

/// How long `/slow` works on its answer: longer than a head may take.
const SLOW: Duration = Duration::from_secs(20);

async fn slow() -> &'static str {
    // tidy-allow sleep: the test's clock only moves while the test waits
    tokio::time::sleep(SLOW).await;
    "answer"
}

/// Asks for a page, and reads its answer.
async fn ask(client: &mut DuplexStream, path: &str) {
    let request = format!("GET {path} HTTP/1.1\r\nhost: pay.example\r\n\r\n");
    client.write_all(request.as_bytes()).await.unwrap();
    let mut said = [0; 4_096];
    let read = client.read(&mut said).await.unwrap();
    assert!(said[..read].starts_with(b"HTTP/1.1 200 OK"));
}

fn every_ten_seconds() -> Interval {
    interval(Duration::from_secs(10))
}

/// Whether `took` equals `limit`, within the precision of the timer.
fn is_about(took: Duration, limit: Duration) -> bool {
    took >= limit && took < limit + Duration::from_millis(10)
}

async fn all(client: &mut DuplexStream) -> String {
    let mut said = String::new();
    client.read_to_string(&mut said).await.unwrap();
    said
}

#[tokio::test(start_paused = true)]
async fn a_silent_connection_is_closed() {
    let (mut client, serving, _stop) = connected();
    assert_eq!(all(&mut client).await, "");
    assert!(is_about(serving.await.unwrap(), TIME_LIMITS.head));
}

#[tokio::test(start_paused = true)]
async fn an_unfinished_http_2_preface_closes_the_connection() {
    let (mut client, serving, _stop) = connected();
    client.write_all(b"PRI * HTTP/2.0\r\n").await.unwrap();
    assert!(is_about(serving.await.unwrap(), TIME_LIMITS.head));
}

#[tokio::test(start_paused = true)]
async fn a_slow_request_head_is_cut_off() {
    let (mut client, serving, _stop) = connected();
    let mut pause = every_ten_seconds();
    for byte in b"GET / HTTP/1.1\r\nhost: pay.example\r\n\r\n" {
        pause.tick().await;
        if client.write_all(&[*byte]).await.is_err() {
            break;
        }
    }
    let took = serving.await.unwrap();
    assert!(is_about(took, TIME_LIMITS.head), "{took:?}");
}

/// A kept connection may be silent for longer than a head may take: a head's time starts with its first byte.
#[tokio::test(start_paused = true)]
async fn a_second_requests_head_has_the_same_time_limit() {
    let (mut client, serving, _stop) = connected();
    ask(&mut client, "/").await;
    let pause = TIME_LIMITS.head * 3;
    // tidy-allow sleep: the test's clock only moves while the test waits
    tokio::time::sleep(pause).await;
    client.write_all(b"GET /").await.unwrap();
    let took = serving.await.unwrap();
    assert!(is_about(took, pause + TIME_LIMITS.head), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn a_kept_connection_without_another_request_is_closed() {
    let (mut client, serving, _stop) = connected();
    let mut pause = every_ten_seconds();
    for _ in 0..2 {
        pause.tick().await;
        ask(&mut client, "/").await;
    }
    let took = serving.await.unwrap();
    let second = pause.period();
    assert!(is_about(took, second + TIME_LIMITS.request), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn a_slow_answer_does_not_keep_the_connection_for_longer() {
    let (mut client, serving, _stop) = connected();
    ask(&mut client, "/slow").await;
    let took = serving.await.unwrap();
    assert!(is_about(took, SLOW + TIME_LIMITS.request), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn a_slow_request_body_is_a_400() {
    let (mut client, serving, _stop) = connected();
    client
        .write_all(b"POST /echo HTTP/1.1\r\nhost: pay.example\r\ncontent-length: 100\r\n\r\n")
        .await
        .unwrap();
    let mut pause = every_ten_seconds();
    for _ in 0..100 {
        pause.tick().await;
        if client.write_all(b"x").await.is_err() {
            break;
        }
    }
    let took = serving.await.unwrap();
    assert!(took < TIME_LIMITS.request + Duration::from_secs(1), "{took:?}");
    assert!(all(&mut client).await.starts_with("HTTP/1.1 400"));
}

#[tokio::test(start_paused = true)]
async fn an_unread_answer_closes_the_connection() {
    let (mut client, serving, _stop) = connected();
    client
        .write_all(b"GET /long HTTP/1.1\r\nhost: pay.example\r\n\r\n")
        .await
        .unwrap();
    assert!(is_about(serving.await.unwrap(), TIME_LIMITS.silence));
}

#[tokio::test(start_paused = true)]
async fn an_unfinished_http_2_request_closes_the_connection() {
    let (mut client, serving, _stop) = connected();
    // The preface and empty settings (RFC 9113, 3.4), then the first bytes of a frame of headers.
    client
        .write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0\0\0\x20\x01")
        .await
        .unwrap();
    let took = serving.await.unwrap();
    assert!(is_about(took, TIME_LIMITS.head), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn a_steady_client_is_served_until_the_service_stops() {
    let (mut client, serving, stop) = connected();
    let mut pause = every_ten_seconds();
    for _ in 0..60 {
        pause.tick().await;
        ask(&mut client, "/").await;
    }
    stop.send_replace(true);
    assert_eq!(all(&mut client).await, "");
    assert!(serving.await.unwrap() > TIME_LIMITS.silence * 5);
}

#[tokio::test(start_paused = true)]
async fn http_2_with_a_card_ends_without_the_clients_help() {
    let (mut client, serving, _stop) = connected();
    // The preface and empty settings, then `POST /echo` as stream 1 with its body (RFC 9113, 6.1 and 6.2; RFC 7541, A).
    client
        .write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0")
        .await
        .unwrap();
    client
        .write_all(b"\0\0\x0c\x01\x04\0\0\0\x01\x83\x86\x04\x05/echo\x41\x01x")
        .await
        .unwrap();
    client
        .write_all(b"\0\0\x10\0\x01\0\0\0\x014242424242424242")
        .await
        .unwrap();
    let took = serving.await.unwrap();
    assert!(
        took >= CARD_SILENCE_MAX && took < CARD_SILENCE_MAX * 3,
        "{took:?}"
    );
    let mut said = Vec::new();
    client.read_to_end(&mut said).await.unwrap();
    assert!(
        said.windows(6).any(|part| part == b"424242"),
        "it was answered before"
    );
    // GOAWAY is a frame of type 7 for stream 0.
    assert!(
        said.windows(6).any(|part| part == b"\x07\0\0\0\0\0"),
        "and the end was said"
    );
}

/// An HTTP/2 client that gives each answer this window (RFC 9113, 6.5 and 6.9) and asks for `path`. What it is told is thrown away.
async fn with_window(client: DuplexStream, window: u8, path: &str) -> WriteHalf<DuplexStream> {
    let (mut said, mut client) = tokio::io::split(client);
    tokio::spawn(async move { tokio::io::copy(&mut said, &mut tokio::io::sink()).await });
    let mut asked = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\x06\x04\0\0\0\0\0\0\x04\0\0\0".to_vec();
    asked.push(window);
    // `GET` as stream 1, with nothing after it.
    let length = u8::try_from(path.len()).unwrap();
    asked.extend([0, 0, 7 + length, 1, 5, 0, 0, 0, 1, 0x82, 0x86, 4, length]);
    asked.extend(path.as_bytes());
    asked.extend(b"\x41\x01x");
    client.write_all(&asked).await.unwrap();
    client
}

#[tokio::test(start_paused = true)]
async fn pings_do_not_keep_a_connection_with_an_unread_answer() {
    // With a window of one byte, h2 holds the rest of the answer.
    for (window, path) in [(0, "/"), (1, "/"), (1, "/long")] {
        let (client, serving, _stop) = connected();
        let mut client = with_window(client, window, path).await;
        let mut pause = every_ten_seconds();
        for _ in 0..100 {
            pause.tick().await;
            let ping = b"\0\0\x08\x06\0\0\0\0\0pingping";
            if client.write_all(ping).await.is_err() {
                break;
            }
        }
        let took = serving.await.unwrap();
        assert!(is_about(took, TIME_LIMITS.silence), "{window} {path}: {took:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_slowly_over_http_2_is_served() {
    let (client, serving, _stop) = connected();
    let mut client = with_window(client, 0, "/long").await;
    let mut pause = every_ten_seconds();
    for _ in 0..60 {
        pause.tick().await;
        // 16 more bytes of stream 1.
        let update = b"\0\0\x04\x08\0\0\0\0\x01\0\0\0\x10";
        client.write_all(update).await.unwrap();
    }
    let took = serving.await.unwrap();
    let read = pause.period() * 59;
    assert!(is_about(took, read + TIME_LIMITS.silence), "{took:?}");
}
