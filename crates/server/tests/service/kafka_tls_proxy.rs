//! A proxy that adds TLS and a password (SASL PLAIN) to a broker without them. It reads only the parts of Kafka's
//! protocol that it needs.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use rcgen::{CertifiedKey, KeyPair};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

/// Kafka's numbers for the first requests of a connection.
const API_VERSIONS: i16 = 18;
const SASL_HANDSHAKE: i16 = 17;
const SASL_AUTHENTICATE: i16 = 36;
const AUTHENTICATION_FAILED: i16 = 58;

/// Counts of connections, and of accepted logins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LoginCounts {
    pub(crate) accepted: usize,
    pub(crate) refused: usize,
}

/// Listens at `listener` until the test ends, with this certificate, and requires `credentials`: user and password.
pub(crate) fn open(
    listener: TcpListener,
    broker: SocketAddr,
    certificate: &CertifiedKey<KeyPair>,
    credentials: [&str; 2],
) -> watch::Receiver<LoginCounts> {
    let key = PrivateKeyDer::try_from(certificate.signing_key.serialize_der()).unwrap();
    let chain = vec![certificate.cert.der().clone()];
    let config = ServerConfig::builder_with_provider(Arc::new(
        tokio_rustls::rustls::crypto::aws_lc_rs::default_provider(),
    ))
    .with_safe_default_protocol_versions()
    .unwrap()
    .with_no_client_auth()
    .with_single_cert(chain, key)
    .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let password = format!("\0{}\0{}", credentials[0], credentials[1]).into_bytes();
    let (seen, login_counts) = watch::channel(LoginCounts::default());
    let seen = Arc::new(seen);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (acceptor, password, seen) = (acceptor.clone(), password.clone(), Arc::clone(&seen));
            tokio::spawn(async move {
                let inside = TcpStream::connect(broker).await;
                let outside = acceptor.accept(stream).await;
                // The client does not trust the certificate, or the test has ended.
                let (Ok(mut outside), Ok(mut inside)) = (outside, inside) else {
                    seen.send_modify(|login_counts| login_counts.refused += 1);
                    return;
                };
                if let Ok(true) = is_login_accepted(&mut outside, &mut inside, &password).await {
                    seen.send_modify(|login_counts| login_counts.accepted += 1);
                    let _ = copy_bidirectional(&mut outside, &mut inside).await;
                } else {
                    seen.send_modify(|login_counts| login_counts.refused += 1);
                }
            });
        }
    });
    login_counts
}

/// Answers until the client has sent a password, right or wrong.
async fn is_login_accepted<S>(outside: &mut S, inside: &mut TcpStream, password: &[u8]) -> io::Result<bool>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    loop {
        let request = frame(outside).await?;
        let [kind, version] = [0, 2].map(|at| i16::from_be_bytes([request[at], request[at + 1]]));
        let correlation = &request[4..8];
        match kind {
            API_VERSIONS => {
                send(inside, &request).await?;
                let answer = frame(inside).await?;
                send(outside, &answer).await?;
            }
            SASL_HANDSHAKE => {
                let mechanisms = b"\0\0\0\0\0\x01\0\x05PLAIN";
                send(outside, &[correlation, mechanisms].concat()).await?;
            }
            SASL_AUTHENTICATE => {
                // After the password the message ends, or has a tag.
                let is_right = request.windows(password.len()).any(|part| part == password)
                    && !request.ends_with(&[password, b"x"].concat());
                let code = if is_right { 0 } else { AUTHENTICATION_FAILED };
                let answer: &[u8] = if version < 2 {
                    // No message, no bytes, and from version 1 on no limit of the session.
                    &b"\xff\xff\0\0\0\0\0\0\0\0\0\0\0\0"[..if version == 0 { 6 } else { 14 }]
                } else {
                    // The same in the compact format, with tags.
                    b"\0\x01\0\0\0\0\0\0\0\0\0"
                };
                let tag: &[u8] = if version < 2 { b"" } else { b"\0" };
                send(outside, &[correlation, tag, &code.to_be_bytes(), answer].concat()).await?;
                return Ok(is_right);
            }
            // Other requests before the password are refused.
            _ => return Ok(false),
        }
    }
}

async fn frame(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Vec<u8>> {
    let length = stream.read_u32().await?;
    let mut bytes = vec![0; length as usize];
    stream.read_exact(&mut bytes).await?;
    Ok(bytes)
}

async fn send(stream: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) -> io::Result<()> {
    stream.write_u32(u32::try_from(bytes.len()).unwrap()).await?;
    stream.write_all(bytes).await?;
    stream.flush().await
}
