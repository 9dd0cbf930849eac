//! Calls of a provider over HTTP, for every connector. They use hyper's own client: with a larger library around it a call
//! takes twice the processor time.

use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION};
use http::request::Builder;
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode, Uri};
use http_body_util::{BodyExt, Full, Limited};
use hyper_rustls::{HttpsConnectorBuilder, MaybeHttpsStream};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use percent_encoding::percent_decode_str;
use tokio::net::TcpStream;
use tokio::time;
use tower::BoxError;
use tower::timeout::Timeout;
use tower::util::BoxCloneSyncService;
use url::Url;

use crate::ProviderError;
use crate::trace::trace_parent;

/// How long connecting may take, TLS included.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a connection is kept that nobody uses.
const IDLE_TIMEOUT: Duration = Duration::from_secs(90);
/// When the kernel begins to ask whether the other end of a quiet connection is still there, and how often it asks.
const KEEPALIVE: Duration = Duration::from_secs(15);
const KEEPALIVE_TRIES: u32 = 3;
/// How long sent data may stay without a sign of its arrival before the connection is given up.
#[cfg(target_os = "linux")]
const UNACKNOWLEDGED_TIMEOUT: Duration = Duration::from_secs(30);
/// The largest answer that is read, in bytes.
const ANSWER_BYTES_MAX: usize = 64 * 1024;
/// The largest list that is read, in bytes.
const LIST_BYTES_MAX: usize = 4 * 1024 * 1024;

type Connector = BoxCloneSyncService<Uri, MaybeHttpsStream<TokioIo<TcpStream>>, BoxError>;

/// Calls the HTTP server at one URL. A card number goes there only: there is no way to a redirect's target, nor to a
/// proxy from the environment.
#[derive(Debug)]
pub(crate) struct HttpClient {
    client: Client<Connector, Full<Bytes>>,
    /// The URL without a slash at its end, and without user and password.
    base: String,
    /// The URL's user and password.
    authorization: Option<HeaderValue>,
}

/// What becomes of a connection after an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeepConnections {
    /// The next call uses it.
    Yes,
    /// It is closed, so that no buffer of it keeps what was sent.
    No,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct HttpAnswer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    /// Empty if the connection broke, or if it would be larger than the limit.
    pub(crate) body: Bytes,
}

/// How large an answer may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerSize {
    /// That of one object.
    Usual,
    /// That of a page of a list.
    List,
}

impl HttpClient {
    /// A client for the server at `url`. Fails if the system has no certificates to trust.
    pub(crate) fn new(url: &Url, keep: KeepConnections) -> Result<Self, ProviderError> {
        let mut builder = Client::builder(TokioExecutor::new());
        builder
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_TIMEOUT);
        if keep == KeepConnections::No {
            builder.pool_max_idle_per_host(0);
        }
        let mut plain = url.clone();
        // An http URL never refuses this.
        let _ = plain.set_username("").and_then(|()| plain.set_password(None));
        Ok(Self {
            client: builder.build(connector()?),
            base: plain.as_str().trim_end_matches('/').to_owned(),
            authorization: basic_authorization(url),
        })
    }

    /// The address of `path`, which begins with a slash.
    pub(crate) fn address(&self, path: &str) -> Result<Uri, ProviderError> {
        let address = format!("{}{path}", self.base);
        address.try_into().map_err(|_| ProviderError)
    }

    /// Begins a request.
    pub(crate) fn request(&self, method: Method, address: Uri) -> Builder {
        let mut request = Request::builder()
            .method(method)
            .uri(address)
            .header(ACCEPT, "*/*");
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        match trace_parent() {
            Some(header) => request.header("traceparent", header),
            None => request,
        }
    }

    /// Sends a request. `None` if there is no answer in this time.
    pub(crate) async fn send(
        &self,
        request: Builder,
        body: Bytes,
        timeout: Duration,
        size: AnswerSize,
    ) -> Option<HttpAnswer> {
        let request = request.body(Full::new(body)).ok()?;
        let bytes_max = match size {
            AnswerSize::Usual => ANSWER_BYTES_MAX,
            AnswerSize::List => LIST_BYTES_MAX,
        };
        let answered = async {
            let (head, body) = self.client.request(request).await.ok()?.into_parts();
            let body = Limited::new(body, bytes_max).collect().await;
            Some(HttpAnswer {
                status: head.status,
                headers: head.headers,
                body: body.map(http_body_util::Collected::to_bytes).unwrap_or_default(),
            })
        };
        time::timeout(timeout, answered).await.ok().flatten()
    }
}

