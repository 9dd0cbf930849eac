//! The end of a connection is sent together with its last answer.

use std::sync::atomic::{AtomicBool, Ordering};

use rustix::net::sockopt::{tcp_cork, tcp_nodelay};
use tokio::net::TcpStream;

use super::*;
use crate::http::listener::bind;

/// A connection that tells whether its last packet is held.
struct WatchedStream(TcpStream, Arc<AtomicBool>);

impl ClientStream for WatchedStream {
    type Unsent = ();

    fn unsent(&self) {}

    fn hold_last_packet(&self) {
        self.0.hold_last_packet();
        self.1.store(tcp_cork(&self.0).unwrap(), Ordering::Relaxed);
    }
}

impl AsyncRead for WatchedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for WatchedStream {
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
}

/// Asks for this path, and reads the answer.
async fn get_answer(client: &mut TcpStream, path: &str) {
    let request = format!("GET {path} HTTP/1.1\r\nhost: pay.example\r\n\r\n");
    client.write_all(request.as_bytes()).await.unwrap();
    let mut said = [0; 4_096];
    let read = client.read(&mut said).await.unwrap();
    assert!(said[..read].ends_with(b"answer"));
}

#[tokio::test]
async fn the_last_answer_of_a_connection_is_sent_with_its_end() {
    let listener = bind(([127, 0, 0, 1], 0).into()).await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut client = TcpStream::connect(address).await.unwrap();
    let (server, peer) = listener.accept().await.unwrap();
    assert!(tcp_nodelay(&server).unwrap(), "no answer waits for the client");
    let is_held = Arc::new(AtomicBool::new(false));
    let stream = WatchedStream(server, Arc::clone(&is_held));
    let (_stop, stopped) = watch::channel(false);
    let serving = tokio::spawn(async move {
        let admitted = Connections::new(ConnectionLimits::default())
            .admit(peer.ip())
            .await;
        serve(stream, peer, admitted.unwrap(), routes(), TIME_LIMITS, stopped).await;
    });
    get_answer(&mut client, "/").await;
    assert!(!is_held.load(Ordering::Relaxed));
    get_answer(&mut client, "/end").await;
    assert_eq!(client.read(&mut [0]).await.unwrap(), 0);
    assert!(is_held.load(Ordering::Relaxed));
    serving.await.unwrap();
}
