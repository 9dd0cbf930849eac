//! Ends a connection that carried a card number, after the answer: if the connection stayed open, its buffers would
//! keep the number. The page sends cards to one path only, whose connections always end; but anybody may send one to
//! any path by mistake, so the other bodies are searched.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use axum::BoxError;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use http_body::{Frame, SizeHint};

use rules::has_card_number;

/// How much of the earlier parts of a body is searched together with the next part, in bytes: longer than any card
/// number with separators between its digits.
const OVERLAP_BYTES: usize = 256;

/// Where the page sends cards.
const CARDS_PATH: &str = "/v1/pub/direct/charges";

/// What is known about a body while it is read.
#[derive(Default)]
pub struct BodyProgress {
    card: AtomicBool,
    end: AtomicBool,
}

/// What a request's body may carry. The connection is closed after the answer if the body may have had a card: it went
/// where cards go, contained a card number, or was not read to its end.
pub enum CarriedCard {
    /// There is no body.
    Nothing,
    /// The request went where cards go.
    Card,
    /// The body is searched while it is read.
    Watched(Arc<BodyProgress>),
}

impl CarriedCard {
    /// Watches the body of `request`.
    pub fn watch(request: Request) -> (Self, Request) {
        if request.body().is_end_stream() {
            return (Self::Nothing, request);
        }
        if request.uri().path() == CARDS_PATH {
            return (Self::Card, request);
        }
        let seen = Arc::new(BodyProgress::default());
        let watched = request.map(|body| {
            Body::new(WatchedBody {
                body,
                before: Vec::new(),
                seen: Arc::clone(&seen),
            })
        });
        (Self::Watched(seen), watched)
    }

    /// Lets the connection end after `response`, if the body may have had a card.
    pub fn end_connection(self, response: Response) -> Response {
        let is_carried = match self {
            Self::Nothing => false,
            Self::Card => true,
            Self::Watched(seen) => seen.card.load(Ordering::Relaxed) || !seen.end.load(Ordering::Relaxed),
        };
        if is_carried { ended(response) } else { response }
    }
}

/// The answer, after which the connection is closed.
fn ended(mut response: Response) -> Response {
    let close = HeaderValue::from_static("close");
    response.headers_mut().insert(header::CONNECTION, close);
    response
}

/// A body that is searched for card numbers while it is read.
struct WatchedBody {
    body: Body,
    /// The last bytes of the parts before.
    before: Vec<u8>,
    seen: Arc<BodyProgress>,
}

impl WatchedBody {
    fn search(&mut self, part: &Bytes) {
        if self.seen.card.load(Ordering::Relaxed) {
            return;
        }
        let is_found = if self.before.is_empty() {
            has_card_number(part)
        } else {
            // The last bytes of the earlier parts, then the whole new part.
            has_card_number(&[self.before.as_slice(), part].concat())
        };
        if is_found {
            self.seen.card.store(true, Ordering::Relaxed);
            self.before.clear();
        } else if !self.body.is_end_stream() {
            self.before.extend_from_slice(part);
            let surplus = self.before.len().saturating_sub(OVERLAP_BYTES);
            self.before.drain(..surplus);
        }
    }
}

impl HttpBody for WatchedBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if let Some(Ok(frame)) = &frame
            && let Some(part) = frame.data_ref()
        {
            self.search(part);
        }
        if frame.is_none() || self.body.is_end_stream() {
            self.seen.end.store(true, Ordering::Relaxed);
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
