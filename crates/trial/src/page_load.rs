//! Requests to one server that has one core, from clients that have another.
//!
//! The clients look for answers all of the time and never sleep. Otherwise a server that is slower than its clients would
//! also pay for waking them up, which takes longer than the rest of the kernel's work for an answer, and a quicker one
//! would not: its clients never have time to sleep.

use std::cell::Cell;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::thread;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use http::header::COOKIE;
use http::{Request, StatusCode};
use rustix::thread::{CpuSet, sched_setaffinity};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::{JoinSet, LocalSet, spawn_local, yield_now};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::ServerName;

use crate::TrialError;
use crate::processor::processor_seconds;

/// How many clients send requests at the same time.
const CLIENTS: usize = 32;
/// How long a round is.
const ROUND: Duration = Duration::from_secs(5);
/// The core of the server, and the core of the clients.
pub(crate) const SERVING: &str = "0";
const ASKING: usize = 1;
/// How many requests an HTTP/2 client has under way.
const STREAMS: usize = 10;
/// The server's name in its certificate.
pub(crate) const HOST: &str = "localhost";
/// More than an answer's headers have, in bytes, and what is read at once.
const READ_BYTES: usize = 64 * 1_024;

/// A server, and what is asked of it.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) server: SocketAddr,
    /// Its process.
    pub(crate) id: u32,
    /// From [`request`], sent one after the other and from the start again.
    pub(crate) requests: &'a [Vec<u8>],
    pub(crate) over: Over<'a>,
}

