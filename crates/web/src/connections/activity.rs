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

/// A body that has not arrived yet.
pub(crate) struct AwaitedBody(Arc<Activity>);

impl Activity {
    pub(crate) fn new() -> Self {
        Self {
            began: Instant::now(),
            moved_ms: AtomicU64::new(0),
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
        let since = now.duration_since(self.began).as_millis();
        self.moved_ms
            .store(u64::try_from(since).unwrap_or(u64::MAX), Relaxed);
    }

    pub(crate) fn moved(&self) -> Instant {
        self.began + Duration::from_millis(self.moved_ms.load(Relaxed))
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
