//! The body of an answer. Until the client has taken all of its bytes, the connection counts as one with an unread answer.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use http_body::{Frame, SizeHint};
use hyper::body::Buf;

use crate::connections::UnreadAnswer;

/// A body, and the note that the client has not taken all of it.
pub(crate) struct AnswerBody {
    body: Body,
    unread: Arc<UnreadAnswer>,
}

/// A part of a body. It keeps the note, because h2 holds parts after the body has ended.
pub(crate) struct AnswerBytes {
    bytes: Bytes,
    unread: Arc<UnreadAnswer>,
}

impl AnswerBody {
    pub(crate) fn new(body: Body, unread: UnreadAnswer) -> Self {
        let unread = Arc::new(unread);
        Self { body, unread }
    }
}

impl HttpBody for AnswerBody {
    type Data = AnswerBytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<AnswerBytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        polled.map_ok(|frame| {
            frame.map_data(|bytes| AnswerBytes {
                bytes,
                unread: Arc::clone(&self.unread),
            })
        })
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Buf for AnswerBytes {
    fn remaining(&self) -> usize {
        self.bytes.remaining()
    }

    fn chunk(&self) -> &[u8] {
        self.bytes.chunk()
    }

    fn advance(&mut self, count: usize) {
        self.unread.note_taken_bytes();
        self.bytes.advance(count);
    }
}
