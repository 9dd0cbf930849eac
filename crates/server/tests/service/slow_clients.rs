//! Slow clients: each uses a connection for a while, and does not affect others.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::world::World;

const STALLED: usize = 60;
/// The first lines of every request.
const HEAD: &str = "POST /v1/pub/direct/charges HTTP/1.1\r\nhost: pay.example\r\n";

#[tokio::test]
async fn stalled_connections_are_closed_while_others_pay() {
    let world = World::with(|settings| settings.request_timeout_ms = Some(1_000)).await;
    let beginnings = [
        String::new(),
        HEAD.to_owned(),
        format!("{HEAD}content-type: application/json\r\ncontent-length: 1000\r\n\r\n{{\"charge_id\":"),
        "PRI * HTTP/2.0\r\n".to_owned(),
    ];
    let mut stalled = Vec::new();
    for beginning in beginnings.iter().cycle().take(STALLED) {
        let mut connection = TcpStream::connect(world.service.address).await.unwrap();
        connection.write_all(beginning.as_bytes()).await.unwrap();
        stalled.push(connection);
    }
    let charge = world.charge().await;
    let paid = world.pay(&charge, "press-1", "4242424242424242").await;
    assert_eq!((paid.status, paid.status_code()), (201, "succeeded"));
    for mut connection in stalled {
        let mut said = Vec::new();
        let closed = tokio::time::timeout(Duration::from_secs(20), connection.read_to_end(&mut said)).await;
        // Closed normally, or reset because of unread data.
        assert!(closed.is_ok(), "still open after {said:?}");
    }
}

#[tokio::test]
async fn a_request_head_over_the_limit_is_refused() {
    let world = World::new().await;
    let asked = async |bytes: usize| {
        let mut connection = TcpStream::connect(world.service.address).await.unwrap();
        let head = format!(
            "GET /healthz HTTP/1.1\r\nhost: pay.example\r\nconnection: close\r\nx-long: {}\r\n\r\n",
            "a".repeat(bytes)
        );
        // Writing may fail if the service does not read.
        let _ = connection.write_all(head.as_bytes()).await;
        let mut said = [0; 12];
        let _ = connection.read_exact(&mut said).await;
        String::from_utf8_lossy(&said).into_owned()
    };
    assert_eq!(asked(24 * 1024).await, "HTTP/1.1 200");
    assert_eq!(asked(33 * 1024).await, "HTTP/1.1 431");
}
