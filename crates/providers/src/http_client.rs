//! Calls a provider over HTTP, for every connector. This uses hyper's own client, because with a larger library a call
//! takes twice the processor time.

use std::sync::Arc;
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
use rustls::{ClientConfig, RootCertStore};
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
/// How long an idle connection is kept.
const IDLE_TIMEOUT: Duration = Duration::from_secs(90);
/// How long a connection is idle before the kernel sends a TCP keepalive, and the time between two of them.
const KEEPALIVE: Duration = Duration::from_secs(15);
const KEEPALIVE_TRIES: u32 = 3;
/// How long sent data may stay unacknowledged before the connection is closed.
#[cfg(target_os = "linux")]
const UNACKNOWLEDGED_TIMEOUT: Duration = Duration::from_secs(30);
/// The largest answer that is read, in bytes. The largest answers are pages of a list.
const ANSWER_BYTES_MAX: usize = 4 * 1024 * 1024;

type Connector = BoxCloneSyncService<Uri, MaybeHttpsStream<TokioIo<TcpStream>>, BoxError>;

/// Calls the HTTP server at one URL. Redirects are not followed and the environment's proxy is not used, so no other
/// server gets a card number.
#[derive(Debug)]
pub(crate) struct HttpClient {
    client: Client<Connector, Full<Bytes>>,
    /// The URL without a slash at its end, and without user and password.
    base: String,
    /// The URL's user and password, as a header.
    authorization: Option<HeaderValue>,
}

/// Whether a connection is kept after an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeepConnections {
    /// The next call uses it.
    Yes,
    /// It is closed, so that none of its buffers keeps sent data.
    No,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct HttpAnswer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    /// Empty if the connection broke, or if the body is longer than the limit.
    pub(crate) body: Bytes,
}

impl HttpClient {
    /// A client for the server at `url`. Fails if the URL is an https one and the system has no certificates to trust.
    pub(crate) fn new(url: &Url, keep: KeepConnections) -> Result<Self, ProviderError> {
        let mut builder = Client::builder(TokioExecutor::new());
        builder
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_TIMEOUT);
        if keep == KeepConnections::No {
            builder.pool_max_idle_per_host(0);
        }
        let mut plain = url.clone();
        // This never fails for an http URL.
        let _ = plain.set_username("").and_then(|()| plain.set_password(None));
        Ok(Self {
            client: builder.build(connector(url)?),
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

    /// Sends a request. `None` if there is no answer within `timeout`.
    pub(crate) async fn send(&self, request: Builder, body: Bytes, timeout: Duration) -> Option<HttpAnswer> {
        let request = request.body(Full::new(body)).ok()?;
        let answered = async {
            let (head, body) = self.client.request(request).await.ok()?.into_parts();
            let body = Limited::new(body, ANSWER_BYTES_MAX).collect().await;
            Some(HttpAnswer {
                status: head.status,
                headers: head.headers,
                body: body.map(http_body_util::Collected::to_bytes).unwrap_or_default(),
            })
        };
        time::timeout(timeout, answered).await.ok().flatten()
    }
}

/// Connects to http and https URLs. https uses the system's certificates. A client of an http URL does not read them, so that
/// test mode starts on a system without them.
fn connector(url: &Url) -> Result<Connector, ProviderError> {
    let mut http = HttpConnector::new();
    http.enforce_http(false);
    http.set_nodelay(true);
    http.set_keepalive(Some(KEEPALIVE));
    http.set_keepalive_interval(Some(KEEPALIVE));
    http.set_keepalive_retries(Some(KEEPALIVE_TRIES));
    #[cfg(target_os = "linux")]
    http.set_tcp_user_timeout(Some(UNACKNOWLEDGED_TIMEOUT));
    let provider = rustls::crypto::aws_lc_rs::default_provider();
    let builder = HttpsConnectorBuilder::new();
    let builder = if url.scheme() == "https" {
        let builder = builder.with_provider_and_platform_verifier(provider);
        builder.map_err(|cause| {
            tracing::error!(%cause, "no root certificates: install them, on Debian the package `ca-certificates`");
            ProviderError
        })?
    } else {
        let config =
            ClientConfig::builder_with_provider(Arc::new(provider)).with_safe_default_protocol_versions();
        let config = config.map_err(|_| ProviderError)?;
        builder.with_tls_config(
            config
                .with_root_certificates(RootCertStore::empty())
                .with_no_client_auth(),
        )
    };
    let https = builder.https_or_http().enable_http1().wrap_connector(http);
    Ok(BoxCloneSyncService::new(Timeout::new(https, CONNECT_TIMEOUT)))
}

/// `Authorization` for a URL with a user.
fn basic_authorization(url: &Url) -> Option<HeaderValue> {
    let password = url.password().unwrap_or_default();
    if url.username().is_empty() && password.is_empty() {
        return None;
    }
    let mut credentials: Vec<u8> = percent_decode_str(url.username()).collect();
    credentials.push(b':');
    credentials.extend(percent_decode_str(password));
    let mut header = HeaderValue::try_from(format!("Basic {}", BASE64_STANDARD.encode(credentials))).ok()?;
    header.set_sensitive(true);
    Some(header)
}

#[cfg(test)]
mod tests;
