//! Serves one connection, over HTTP/1.1 or HTTP/2, with time limits. A client that sends its request or reads its
//! answer too slowly, or not at all, takes up one connection for a limited time and nothing else.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::extract::{ConnectInfo, Request};
use axum::http::{HeaderValue, Version, header};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, Sleep, sleep, sleep_until};
use tower::ServiceExt;

use crate::answer_body::AnswerBody;
use crate::connections::{Activity, Admitted};
use crate::request_body::watched;

/// How many requests a client may have unanswered on one HTTP/2 connection.
const STREAMS_MAX: u32 = 32;
/// The largest head of a request, in bytes. It includes the address, which contains payload, options and theme.
const HEADER_BYTES_MAX: u16 = 32 * 1024;

/// An HTTP/2 connection that carried a card is cut after this time without any byte, if the client does not close it.
const CARD_SILENCE_MAX: Duration = Duration::from_secs(5);

/// The time limits for a client.
#[derive(Debug, Clone, Copy)]
pub struct TimeLimits {
    /// For a request's head, from its first byte or from the start of the connection.
    pub head: Duration,
    /// For a request's body, and for a kept connection without a request.
    pub request: Duration,
    /// The longest time without any byte in either direction, or of an unread answer; longer than the service may work on an
    /// answer.
    pub silence: Duration,
}

impl TimeLimits {
    /// `head` and `request` limit the client; `answer` is the longest time that the service needs for an answer.
    pub const fn new(head: Duration, request: Duration, answer: Duration) -> Self {
        Self {
            head,
            request,
            silence: request.saturating_add(answer),
        }
    }
}

impl Default for TimeLimits {
    /// `request` is longer than the minute for which proxies usually keep a connection without requests.
    fn default() -> Self {
        Self::new(
            Duration::from_secs(10),
            Duration::from_secs(75),
            Duration::from_secs(30),
        )
    }
}

/// Answers the requests of one client. Returns when the client closes the connection, is too slow, or must make room
/// for another one, or when the service stops and every request is answered.
pub(crate) async fn serve<S>(
    stream: S,
    peer: SocketAddr,
    admitted: Admitted,
    router: Router,
    time_limits: TimeLimits,
    mut stopped: watch::Receiver<bool>,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let activity = Arc::clone(&admitted.activity);
    let ends_after_card = admitted.ends_after_card();
    let closing = Arc::new(Notify::new());
    let closes = Arc::clone(&closing);
    let service = service_fn(move |request: Request<Incoming>| {
        let is_http_2 = request.version() == Version::HTTP_2;
        let under_way = activity.begin_request(request.version());
        let (mut request, body) = watched(request, time_limits.request, ends_after_card, &activity);
        request.extensions_mut().insert(ConnectInfo(peer));
        let answer = router.clone().oneshot(request);
        let (closes, activity) = (Arc::clone(&closes), Arc::clone(&activity));
        async move {
            let mut answer = answer.await?;
            drop(under_way);
            if body.is_some_and(|body| body.may_have_card()) {
                if is_http_2 {
                    closes.notify_one();
                } else {
                    let close = HeaderValue::from_static("close");
                    answer.headers_mut().insert(header::CONNECTION, close);
                }
            }
            Ok::<_, Infallible>(answer.map(|body| AnswerBody::new(body, activity.begin_answer())))
        }
    });
    let mut builder = Builder::new(TokioExecutor::new());
    // Without a timer, because the stream has all time limits.
    builder.http1().max_buf_size(HEADER_BYTES_MAX.into());
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS_MAX)
        .max_header_list_size(HEADER_BYTES_MAX.into());
    let activity = Arc::clone(&admitted.activity);
    let stream = TokioIo::new(TimedStream::new(stream, time_limits, Arc::clone(&activity)));
    let mut connection = pin!(builder.serve_connection(stream, service));
    let carried_card = tokio::select! {
        // A connection fails when its client is gone.
        _ = connection.as_mut() => return,
        () = activity.is_ended() => return,
        () = closing.notified() => true,
        // Without its sender the service stops, too.
        _ = stopped.wait_for(|stop| *stop) => false,
    };
    connection.as_mut().graceful_shutdown();
    tokio::select! {
        _ = connection => {}
        () = activity.is_ended() => {}
        () = silence_after_card(&activity), if carried_card => {}
    }
}

