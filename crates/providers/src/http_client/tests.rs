use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::time::Instant;

use super::*;

const LONG: Duration = Duration::from_secs(60);

/// A server that answers one request with `answer`. The task returns the head of the request.
async fn server(answer: String) -> (SocketAddr, tokio::task::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let asked = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut asked = String::new();
        while !asked.contains("\r\n\r\n") {
            let mut some = [0; 1_024];
            let count = stream.read(&mut some).await.unwrap();
            asked.push_str(std::str::from_utf8(&some[..count]).unwrap());
        }
        stream.write_all(answer.as_bytes()).await.unwrap();
        asked
    });
    (address, asked)
}

fn answer(head: &str, body: &str) -> String {
    format!("HTTP/1.1 {head}\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

async fn get(url: &str, timeout: Duration) -> Option<HttpAnswer> {
    let client = HttpClient::new(&Url::parse(url).unwrap(), KeepConnections::Yes).unwrap();
    let request = client.request(Method::GET, client.address("/v1/a?b=1").unwrap());
    client.send(request, Bytes::new(), timeout).await
}

#[tokio::test]
async fn a_user_in_the_url_is_sent_only_as_authorization() {
    let (address, asked) = server(answer("200 OK", "yes")).await;
    let told = get(&format!("http://me:s%3Acret@{address}/below/"), LONG)
        .await
        .unwrap();
    assert_eq!((told.status, &told.body[..]), (StatusCode::OK, &b"yes"[..]));
    let asked = asked.await.unwrap();
    assert!(asked.starts_with("GET /below/v1/a?b=1 HTTP/1.1\r\n"), "{asked}");
    let authorization = format!("authorization: Basic {}\r\n", BASE64_STANDARD.encode("me:s:cret"));
    assert!(asked.contains(&authorization), "{asked}");
    assert!(asked.contains(&format!("host: {address}\r\n")), "{asked}");
    assert_eq!(asked.matches("cret").count(), 0);
}

#[tokio::test]
async fn an_answer_that_is_too_large_or_breaks_off_has_no_body() {
    let (address, _asked) = server(answer("200 OK", &"x".repeat(ANSWER_BYTES_MAX + 1))).await;
    let told = get(&format!("http://{address}"), LONG).await.unwrap();
    assert_eq!((told.status, told.body.len()), (StatusCode::OK, 0));
    let (address, _asked) = server("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf".to_owned()).await;
    let told = get(&format!("http://{address}"), LONG).await.unwrap();
    assert_eq!((told.status, told.body.len()), (StatusCode::OK, 0));
    let (address, _asked) = server(answer("200 OK", &"x".repeat(ANSWER_BYTES_MAX))).await;
    let told = get(&format!("http://{address}"), LONG).await.unwrap();
    assert_eq!(told.body.len(), ANSWER_BYTES_MAX);
}

/// Tokio's clock is paused and advances to each time-out, so the test does not wait.
#[tokio::test(start_paused = true)]
async fn a_call_to_a_silent_server_times_out() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = silent.local_addr().unwrap();
    let begun = Instant::now();
    assert!(get(&format!("http://{address}"), LONG).await.is_none());
    assert_eq!(begun.elapsed().as_secs(), LONG.as_secs());
    // Its TLS handshake never begins. The handshake is a part of connecting.
    let begun = Instant::now();
    assert!(get(&format!("https://{address}"), LONG).await.is_none());
    assert_eq!(begun.elapsed().as_secs(), CONNECT_TIMEOUT.as_secs());
}
