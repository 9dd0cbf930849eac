//! One connection: HTTP/1.1 or HTTP/2 on it, and nobody who dawdles. A client that sends its request, or takes its answer,
//! byte by byte or not at all costs a connection for a while, and nobody else anything.

use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{ConnectInfo, Request};
use axum::{BoxError, Router};
use http_body::{Frame, SizeHint};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::watch;
use tokio::time::{Instant, Sleep, sleep_until};
use tower::ServiceExt;

/// Requests that a client may have under way on one HTTP/2 connection.
const STREAMS_MAX: u32 = 100;
/// What the headers of a request may take on HTTP/2, the address included, which holds payload, options and theme.
const HEADER_BYTES_MAX: u32 = 32 * 1024;

/// What an HTTP/2 connection begins with (RFC 9113, 3.4), in bytes.
const PREFACE_BYTES: usize = 24;

/// How long a client may take.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// For a request's head, from the first moment it can be sent, and again for its body.
    pub request: Duration,
    /// Between any two bytes, whoever's turn it is: longer than an answer may be worked on.
    pub silence: Duration,
}

impl Pace {
    /// `request` for a client's part, and `answer` for ours at the most.
    pub const fn new(request: Duration, answer: Duration) -> Self {
        Self {
            request,
            silence: request.saturating_add(answer),
        }
    }
}

impl Default for Pace {
    /// Longer than proxies keep a connection without requests, a minute.
    fn default() -> Self {
        Self::new(Duration::from_secs(75), Duration::from_secs(30))
    }
}

/// Answers the requests of one client until it goes, dawdles, or the service stops and what is under way is answered.
pub(crate) async fn serve<S>(
    stream: S,
    peer: SocketAddr,
    router: Router,
    pace: Pace,
    mut stopped: watch::Receiver<bool>,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = service_fn(move |request: Request<Incoming>| {
        let mut request = request.map(|body| timely(body, pace.request));
        request.extensions_mut().insert(ConnectInfo(peer));
        router.clone().oneshot(request)
    });
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(pace.request);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS_MAX)
        .max_header_list_size(HEADER_BYTES_MAX);
    let stream = TokioIo::new(PacedStream::new(stream, pace));
    let mut connection = pin!(builder.serve_connection(stream, service));
    tokio::select! {
        // What fails here is the client's, who is gone.
        _ = connection.as_mut() => return,
        // The sender being gone means the same.
        _ = stopped.wait_for(|stop| *stop) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = connection.await;
}

/// A stream that fails when nothing has moved on it for too long. Its first bytes tell which version of HTTP is spoken, and
/// nobody else waits for them: they have the time of a request's head.
struct PacedStream<S> {
    stream: S,
    pace: Pace,
    began: Instant,
    heard_bytes: usize,
    moved: Instant,
    alarm: Pin<Box<Sleep>>,
}

impl<S> PacedStream<S> {
    fn new(stream: S, pace: Pace) -> Self {
        let began = Instant::now();
        Self {
            stream,
            pace,
            began,
            heard_bytes: 0,
            moved: began,
            alarm: Box::pin(sleep_until(began + pace.request)),
        }
    }

    /// Notes that something moved; the alarm is put later when it rings.
    fn has_moved(&mut self) {
        self.moved = Instant::now();
    }

    /// Ready once nothing has moved for too long.
    fn poll_silence(&mut self, context: &mut Context<'_>) -> Poll<io::Error> {
        loop {
            ready!(self.alarm.as_mut().poll(context));
            let due = if self.heard_bytes < PREFACE_BYTES {
                self.began + self.pace.request
            } else {
                self.moved + self.pace.silence
            };
            if due <= Instant::now() {
                return Poll::Ready(io::ErrorKind::TimedOut.into());
            }
            self.alarm.as_mut().reset(due);
        }
    }