/// Returns when every request is answered and no byte has moved for [`CARD_SILENCE_MAX`]. The buffers with the card
/// must be freed even if the client does not confirm the end.
async fn silence_after_card(activity: &Activity) {
    loop {
        sleep(CARD_SILENCE_MAX).await;
        if activity.is_idle() && activity.moved().elapsed() >= CARD_SILENCE_MAX {
            return;
        }
    }
}

/// A stream that fails when no byte has moved for too long, or when a request or its head does not arrive in time.
struct TimedStream<S> {
    stream: S,
    time_limits: TimeLimits,
    activity: Arc<Activity>,
    /// When the current head began, and how many heads were read before it.
    head: Option<(Instant, u64)>,
    alarm: Pin<Box<Sleep>>,
    /// The client has not taken all of an answer that could be written.
    is_answer_left: bool,
}

impl<S> TimedStream<S> {
    fn new(stream: S, time_limits: TimeLimits, activity: Arc<Activity>) -> Self {
        let began = activity.began();
        Self {
            stream,
            time_limits,
            activity,
            head: Some((began, 0)),
            alarm: Box::pin(sleep_until(began + time_limits.head)),
            is_answer_left: false,
        }
    }

    /// Notes received bytes. If no request is unanswered, they begin the next head, and its time limit starts.
    fn note_received_bytes(&mut self, now: Instant) {
        let requests = self.activity.requests();
        let is_begun = self.head.is_some_and(|(_, before)| before == requests);
        if !is_begun && self.activity.is_before_head() {
            self.head = Some((now, requests));
        }
    }

    /// When the current time limit ends.
    fn due(&self) -> Instant {
        match self.head {
            Some((began, before)) if before == self.activity.requests() => began + self.time_limits.head,
            _ if self.activity.is_before_head() && !self.is_answer_left => {
                self.activity.moved() + self.time_limits.request
            }
            _ => self.activity.silent_since() + self.time_limits.silence,
        }
    }

    /// Moves the alarm if it is later than the current time limit. An earlier alarm stays, and is set again when it rings.
    fn advance_alarm(&mut self) {
        let due = self.due();
        if due < self.alarm.deadline() {
            self.alarm.as_mut().reset(due);
        }
    }

    /// Ready when the time limit has passed.
    fn poll_silence(&mut self, context: &mut Context<'_>) -> Poll<io::Error> {
        self.advance_alarm();
        loop {
            ready!(self.alarm.as_mut().poll(context));
            let due = self.due();
            if due <= Instant::now() {
                return Poll::Ready(io::ErrorKind::TimedOut.into());
            }
            self.alarm.as_mut().reset(due);
        }
    }

    /// The result of a write if it is ready; otherwise an error once the time limit has passed.
    fn written(
        &mut self,
        context: &mut Context<'_>,
        polled: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        self.is_answer_left = polled.is_pending();
        if polled.is_ready() {
            self.activity.note_moved_bytes(Instant::now());
            // The answer may be complete, and then the client's time for its next request begins.
            self.advance_alarm();
            return polled;
        }
        self.poll_silence(context).map(Err)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for TimedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        if polled.is_pending() {
            return self.poll_silence(context).map(Err);
        }
        let now = Instant::now();
        if buffer.filled().len() > before {
            self.note_received_bytes(now);
        }
        self.activity.note_moved_bytes(now);
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for TimedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.written(context, polled)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_flush(context);
        self.is_answer_left = polled.is_pending();
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
        self.written(context, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests;
