//! Presses of the pay button from many shoppers at once, with as little work as possible for the clients, because on a machine with
//! few processors their work slows down the measured service.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Result, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::{JoinSet, spawn_blocking};

use harness::load::AT_ONCE;

/// More than an answer has, in bytes.
const ANSWER_BYTES: usize = 4_096;

/// Sends each request on a connection of its own, [`AT_ONCE`] at the same time. Each must pay its charge.
pub(crate) async fn pay_all(service: SocketAddr, requests: Vec<Vec<u8>>) -> Result<()> {
    let sending = spawn_blocking(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .build()?;
        runtime.block_on(send_all(service, requests))
    });
    sending.await?
}

async fn send_all(service: SocketAddr, requests: Vec<Vec<u8>>) -> Result<()> {
    let requests = Arc::new(requests);
    let next = Arc::new(AtomicUsize::new(0));
    let mut shoppers = JoinSet::new();
    for _ in 0..AT_ONCE {
        let (requests, next) = (Arc::clone(&requests), Arc::clone(&next));
        shoppers.spawn(async move {
            let mut answer = Vec::with_capacity(ANSWER_BYTES);
            while let Some(request) = requests.get(next.fetch_add(1, Ordering::Relaxed)) {
                answer.clear();
                send(service, request, &mut answer).await?;
                ensure!(is_paid(&answer), "{}", String::from_utf8_lossy(&answer));
            }
            Ok(())
        });
    }
    while let Some(ended) = shoppers.join_next().await {
        ended??;
    }
    Ok(())
}

/// The service closes the connection after the answer, because a card was sent on it.
async fn send(service: SocketAddr, request: &[u8], answer: &mut Vec<u8>) -> std::io::Result<()> {
    let mut stream = TcpStream::connect(service).await?;
    stream.write_all(request).await?;
    stream.read_to_end(answer).await?;
    Ok(())
}

fn is_paid(answer: &[u8]) -> bool {
    const STATUS: &[u8] = b"HTTP/1.1 201 ";
    const PAID: &[u8] = b"\"status_code\":\"succeeded\"";
    answer.starts_with(STATUS) && answer.windows(PAID.len()).any(|part| part == PAID)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_approved_charge_is_paid() {
        let answer = |status: u16, word: &str| {
            format!("HTTP/1.1 {status} \r\ncontent-length: 9\r\n\r\n{{\"status_code\":\"{word}\"}}")
                .into_bytes()
        };
        assert!(is_paid(&answer(201, "succeeded")));
        assert!(!is_paid(&answer(201, "processing")));
        assert!(!is_paid(&answer(402, "succeeded")));
        assert!(!is_paid(b""));
    }
}
