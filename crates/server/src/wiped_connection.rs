//! Connections whose read buffer is overwritten before each read: the bytes of a request, with a card number in them,
//! do not lie in the memory of a connection that waits for the next one.

use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

/// A listener that makes [`WipedConnection`]s.
pub struct WipedConnections(pub TcpListener);

/// The address of the other end.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub SocketAddr);

/// A connection that zeroes the free room of the buffer that it is asked to read into. When a request has been
/// answered, that room is where it was: the server takes its buffer back before it reads again. What it does not take
/// back it frees, and the binary's allocator zeroes what is freed.
pub struct WipedConnection(TcpStream);

impl Listener for WipedConnections {
    type Io = WipedConnection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (WipedConnection, SocketAddr) {
        // axum's own way of accepting: it waits when there are no more file descriptors.
        let (stream, address) = Listener::accept(&mut self.0).await;
        (WipedConnection(stream), address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

impl Connected<IncomingStream<'_, WipedConnections>> for Peer {
    fn connect_info(stream: IncomingStream<'_, WipedConnections>) -> Self {
        Self(*stream.remote_addr())
    }
}

impl AsyncRead for WipedConnection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        // The buffer comes as uninitialised room, so this writes all of it.
        buffer.initialize_unfilled().fill(0);
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for WipedConnection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    #[tokio::test]
    async fn a_read_leaves_nothing_of_what_was_in_the_buffer_before() {
        let mut listener = WipedConnections(TcpListener::bind("127.0.0.1:0").await.unwrap());
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (mut connection, _) = listener.accept().await;
        let mut buffer = b"4242424242424242".to_vec();
        client.write_all(b"ok").await.unwrap();
        connection.read_exact(&mut buffer[..2]).await.unwrap();
        let mut whole = ReadBuf::new(&mut buffer);
        client.write_all(b"ok").await.unwrap();
        std::future::poll_fn(|context| Pin::new(&mut connection).poll_read(context, &mut whole))
            .await
            .unwrap();
        assert_eq!(buffer, b"ok\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    }
}
