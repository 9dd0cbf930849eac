//! The body of a request. It fails if it does not arrive in time, and it is searched for card numbers while it is read. A
//! shopper's connection that carried a card number ends after the answer: if it stayed open, its buffers would keep the
//! number. The page sends cards to one path only, whose connections always end. Other bodies are searched, because a client
//! may send a card to any path by mistake. A large body is not searched, because that would take 36 ms for the largest: its
//! connection ends.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::BoxError;
use axum::body::{Body, Bytes, HttpBody};
use axum::http::Request;
use http_body::{Frame, SizeHint};
use hyper::body::Incoming;
use rules::has_card_number;
use tokio::time::{Sleep, sleep};

use crate::connections::{Activity, AwaitedBody};

/// How much of the earlier parts of a body is searched together with the next part, in bytes: longer than any card
/// number with separators between its digits.
const OVERLAP_BYTES: usize = 256;

/// Fewer new bytes are searched only at the end of a body.
const SEARCHED_BYTES_MIN: usize = 4 * 1024;

/// A connection ends after a body with more bytes than this.
const SEARCHED_BYTES_MAX: usize = 32 * 1024;

/// The page sends cards to this path.
const CARDS_PATH: &str = "/v1/pub/direct/charges";

/// What is known about a body while it is read.
pub(crate) struct BodyProgress {
    has_card: AtomicBool,
    is_read: AtomicBool,
}

impl BodyProgress {
    /// Whether the body may have had a card: it was sent to the path of cards, contained a card number, was large, or was
    /// not read to its end.
    pub(crate) fn may_have_card(&self) -> bool {
        self.has_card.load(Relaxed) || !self.is_read.load(Relaxed)
    }
}

/// The request with a body that fails if it has not arrived within `limit`, and that is searched if `is_searched`. The progress
/// is `None` if no body is searched.
pub(crate) fn watched(
    request: Request<Incoming>,
    limit: Duration,
    is_searched: bool,
    activity: &Arc<Activity>,
) -> (Request<Body>, Option<Arc<BodyProgress>>) {
    if request.body().is_end_stream() {
        return (request.map(|_| Body::empty()), None);
    }
    let progress = Arc::new(BodyProgress {
        has_card: AtomicBool::new(!is_searched || request.uri().path() == CARDS_PATH),
        is_read: AtomicBool::new(false),
    });
    let request = request.map(|body| {
        Body::new(RequestBody {
            body,
            alarm: Box::pin(sleep(limit)),
            awaited: Some(activity.await_body()),
            arrived: Arrived::default(),
            size: 0,
            progress: Arc::clone(&progress),
        })
    });
    (request, is_searched.then_some(progress))
}

struct RequestBody {
    body: Incoming,
    alarm: Pin<Box<Sleep>>,
    /// `None` once the body has arrived.
    awaited: Option<AwaitedBody>,
    arrived: Arrived,
    /// How many bytes have arrived.
    size: usize,
    progress: Arc<BodyProgress>,
}

impl RequestBody {
    fn search(&mut self, part: &[u8], is_last: bool) {
        let has_card = &self.progress.has_card;
        self.size = self.size.saturating_add(part.len());
        if !has_card.load(Relaxed)
            && (self.size > SEARCHED_BYTES_MAX
                || self.arrived.add(part, is_last).is_some_and(has_card_number))
        {
            has_card.store(true, Relaxed);
            self.arrived = Arrived::default();
        }
    }
}

/// The end of what has arrived. Small parts are searched together, because a body in parts of one byte would be searched
/// again with each of them.
#[derive(Default)]
struct Arrived {
    bytes: Vec<u8>,
    /// How many of them have not been searched.
    unsearched: usize,
}

impl Arrived {
    /// Adds a part, and returns the bytes to search now.
    fn add<'a>(&'a mut self, part: &'a [u8], is_last: bool) -> Option<&'a [u8]> {
        if self.bytes.is_empty() && is_last {
            return Some(part);
        }
        if self.unsearched == 0 {
            let surplus = self.bytes.len().saturating_sub(OVERLAP_BYTES);
            self.bytes.drain(..surplus);
        }
        self.bytes.extend_from_slice(part);
        self.unsearched += part.len();
        if self.unsearched < SEARCHED_BYTES_MIN && !is_last {
            return None;
        }
        self.unsearched = 0;
        Some(&self.bytes)
    }
}

impl HttpBody for RequestBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) else {
            ready!(self.alarm.as_mut().poll(context));
            return Poll::Ready(Some(Err(io::Error::from(io::ErrorKind::TimedOut).into())));
        };
        let is_last = frame.is_none() || self.body.is_end_stream();
        let part = frame.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref());
        self.search(part.map_or(&[], |part| part), is_last);
        if is_last {
            self.awaited = None;
            self.progress.is_read.store(true, Relaxed);
        }
        Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests;
