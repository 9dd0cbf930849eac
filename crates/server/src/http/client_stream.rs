//! A client's connection: a stream of bytes. That of HTTP/2 over TLS collects what is written to it.

use std::task::Context;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

use crate::http::gathered_tls::GatheredTls;

/// A client's connection.
pub(crate) trait ClientStream: AsyncRead + AsyncWrite + Unpin + Send + 'static {
    /// What was written to it and is not sent yet.
    type Unsent: Unsent;

    /// With this it is sent, by somebody who does not own the stream.
    fn unsent(&self) -> Self::Unsent;

    /// Has the last packet, if it is not full, wait for the end of the connection. A packet less is less work for
    /// everybody, and the client hears of both at once. The system sends it after 200 ms in any case.
    fn hold_last_packet(&self);
}

/// What was written to a stream and is not sent yet.
pub(crate) trait Unsent: Send {
    /// Sends it. Returns whether bytes were sent.
    fn poll_send(&self, context: &mut Context<'_>) -> bool;
}

/// For a stream that sends at once.
impl Unsent for () {
    fn poll_send(&self, _: &mut Context<'_>) -> bool {
        false
    }
}

impl<S: ClientStream> Unsent for GatheredTls<S> {
    fn poll_send(&self, context: &mut Context<'_>) -> bool {
        self.poll_send(context)
    }
}

impl ClientStream for TcpStream {
    type Unsent = ();

    fn unsent(&self) {}

    fn hold_last_packet(&self) {
        // Without it there are two packets.
        #[cfg(target_os = "linux")]
        let _ = rustix::net::sockopt::set_tcp_cork(self, true);
    }
}

impl<S: ClientStream> ClientStream for GatheredTls<S> {
    type Unsent = Self;

    fn unsent(&self) -> Self {
        self.clone()
    }

    fn hold_last_packet(&self) {
        self.below(S::hold_last_packet);
    }
}

impl ClientStream for TlsStream<TcpStream> {
    type Unsent = ();

    fn unsent(&self) {}

    fn hold_last_packet(&self) {
        self.get_ref().0.hold_last_packet();
    }
}
