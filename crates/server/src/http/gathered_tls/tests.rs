use std::future::poll_fn;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::routing::get;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, Join, ReadHalf, WriteHalf, duplex, join, split};
use tokio::sync::watch;
use tokio_rustls::rustls::pki_types::{PrivatePkcs8KeyDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio_rustls::{TlsAcceptor, TlsConnector, client};

use super::*;
use crate::http::client_stream::ClientStream;
use crate::http::connection::{TimeLimits, serve};
use crate::http::connections::{ConnectionLimits, Connections};
use crate::http::tls::provider;

/// As much as the tests write, so that nobody has to read meanwhile.
const ROOMY: usize = 1_000_000;

/// What is written to a connection, and how often something was.
struct CountedWrites(WriteHalf<DuplexStream>, Arc<AtomicUsize>);

/// A server's end of a connection.
type ServersEnd = Join<ReadHalf<DuplexStream>, CountedWrites>;

impl ClientStream for ServersEnd {
    type Unsent = ();

    fn unsent(&self) {}

    fn hold_last_packet(&self) {}
}

impl AsyncWrite for CountedWrites {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.1.fetch_add(1, Ordering::Relaxed);
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let bytes: Vec<u8> = slices.iter().flat_map(|slice| slice.iter().copied()).collect();
        self.poll_write(context, &bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

/// A client, its server, and how often the server's end was written to since the handshake. `room` is how many bytes the
/// client need not have read.
struct Pair {
    client: client::TlsStream<DuplexStream>,
    server: GatheredTls<ServersEnd>,
    writes: Arc<AtomicUsize>,
}

impl Pair {
    async fn with(room: usize) -> Self {
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let key = PrivatePkcs8KeyDer::from(signing_key.serialize_der());
        let server = ServerConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], key.into())
            .unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(cert.der().clone()).unwrap();
        let client = ClientConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let (near, far) = duplex(room);
        let writes = Arc::new(AtomicUsize::new(0));
        let (reading, writing) = split(far);
        let far = join(reading, CountedWrites(writing, Arc::clone(&writes)));
        let acceptor = TlsAcceptor::from(Arc::new(server));
        let connector = TlsConnector::from(Arc::new(client));
        let name = ServerName::try_from("localhost").unwrap();
        let (client, server) = tokio::join!(connector.connect(name, near), acceptor.accept(far));
        writes.store(0, Ordering::Relaxed);
        Self {
            client: client.unwrap(),
            server: GatheredTls::new(server.unwrap()),
            writes,
        }
    }

    fn writes(&self) -> usize {
        self.writes.load(Ordering::Relaxed)
    }
}

/// Sends what there is room for. Returns whether bytes were sent.
async fn send<S: AsyncRead + AsyncWrite + Unpin>(server: &GatheredTls<S>) -> bool {
    poll_fn(|context| Poll::Ready(server.poll_send(context))).await
}

/// Sends everything, however long the client takes to read it.
async fn send_all<S: AsyncRead + AsyncWrite + Unpin>(server: &GatheredTls<S>) {
    poll_fn(|context| {
        server.poll_send(context);
        if server.state().stream.get_ref().1.wants_write() {
            Poll::Pending
        } else {
            Poll::Ready(())
        }
    })
    .await;
}

#[tokio::test]
async fn several_answers_are_sent_at_once() {
    let mut pair = Pair::with(ROOMY).await;
    for answer in ["one", "two", "three"] {
        pair.server.write_all(answer.as_bytes()).await.unwrap();
        pair.server.flush().await.unwrap();
    }
    assert_eq!(pair.writes(), 0);
    assert!(send(&pair.server).await);
    assert_eq!(pair.writes(), 1);
    let mut answers = [0; 11];
    pair.client.read_exact(&mut answers).await.unwrap();
    assert_eq!(&answers, b"onetwothree");
    assert!(!send(&pair.server).await);
}

#[tokio::test]
async fn a_long_answer_is_not_kept_whole() {
    let mut pair = Pair::with(ROOMY).await;
    let answer = vec![b'x'; 300_000];
    pair.server.write_all(&answer).await.unwrap();
    assert!(pair.writes() > 0);
    send_all(&pair.server).await;
    let mut read = vec![0; answer.len()];
    pair.client.read_exact(&mut read).await.unwrap();
    assert!(read == answer);
}

#[tokio::test]
async fn a_client_that_reads_little_at_a_time_gets_everything() {
    let Pair {
        mut client,
        mut server,
        ..
    } = Pair::with(1_000).await;
    let answer: Vec<u8> = (0..=u8::MAX).cycle().take(200_000).collect();
    let mut read = vec![0; answer.len()];
    let answering = async {
        server.write_all(&answer).await.unwrap();
        send_all(&server).await;
    };
    let ((), read_all) = tokio::join!(answering, client.read_exact(&mut read));
    read_all.unwrap();
    assert!(read == answer);
}

#[tokio::test]
async fn the_end_of_a_connection_comes_after_what_was_written() {
    let mut pair = Pair::with(ROOMY).await;
    pair.server.write_all(b"last").await.unwrap();
    pair.server.shutdown().await.unwrap();
    let mut read = String::new();
    pair.client.read_to_string(&mut read).await.unwrap();
    assert_eq!(read, "last");
}

#[tokio::test]
async fn what_could_not_be_sent_is_an_error_of_the_next_use() {
    let Pair {
        client, mut server, ..
    } = Pair::with(ROOMY).await;
    drop(client);
    server.write_all(b"lost").await.unwrap();
    assert!(!send(&server).await);
    let failed = server.write_all(b"more").await.unwrap_err();
    assert_eq!(failed.kind(), io::ErrorKind::BrokenPipe);
}

/// Without collecting, each answer is a write of its own.
#[tokio::test]
async fn requests_of_http_2_that_came_together_are_answered_together() {
    const REQUESTS: u8 = 20;
    let Pair {
        mut client,
        server,
        writes,
    } = Pair::with(ROOMY).await;
    let peer = SocketAddr::from(([127, 0, 0, 1], 1));
    let connections = Connections::new(ConnectionLimits::default());
    let admitted = connections.admit(peer.ip()).await.unwrap();
    // As long that HTTP/2 does not copy it to the other answers by itself.
    let router = Router::new().route("/", get(async || format!("{:2000}answer", "")));
    let (_stop, stopped) = watch::channel(false);
    tokio::spawn(serve(
        server,
        peer,
        admitted,
        router,
        TimeLimits::default(),
        stopped,
    ));
    // The preface and empty settings, then `GET /` as streams 1, 3, 5 and so on (RFC 9113, 6.2; RFC 7541, A).
    let mut asked = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0".to_vec();
    for number in 0..REQUESTS {
        asked.extend(b"\0\0\x06\x01\x05\0\0\0");
        asked.push(2 * number + 1);
        asked.extend(b"\x82\x87\x84\x41\x01x");
    }
    client.write_all(&asked).await.unwrap();
    let mut answered = Vec::new();
    while answered.windows(6).filter(|part| part == b"answer").count() < REQUESTS.into() {
        assert!(client.read_buf(&mut answered).await.unwrap() > 0);
    }
    let writes = writes.load(Ordering::Relaxed);
    assert!(writes < usize::from(REQUESTS) / 2, "{writes}");
}
