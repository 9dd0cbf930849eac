//! Presses of the pay button from many shoppers at once, with as little work as possible for the clients, because on a machine with
//! few processors their work slows down the measured service.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Result, ensure};
use harness::load::at_once;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::spawn_blocking;

/// More than an answer has, in bytes.
const ANSWER_BYTES: usize = 4_096;

/// Sends each request on a connection of its own. Each must pay its charge. All shoppers share one thread.
pub(crate) async fn pay_all(service: SocketAddr, requests: Vec<Vec<u8>>) -> Result<()> {
    let sending = spawn_blocking(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .build()?;
        let (count, requests) = (requests.len(), Arc::new(requests));
        runtime.block_on(at_once(count, |number| {
            let requests = Arc::clone(&requests);
            async move { send(service, &requests[number]).await.ok() }
        }))
    });
    for answer in sending.await?? {
        ensure!(is_paid(&answer), "{}", String::from_utf8_lossy(&answer));
    }
    Ok(())
}

/// The service closes the connection after the answer, because a card was sent on it.
async fn send(service: SocketAddr, request: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(service).await?;
    stream.write_all(request).await?;
    let mut answer = Vec::with_capacity(ANSWER_BYTES);
    stream.read_to_end(&mut answer).await?;
    Ok(answer)
}

fn is_paid(answer: &[u8]) -> bool {
    const STATUS: &[u8] = b"HTTP/1.1 201 ";
    const PAID: &[u8] = b"\"status_code\":\"succeeded\"";
    answer.starts_with(STATUS) && answer.windows(PAID.len()).any(|part| part == PAID)
}

#[cfg(test)]
mod tests;