/// Connects to http and https, to the latter with the system's certificates.
fn connector() -> Result<Connector, ProviderError> {
    let mut http = HttpConnector::new();
    http.enforce_http(false);
    http.set_nodelay(true);
    http.set_keepalive(Some(KEEPALIVE));
    http.set_keepalive_interval(Some(KEEPALIVE));
    http.set_keepalive_retries(Some(KEEPALIVE_TRIES));
    #[cfg(target_os = "linux")]
    http.set_tcp_user_timeout(Some(UNACKNOWLEDGED_TIMEOUT));
    let https = HttpsConnectorBuilder::new()
        .with_provider_and_platform_verifier(rustls::crypto::aws_lc_rs::default_provider())
        .map_err(|_| ProviderError)?
        .https_or_http()
        .enable_http1()
        .wrap_connector(http);
    Ok(BoxCloneSyncService::new(Timeout::new(https, CONNECT_TIMEOUT)))
}

/// `Authorization` for a URL with a user.
fn basic_authorization(url: &Url) -> Option<HeaderValue> {
    let password = url.password().unwrap_or_default();
    if url.username().is_empty() && password.is_empty() {
        return None;
    }
    let mut said: Vec<u8> = percent_decode_str(url.username()).collect();
    said.push(b':');
    said.extend(percent_decode_str(password));
    let mut header = HeaderValue::try_from(format!("Basic {}", BASE64_STANDARD.encode(said))).ok()?;
    header.set_sensitive(true);
    Some(header)
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio::time::Instant;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    /// A server that answers every request of its first connection with `answer`. Gives what it was asked, too.
    async fn server(answer: String) -> (SocketAddr, tokio::task::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let asked = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut asked = String::new();
            while !asked.contains("\r\n\r\n") {
                let mut some = [0; 1_024];
                let count = stream.read(&mut some).await.unwrap();
                asked.push_str(std::str::from_utf8(&some[..count]).unwrap());
            }
            stream.write_all(answer.as_bytes()).await.unwrap();
            asked
        });
        (address, asked)
    }

    fn answer(head: &str, body: &str) -> String {
        format!("HTTP/1.1 {head}\r\ncontent-length: {}\r\n\r\n{body}", body.len())
    }

    async fn get(url: &str, timeout: Duration) -> Option<HttpAnswer> {
        let client = HttpClient::new(&Url::parse(url).unwrap(), KeepConnections::Yes).unwrap();
        let request = client.request(Method::GET, client.address("/v1/a?b=1").unwrap());
        client
            .send(request, Bytes::new(), timeout, AnswerSize::Usual)
            .await
    }

    #[tokio::test]
    async fn a_user_in_the_url_is_sent_as_authorization_and_nowhere_else() {
        let (address, asked) = server(answer("200 OK", "yes")).await;
        let told = get(&format!("http://me:s%3Acret@{address}/below/"), LONG)
            .await
            .unwrap();
        assert_eq!((told.status, &told.body[..]), (StatusCode::OK, &b"yes"[..]));
        let asked = asked.await.unwrap();
        assert!(asked.starts_with("GET /below/v1/a?b=1 HTTP/1.1\r\n"), "{asked}");
        let authorization = format!("authorization: Basic {}\r\n", BASE64_STANDARD.encode("me:s:cret"));
        assert!(asked.contains(&authorization), "{asked}");
        assert!(asked.contains(&format!("host: {address}\r\n")), "{asked}");
        assert_eq!(asked.matches("cret").count(), 0);
    }

    #[tokio::test]
    async fn an_answer_that_is_too_large_or_breaks_off_has_no_body() {
        let (address, _asked) = server(answer("200 OK", &"x".repeat(ANSWER_BYTES_MAX + 1))).await;
        let told = get(&format!("http://{address}"), LONG).await.unwrap();
        assert_eq!((told.status, told.body.len()), (StatusCode::OK, 0));
        let (address, _asked) = server("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf".to_owned()).await;
        let told = get(&format!("http://{address}"), LONG).await.unwrap();
        assert_eq!((told.status, told.body.len()), (StatusCode::OK, 0));
        let (address, _asked) = server(answer("200 OK", &"x".repeat(ANSWER_BYTES_MAX))).await;
        let told = get(&format!("http://{address}"), LONG).await.unwrap();
        assert_eq!(told.body.len(), ANSWER_BYTES_MAX);
    }

    /// The clock stands still but for the limits of time, so nobody waits for them.
    #[tokio::test(start_paused = true)]
    async fn a_server_that_says_nothing_is_not_waited_for() {
        let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = silent.local_addr().unwrap();
        let begun = Instant::now();
        assert!(get(&format!("http://{address}"), LONG).await.is_none());
        assert_eq!(begun.elapsed().as_secs(), LONG.as_secs());
        // Its TLS never begins: that is still a part of connecting.
        let begun = Instant::now();
        assert!(get(&format!("https://{address}"), LONG).await.is_none());
        assert_eq!(begun.elapsed().as_secs(), CONNECT_TIMEOUT.as_secs());
    }
}
