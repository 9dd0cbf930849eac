//! TLS that sends several answers at once. HTTP/2 writes the answers to simultaneous requests one after the other, and
//! says after each that it should be sent now: a call of the system and a packet for each of them.

use std::io::{self, IoSlice, Write};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::server::TlsStream;

/// A stream whose flush does nothing: what is written is encrypted and kept until [`GatheredTls::poll_send`], which must
/// follow whenever somebody has used the stream. Up to 64 KB are kept; what is more waits until they are sent.
///
/// Clones are the same stream, so that one can be sent from where the other is used.
pub(crate) struct GatheredTls<S>(Arc<Mutex<State<S>>>);

struct State<S> {
    stream: TlsStream<S>,
    /// Why sending failed, for the next one who uses the stream.
    failed: Option<io::Error>,
}

impl<S> Clone for GatheredTls<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S> GatheredTls<S> {
    /// Gathers what is written to this stream, whose handshake is done.
    pub(crate) fn new(stream: TlsStream<S>) -> Self {
        Self(Arc::new(Mutex::new(State { stream, failed: None })))
    }

    fn state(&self) -> MutexGuard<'_, State<S>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What `of` says about the stream below TLS.
    pub(crate) fn below<T>(&self, of: impl FnOnce(&S) -> T) -> T {
        of(self.state().stream.get_ref().0)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> GatheredTls<S> {
    /// Sends what was written, as much as there is room for; the task of `context` is woken when there is room for more.
    /// Returns whether bytes were sent.
    pub(crate) fn poll_send(&self, context: &mut Context<'_>) -> bool {
        let mut state = self.state();
        let mut is_sent = false;
        if let Poll::Ready(Err(cause)) = state.poll_send(context, &mut is_sent) {
            state.failed = Some(cause);
            context.waker().wake_by_ref();
        }
        is_sent
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> State<S> {
    fn poll_send(&mut self, context: &mut Context<'_>, is_sent: &mut bool) -> Poll<io::Result<()>> {
        let (below, session) = self.stream.get_mut();
        while session.wants_write() {
            let mut to = Below { below, context };
            match session.write_tls(&mut to) {
                Ok(0) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Ok(_) => *is_sent = true,
                Err(cause) if cause.kind() == io::ErrorKind::WouldBlock => return Poll::Pending,
                Err(cause) => return Poll::Ready(Err(cause)),
            }
        }
        Poll::Ready(Ok(()))
    }

    fn poll_write(&mut self, context: &mut Context<'_>, slices: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        self.usable()?;
        if slices.iter().all(|slice| slice.is_empty()) {
            return Poll::Ready(Ok(0));
        }
        loop {
            let written = self.stream.get_mut().1.writer().write_vectored(slices)?;
            if written > 0 {
                return Poll::Ready(Ok(written));
            }
            ready!(self.poll_send(context, &mut false))?;
        }
    }

    fn usable(&mut self) -> io::Result<()> {
        self.failed.take().map_or(Ok(()), Err)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for GatheredTls<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut state = self.state();
        state.usable()?;
        Pin::new(&mut state.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for GatheredTls<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.state().poll_write(context, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.state().poll_write(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.state().usable())
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut state = self.state();
        state.usable()?;
        Pin::new(&mut state.stream).poll_shutdown(context)
    }
}

/// The stream below TLS, as TLS writes to it.
struct Below<'a, 'b, S> {
    below: &'a mut S,
    context: &'a mut Context<'b>,
}

impl<S: AsyncWrite + Unpin> Write for Below<'_, '_, S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        or_would_block(Pin::new(&mut *self.below).poll_write(self.context, bytes))
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        or_would_block(Pin::new(&mut *self.below).poll_write_vectored(self.context, slices))
    }

    fn flush(&mut self) -> io::Result<()> {
        or_would_block(Pin::new(&mut *self.below).poll_flush(self.context))
    }
}

fn or_would_block<T>(polled: Poll<io::Result<T>>) -> io::Result<T> {
    match polled {
        Poll::Ready(result) => result,
        Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
    }
}

#[cfg(test)]
mod tests;
