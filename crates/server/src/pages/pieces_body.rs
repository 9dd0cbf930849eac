//! A document's pieces as the body of an answer.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::vec::IntoIter;

use axum::body::{Body, Bytes, HttpBody};
use http_body::{Frame, SizeHint};

/// Sends pieces one after the other. Its length is known, so the answer says it.
struct PiecesBody {
    pieces: IntoIter<Bytes>,
    bytes_left: u64,
}

/// The body of these pieces.
pub(super) fn pieces_body(pieces: Vec<Bytes>) -> Body {
    let bytes: usize = pieces.iter().map(Bytes::len).sum();
    Body::new(PiecesBody {
        pieces: pieces.into_iter(),
        bytes_left: bytes as u64,
    })
}

impl HttpBody for PiecesBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let piece = self.pieces.next();
        if let Some(piece) = &piece {
            self.bytes_left -= piece.len() as u64;
        }
        Poll::Ready(piece.map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes_left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes_left)
    }
}
