//! A document's pieces as the body of an answer.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use http_body::{Frame, SizeHint};
use page::DocumentPieces;

/// Sends pieces one after the other. Its length is known, so the answer says it.
struct PiecesBody(DocumentPieces);

/// The body of these pieces.
pub(super) fn pieces_body(pieces: DocumentPieces) -> Body {
    Body::new(PiecesBody(pieces))
}

impl HttpBody for PiecesBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.next().map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.bytes() == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.bytes() as u64)
    }
}
