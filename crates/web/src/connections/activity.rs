//! What happens on one connection: whether a request is being answered, and when the last byte moved.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed};

use axum::http::Version;
use tokio::sync::Notify;
use tokio::time::{Duration, Instant};

/// Shared by the connection's task and the list of open connections.
#[derive(Debug)]
pub(crate) struct Activity {
    began: Instant,
    /// When the last byte moved, in milliseconds since `began`.
    moved_ms: AtomicU64,
    /// When the client last took bytes of an answer, in milliseconds since `began`.
    taken_ms: AtomicU64,
    /// How many answers the client has not taken to their end.
    unread_answers: AtomicI64,
    /// How many heads of requests were read.
    requests: AtomicU64,
    /// How many requests are not answered yet.
    under_way: AtomicI64,
    /// How many of those have a body that has not arrived yet.
    awaited_bodies: AtomicI64,
    is_http_2: AtomicBool,
    end: Notify,
}

/// A request that is being answered.
pub(crate) struct UnderWay(Arc<Activity>);

/// An answer that the client has not taken to its end.
pub(crate) struct UnreadAnswer(Arc<Activity>);

/// A body that has not arrived yet.
pub(crate) struct AwaitedBody(Arc<Activity>);

impl Activity {
    pub(crate) fn new() -> Self {
        Self {
            began: Instant::now(),
            moved_ms: AtomicU64::new(0),
            taken_ms: AtomicU64::new(0),
            unread_answers: AtomicI64::new(0),
            requests: AtomicU64::new(0),
            under_way: AtomicI64::new(0),
            awaited_bodies: AtomicI64::new(0),
            is_http_2: AtomicBool::new(false),
            end: Notify::new(),
        }
    }

    pub(crate) fn began(&self) -> Instant {
        self.began
    }

    /// Notes that bytes were sent or received.
    pub(crate) fn note_moved_bytes(&self, now: Instant) {
        self.moved_ms.store(self.ms_until(now), Relaxed);
    }

    fn ms_until(&self, now: Instant) -> u64 {
        u64::try_from(now.duration_since(self.began).as_millis()).unwrap_or(u64::MAX)
    }

    pub(crate) fn moved(&self) -> Instant {
        self.began + Duration::from_millis(self.moved_ms.load(Relaxed))
    }

    /// When the silence began. While an answer over HTTP/2 is unread, only bytes of answers end it, because a client could
    /// send pings for ever.
    pub(crate) fn silent_since(&self) -> Instant {
        if !self.is_http_2.load(Relaxed) || self.unread_answers.load(Relaxed) == 0 {
            return self.moved();
        }
        self.began + Duration::from_millis(self.taken_ms.load(Relaxed))
    }

    /// Notes that an answer begins.
    pub(crate) fn begin_answer(self: &Arc<Self>) -> UnreadAnswer {
        let unread = UnreadAnswer(Arc::clone(self));
        // Further answers do not end the silence of the first one.
        if self.unread_answers.fetch_add(1, Relaxed) == 0 {
            unread.note_taken_bytes();
        }
        unread
    }

    /// Notes that a request's head has arrived.
    pub(crate) fn begin_request(self: &Arc<Self>, version: Version) -> UnderWay {
        self.requests.fetch_add(1, Relaxed);
        self.under_way.fetch_add(1, Relaxed);
        self.is_http_2.store(version == Version::HTTP_2, Relaxed);
        UnderWay(Arc::clone(self))
    }

    /// Notes that a body has not arrived yet.
    pub(crate) fn await_body(self: &Arc<Self>) -> AwaitedBody {
        self.awaited_bodies.fetch_add(1, Relaxed);
        AwaitedBody(Arc::clone(self))
    }

    pub(crate) fn requests(&self) -> u64 {
        self.requests.load(Relaxed)
    }

    /// Whether the next bytes begin a request's head. Always false for HTTP/2, because other frames may arrive.
    pub(crate) fn is_before_head(&self) -> bool {
        self.under_way.load(Relaxed) == 0 && !self.is_http_2.load(Relaxed)
    }

    /// Whether the service is not working on any answer: it waits for the client, or there is no request.
    pub(crate) fn is_idle(&self) -> bool {
        self.under_way.load(Relaxed) <= self.awaited_bodies.load(Relaxed)
    }

    /// Asks the connection's task to end it.
    pub(crate) fn end(&self) {
        self.end.notify_one();
    }

    /// Returns when the connection must end.
    pub(crate) async fn is_ended(&self) {
        self.end.notified().await;
    }
}

impl UnreadAnswer {
    /// Notes that the client took bytes of the answer.
    pub(crate) fn note_taken_bytes(&self) {
        self.0.taken_ms.store(self.0.ms_until(Instant::now()), Relaxed);
    }
}

impl Drop for UnreadAnswer {
    fn drop(&mut self) {
        self.0.unread_answers.fetch_sub(1, Relaxed);
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Relaxed);
    }
}

impl Drop for AwaitedBody {
    fn drop(&mut self) {
        self.0.awaited_bodies.fetch_sub(1, Relaxed);
    }
}