    /// What `polled` gives, or the end of waiting for it.
    fn within_pace<T>(
        &mut self,
        context: &mut Context<'_>,
        polled: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            self.has_moved();
            return polled;
        }
        self.poll_silence(context).map(Err)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for PacedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.heard_bytes = self.heard_bytes.saturating_add(buffer.filled().len() - before);
        self.within_pace(context, polled)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for PacedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.within_pace(context, polled)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_flush(context);
        if polled.is_pending() {
            return self.poll_silence(context).map(Err);
        }
        polled
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_shutdown(context);
        if polled.is_pending() {
            return self.poll_silence(context).map(Err);
        }
        polled
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.within_pace(context, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

/// `body`, which fails when it is not there within `limit`.
fn timely(body: Incoming, limit: Duration) -> Body {
    if body.is_end_stream() {
        return Body::empty();
    }
    Body::new(TimelyBody {
        body,
        alarm: Box::pin(sleep_until(Instant::now() + limit)),
    })
}

struct TimelyBody {
    body: Incoming,
    alarm: Pin<Box<Sleep>>,
}

impl HttpBody for TimelyBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        ready!(self.alarm.as_mut().poll(context));
        Poll::Ready(Some(Err(io::Error::from(io::ErrorKind::TimedOut).into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use axum::routing::{get, post};
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
    use tokio::task::JoinHandle;
    use tokio::time::{Interval, interval};

    use super::*;

    /// What fits between client and server until one of them reads.
    const PIPE_BYTES: usize = 1_024;
    const PACE: Pace = Pace::new(Duration::from_secs(75), Duration::from_secs(30));

    /// A client's end, and the server's work, which tells how long it took. The clock stands still but for waiting.
    fn connected() -> (DuplexStream, JoinHandle<Duration>, watch::Sender<bool>) {
        let (client, server) = duplex(PIPE_BYTES);
        let (stop, stopped) = watch::channel(false);
        let router = Router::new()
            .route("/", get(async || "answer"))
            .route("/long", get(async || "x".repeat(PIPE_BYTES * 100)))
            .route("/echo", post(async |body: Bytes| body));
        let peer = ([127, 0, 0, 1], 1).into();
        let began = Instant::now();
        let serving = tokio::spawn(async move {
            serve(server, peer, router, PACE, stopped).await;
            began.elapsed()
        });
        (client, serving, stop)
    }

    fn every_ten_seconds() -> Interval {
        interval(Duration::from_secs(10))
    }

    /// Whether `took` is `limit`, but for the timer's own grain.
    fn is_about(took: Duration, limit: Duration) -> bool {
        took >= limit && took < limit + Duration::from_millis(10)
    }

    async fn all(client: &mut DuplexStream) -> String {
        let mut said = String::new();
        client.read_to_string(&mut said).await.unwrap();
        said
    }

    #[tokio::test(start_paused = true)]
    async fn who_says_nothing_is_let_go() {
        let (mut client, serving, _stop) = connected();
        assert_eq!(all(&mut client).await, "");
        assert!(is_about(serving.await.unwrap(), PACE.request));
    }

    #[tokio::test(start_paused = true)]
    async fn who_says_half_of_http_2_is_let_go() {
        let (mut client, serving, _stop) = connected();
        client.write_all(b"PRI * HTTP/2.0\r\n").await.unwrap();
        assert!(is_about(serving.await.unwrap(), PACE.request));
    }

    #[tokio::test(start_paused = true)]
    async fn a_head_that_comes_byte_by_byte_is_not_waited_for() {
        let (mut client, serving, _stop) = connected();
        let mut pause = every_ten_seconds();
        for byte in b"GET / HTTP/1.1\r\nhost: pay.example\r\n\r\n" {
            pause.tick().await;
            if client.write_all(&[*byte]).await.is_err() {
                break;
            }
        }
        let took = serving.await.unwrap();
        assert!(took < PACE.request + Duration::from_secs(1), "{took:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_comes_byte_by_byte_is_not_waited_for() {
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
        assert!(took < PACE.request + Duration::from_secs(1), "{took:?}");
        assert!(all(&mut client).await.starts_with("HTTP/1.1 400"));
    }

    #[tokio::test(start_paused = true)]
    async fn who_does_not_read_the_answer_is_let_go() {
        let (mut client, serving, _stop) = connected();
        client
            .write_all(b"GET /long HTTP/1.1\r\nhost: pay.example\r\n\r\n")
            .await
            .unwrap();
        assert!(is_about(serving.await.unwrap(), PACE.silence));
    }

    #[tokio::test(start_paused = true)]
    async fn http_2_that_stops_in_the_middle_of_a_request_is_let_go() {
        let (mut client, serving, _stop) = connected();
        // The preface and empty settings (RFC 9113, 3.4), and of a frame of headers its first bytes.
        client
            .write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0\0\0\x20\x01")
            .await
            .unwrap();
        let took = serving.await.unwrap();
        assert!(is_about(took, PACE.silence), "{took:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn who_keeps_pace_is_answered_again_and_again_until_the_service_stops() {
        let (mut client, serving, stop) = connected();
        let mut pause = every_ten_seconds();
        let mut said = [0; 4_096];
        for _ in 0..60 {
            pause.tick().await;
            client
                .write_all(b"GET / HTTP/1.1\r\nhost: pay.example\r\n\r\n")
                .await
                .unwrap();
            let read = client.read(&mut said).await.unwrap();
            assert!(said[..read].starts_with(b"HTTP/1.1 200 OK"));
        }
        stop.send_replace(true);
        assert_eq!(all(&mut client).await, "");
        assert!(serving.await.unwrap() > PACE.silence * 5);
    }
}