/// How the clients speak to a server.
#[derive(Clone, Copy)]
pub(crate) enum Over<'a> {
    Http1,
    Http1Tls(&'a TlsConnector),
    Http2Tls(&'a TlsConnector),
}

/// A request for this path with this cookie.
pub(crate) fn request(path: &str, cookie: Option<&str>) -> Vec<u8> {
    let cookie = cookie.map(|cookie| format!("Cookie: {cookie}\r\n"));
    let cookie = cookie.unwrap_or_default();
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{cookie}\r\n").into_bytes()
}

/// What a server answered so far.
#[derive(Default)]
pub(crate) struct LoadAnswers {
    pub(crate) answers: u64,
    /// The processor time of all answers.
    seconds: f64,
}

impl LoadAnswers {
    /// One round of requests more.
    pub(crate) fn add(&mut self, asked: &Asked<'_>) -> Result<(), TrialError> {
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

/// One round more of each, so that other load on the machine affects both.
pub(crate) fn add_both(
    (ours, our_answers): (&Asked<'_>, &mut LoadAnswers),
    (theirs, their_answers): (&Asked<'_>, &mut LoadAnswers),
) -> Result<(), TrialError> {
    their_answers.add(theirs)?;
    our_answers.add(ours)
}

#[expect(clippy::cast_precision_loss, reason = "some millions are far below 2^52")]
pub(crate) fn microseconds(seconds: f64, of: u64) -> f64 {
    seconds * 1e6 / of.max(1) as f64
}

/// Sends requests for a round. Returns how many were answered.
fn ask(asked: &Asked<'_>) -> Result<u64, TrialError> {
    let asking = thread::scope(|scope| scope.spawn(|| ask_on_its_core(asked)).join());
    asking
        .unwrap_or_else(|_| Err(io::Error::other("the clients panicked")))
        .map_err(|cause| TrialError::Answer(cause.to_string()))
}

fn ask_on_its_core(asked: &Asked<'_>) -> io::Result<u64> {
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
            match asked.over {
                Over::Http1 => clients.spawn_local(async move { round.ask(connect(server).await?).await }),
                Over::Http1Tls(tls) => {
                    let tls = tls.clone();
                    clients.spawn_local(async move { round.ask(connect_with(&tls, server).await?).await })
                }
                Over::Http2Tls(tls) => {
                    let tls = tls.clone();
                    clients.spawn_local(async move {
                        round.ask_over_http_2(connect_with(&tls, server).await?).await
                    })
                }
            }
        })
        .collect();
    // While this task is ready, the thread does not wait for the network.
    clients.spawn_local(async {
        loop {
            yield_now().await;
        }
    });
    clients.block_on(&runtime, async {
        let mut answers = 0;
        for client in asking {
            answers += client.await.map_err(io::Error::other)??;
        }
        Ok(answers)
    })
}

async fn connect(server: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(server).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

async fn connect_with(tls: &TlsConnector, server: SocketAddr) -> io::Result<TlsStream<TcpStream>> {
    let name = ServerName::try_from(HOST).map_err(io::Error::other)?;
    tls.connect(name, connect(server).await?).await
}

/// What the clients do in one round.
struct AskingRound {
    requests: Vec<Vec<u8>>,
    sent: Cell<usize>,
    until: Instant,
}

impl AskingRound {
    /// The next request that nobody has sent; `None` when the time is over.
    fn next(&self) -> Option<&[u8]> {
        let number = self.sent.replace(self.sent.get() + 1);
        let is_over = Instant::now() >= self.until;
        let request = self.requests.get(number % self.requests.len())?;
        (!is_over).then_some(request)
    }

    /// One request after the other. Returns how many were answered.
    async fn ask<S: AsyncRead + AsyncWrite + Unpin>(&self, mut stream: S) -> io::Result<u64> {
        let mut read = Vec::with_capacity(READ_BYTES);
        let mut answers = 0;
        while let Some(request) = self.next() {
            stream.write_all(request).await?;
            stream.flush().await?;
            read_answer(&mut stream, &mut read).await?;
            answers += 1;
        }
        Ok(answers)
    }

    /// [`STREAMS`] requests at the same time. Returns how many were answered.
    async fn ask_over_http_2<S>(self: Rc<Self>, stream: S) -> io::Result<u64>
    where
        S: AsyncRead + AsyncWrite + Unpin + 'static,
    {
        let (sending, connection) = h2::client::handshake(stream).await.map_err(io::Error::other)?;
        let connection = spawn_local(connection);
        let mut streams = JoinSet::new();
        for _ in 0..STREAMS {
            let (round, mut sending) = (Rc::clone(&self), sending.clone());
            streams.spawn_local(async move {
                let mut answers = 0;
                while let Some(request) = round.next() {
                    sending = sending.ready().await.map_err(io::Error::other)?;
                    ask_one(&mut sending, as_http_2(request)?)
                        .await
                        .map_err(io::Error::other)?;
                    answers += 1;
                }
                Ok::<u64, io::Error>(answers)
            });
        }
        let mut answers = 0;
        while let Some(of_stream) = streams.join_next().await {
            answers += of_stream.map_err(io::Error::other)??;
        }
        connection.abort();
        Ok(answers)
    }
}

/// Sends a request and reads its answer to the end. It must be a good one.
async fn ask_one(
    sending: &mut h2::client::SendRequest<Bytes>,
    request: Request<()>,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let (answer, _) = sending.send_request(request, true)?;
    let answer = answer.await?;
    if answer.status() != StatusCode::OK {
        return Err(format!("the answer was: {answer:?}").into());
    }
    let mut body = answer.into_body();
    while let Some(part) = body.data().await {
        let read = part?.len();
        body.flow_control().release_capacity(read)?;
    }
    Ok(())
}

/// The same request for HTTP/2.
fn as_http_2(request: &[u8]) -> io::Result<Request<()>> {
    let text = std::str::from_utf8(request).map_err(io::Error::other)?;
    let path = text.split(' ').nth(1).unwrap_or_default();
    let mut built = Request::get(format!("https://{HOST}{path}"));
    if let Some(cookie) = text.lines().find_map(|line| line.strip_prefix("Cookie: ")) {
        built = built.header(COOKIE, cookie);
    }
    built.body(()).map_err(io::Error::other)
}

/// Reads an answer to its end. It must be a good one.
async fn read_answer<S: AsyncRead + Unpin>(stream: &mut S, read: &mut Vec<u8>) -> io::Result<()> {
    read.clear();
    let mut bytes = None;
    loop {
        if stream.read_buf(read).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if bytes.is_none() {
            bytes = answer_bytes(read)?;
        }
        if bytes.is_some_and(|bytes| read.len() >= bytes) {
            return Ok(());
        }
    }
}

/// How long the answer that begins with this is; `None` if its headers are not complete yet.
fn answer_bytes(read: &[u8]) -> io::Result<Option<usize>> {
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
        _ => Err(io::Error::other(format!("the answer was: {head}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn http_2_asks_for_the_same_page_with_the_same_cookie() {
        let asked = as_http_2(&request("/pay?a=b", Some("id=1"))).unwrap();
        assert_eq!(asked.uri(), "https://localhost/pay?a=b");
        assert_eq!(asked.headers()[COOKIE], "id=1");
        assert!(as_http_2(&request("/", None)).unwrap().headers().is_empty());
    }

    #[test]
    fn an_answer_is_as_long_as_its_headers_say() {
        let whole = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nx: 1\r\n\r\nbody";
        assert_eq!(answer_bytes(whole).unwrap(), Some(whole.len()));
        assert_eq!(answer_bytes(&whole[..30]).unwrap(), None);
        assert!(answer_bytes(b"HTTP/1.1 404 Not Found\r\ncontent-length: 4\r\n\r\n").is_err());
        assert!(answer_bytes(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
    }
}
