//! Requests to a server on one core, from clients on another core.
//!
//! The clients poll for answers and never sleep. Otherwise a slow server would also use processor time for waking up its clients,
//! and a fast server would not, because its clients would have no time to sleep.

use std::cell::Cell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use rustix::thread::{CpuSet, sched_setaffinity};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::{LocalSet, yield_now};

use crate::processor::processor_seconds;

/// How many clients send requests at the same time.
const CLIENTS: usize = 32;
/// How long a round is.
const ROUND: Duration = Duration::from_secs(5);
/// The core of the server, and the core of the clients.
pub(crate) const SERVING: &str = "0";
const ASKING: usize = 1;
/// How many bytes are read at once: more than the headers of an answer.
const READ_BYTES: usize = 64 * 1_024;

/// A server, and the requests that it gets.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) server: SocketAddr,
    /// Its process.
    pub(crate) id: u32,
    /// From [`request`]. They are sent in turn, again and again.
    pub(crate) requests: &'a [Vec<u8>],
}

/// A request for this path with this cookie.
pub(crate) fn request(path: &str, cookie: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\n\r\n").into_bytes()
}

/// How many requests a server has answered, and the processor time for them.
#[derive(Default)]
pub(crate) struct LoadAnswers {
    pub(crate) answers: u64,
    seconds: f64,
}

impl LoadAnswers {
    /// Adds another round of requests.
    pub(crate) fn add(&mut self, asked: &Asked<'_>) -> Result<()> {
        let before = processor_seconds(asked.id)?;
        self.answers += ask(asked)?;
        self.seconds += processor_seconds(asked.id)? - before;
        Ok(())
    }

    /// The processor time of an answer, in microseconds.
    pub(crate) fn microseconds(&self) -> f64 {
        microseconds(self.seconds, self.answers)
    }

    /// How many answers one core gives in a second.
    pub(crate) fn per_second(&self) -> f64 {
        1e6 / self.microseconds()
    }
}

#[expect(clippy::cast_precision_loss, reason = "some millions are far below 2^52")]
pub(crate) fn microseconds(seconds: f64, of: u64) -> f64 {
    seconds * 1e6 / of.max(1) as f64
}

/// Sends requests for a round. Returns how many were answered.
fn ask(asked: &Asked<'_>) -> Result<u64> {
    match thread::scope(|scope| scope.spawn(|| ask_on_its_core(asked)).join()) {
        Ok(answers) => answers,
        Err(_) => bail!("the clients panicked"),
    }
}

fn ask_on_its_core(asked: &Asked<'_>) -> Result<u64> {
    let mut core = CpuSet::new();
    core.set(ASKING);
    sched_setaffinity(None, &core)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    let round = Rc::new(AskingRound {
        requests: asked.requests.to_vec(),
        sent: Cell::new(0),
        until: Instant::now() + ROUND,
    });
    let clients = LocalSet::new();
    let asking: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let (server, round) = (asked.server, Rc::clone(&round));
            clients.spawn_local(async move { round.ask(server).await })
        })
        .collect();
    // This task is always ready, so the thread never sleeps.
    clients.spawn_local(async {
        loop {
            yield_now().await;
        }
    });
    clients.block_on(&runtime, async {
        let mut answers = 0;
        for client in asking {
            answers += client.await??;
        }
        Ok(answers)
    })
}

/// The requests of one round, which all clients share.
struct AskingRound {
    requests: Vec<Vec<u8>>,
    sent: Cell<usize>,
    until: Instant,
}

impl AskingRound {
    /// Sends one request after the other until the round is over. Returns how many were answered.
    async fn ask(&self, server: SocketAddr) -> Result<u64> {
        let mut stream = TcpStream::connect(server).await?;
        stream.set_nodelay(true)?;
        let mut read = Vec::with_capacity(READ_BYTES);
        let mut answers = 0;
        while Instant::now() < self.until {
            let number = self.sent.replace(self.sent.get() + 1);
            stream
                .write_all(&self.requests[number % self.requests.len()])
                .await?;
            read_answer(&mut stream, &mut read).await?;
            answers += 1;
        }
        Ok(answers)
    }
}

/// Reads an answer to its end. Any status but 200 is an error.
async fn read_answer(stream: &mut TcpStream, read: &mut Vec<u8>) -> Result<()> {
    read.clear();
    let mut bytes = None;
    loop {
        ensure!(
            stream.read_buf(read).await? > 0,
            "the server closed the connection"
        );
        if bytes.is_none() {
            bytes = answer_bytes(read)?;
        }
        if bytes.is_some_and(|bytes| read.len() >= bytes) {
            return Ok(());
        }
    }
}

/// The length of the answer that begins with these bytes; `None` if its headers are not complete yet.
fn answer_bytes(read: &[u8]) -> Result<Option<usize>> {
    const END: &[u8] = b"\r\n\r\n";
    let Some(end) = read.windows(END.len()).position(|bytes| bytes == END) else {
        return Ok(None);
    };
    let head = String::from_utf8_lossy(&read[..end]);
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("content-length").then_some(value)
    });
    match length.and_then(|length| length.parse::<usize>().ok()) {
        Some(length) if head.starts_with("HTTP/1.1 200 ") => Ok(Some(end + END.len() + length)),
        _ => bail!("the answer was: {head}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_as_long_as_its_headers_say() {
        let whole = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nx: 1\r\n\r\nbody";
        assert_eq!(answer_bytes(whole).unwrap(), Some(whole.len()));
        assert_eq!(answer_bytes(&whole[..30]).unwrap(), None);
        assert!(answer_bytes(b"HTTP/1.1 404 Not Found\r\ncontent-length: 4\r\n\r\n").is_err());
        assert!(answer_bytes(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
    }
}
