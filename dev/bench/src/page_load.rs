//! Requests to a server on one core, from clients on another core.
//!
//! The clients poll for answers and never sleep. Otherwise a slow server would also use processor time for waking up its clients,
//! and a fast server would not, because its clients would have no time to sleep.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::thread::{CpuSet, sched_setaffinity};

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
    let mut requests = asked.requests.iter().cycle();
    let mut clients = Vec::new();
    for request in requests.by_ref().take(CLIENTS) {
        let mut client = PollingClient::connect(asked.server)?;
        client.send(request)?;
        clients.push(client);
    }
    let until = Instant::now() + ROUND;
    let mut answers = 0;
    while Instant::now() < until {
        for client in &mut clients {
            if client.has_answer()? {
                answers += 1;
                client.send(requests.next().context("no request")?)?;
            }
        }
    }
    Ok(answers)
}

/// A client with a connection of its own, which never waits.
struct PollingClient {
    stream: TcpStream,
    /// The part of the answer that has arrived.
    read: Vec<u8>,
    /// The length of the answer, once its headers have arrived.
    bytes: Option<usize>,
}

impl PollingClient {
    fn connect(server: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(server)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        Ok(Self {
            stream,
            read: Vec::with_capacity(READ_BYTES),
            bytes: None,
        })
    }

    /// A request is much smaller than the system's buffer, so it is sent at once.
    fn send(&mut self, request: &[u8]) -> Result<()> {
        self.read.clear();
        self.bytes = None;
        Ok(self.stream.write_all(request)?)
    }

    /// Reads what has arrived. Returns whether the answer is complete. Any status but 200 is an error.
    fn has_answer(&mut self) -> Result<bool> {
        // This also tells the end of the connection.
        match self.stream.read_to_end(&mut self.read) {
            Ok(_) => bail!("the server closed the connection"),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error.into()),
        }
        if self.bytes.is_none() {
            self.bytes = answer_bytes(&self.read)?;
        }
        Ok(self.bytes.is_some_and(|bytes| self.read.len() >= bytes))
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
mod tests;
