//! Calls with a limit of time and size, and what is seen of each answer.

use std::time::Duration;

use axum::http::HeaderMap;
use jiff::fmt::rfc2822;
use model::clock::Clock;
use reqwest::tls::TlsInfo;
use reqwest::{Client, Method, RequestBuilder};
use url::Url;
use x509_cert::Certificate;
use x509_cert::der::Decode;

use reqwest::redirect::Policy;

/// How long a call may take.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How much of a body is read, in bytes.
const BODY_BYTES_MAX: usize = 2 * 1024 * 1024;
/// How far a clock may be away, in seconds. Signatures of webhooks allow five minutes.
const SKEW_SECONDS_MAX: i64 = 60;

/// Makes the doctor's calls.
pub(super) struct Probe {
    client: Client,
    clock: Clock,
}

/// An answer.
pub(super) struct ProbedAnswer {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
    /// When the server's certificate ends, in seconds since 1970.
    pub(super) certificate_end: Option<i64>,
}

impl ProbedAnswer {
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The code of an error answer of the service.
    pub(super) fn error_code(&self) -> Option<String> {
        let body: serde_json::Value = serde_json::from_slice(&self.body).ok()?;
        Some(body["error"]["code"].as_str()?.to_owned())
    }
}

/// Why there is no answer, without the address.
pub(super) struct NoAnswer {
    pub(super) why: String,
    /// The server's certificate is the reason.
    pub(super) is_certificate: bool,
}

impl Probe {
    pub(super) fn new(clock: Clock) -> Result<Self, reqwest::Error> {
        let client = Client::builder()
            .timeout(TIMEOUT)
            .redirect(Policy::none())
            .no_proxy()
            .tls_info(true)
            .user_agent(concat!("Cardform-doctor/", env!("CARGO_PKG_VERSION")))
            .build()?;
        Ok(Self { client, clock })
    }

    pub(super) fn now_seconds(&self) -> i64 {
        self.clock.now_seconds()
    }

    pub(super) fn request(&self, method: Method, url: Url) -> RequestBuilder {
        self.client.request(method, url)
    }

    pub(super) async fn get(&self, url: Url) -> Result<ProbedAnswer, NoAnswer> {
        seen(self.request(Method::GET, url)).await
    }

    /// How many seconds the clock of the answer's server is ahead of ours, if that is too much.
    pub(super) fn skew(&self, seen: &ProbedAnswer) -> Option<i64> {
        let date = seen.headers.get("date")?.to_str().ok()?;
        let there = rfc2822::parse(date).ok()?.timestamp().as_second();
        let ahead = there - self.now_seconds();
        (ahead.abs() > SKEW_SECONDS_MAX).then_some(ahead)
    }
}

/// Sends the request and reads the answer.
pub(super) async fn seen(request: RequestBuilder) -> Result<ProbedAnswer, NoAnswer> {
    let mut answer = request.send().await.map_err(no_answer)?;
    let certificate_end = answer
        .extensions()
        .get::<TlsInfo>()
        .and_then(TlsInfo::peer_certificate)
        .and_then(end_of);
    let mut seen = ProbedAnswer {
        status: answer.status().as_u16(),
        headers: answer.headers().clone(),
        body: Vec::new(),
        certificate_end,
    };
    while let Some(chunk) = answer.chunk().await.map_err(no_answer)? {
        seen.body.extend_from_slice(&chunk);
        if seen.body.len() > BODY_BYTES_MAX {
            seen.body.truncate(BODY_BYTES_MAX);
            break;
        }
    }
    Ok(seen)
}

/// When a certificate in DER ends, in seconds since 1970.
fn end_of(certificate: &[u8]) -> Option<i64> {
    let certificate = Certificate::from_der(certificate).ok()?;
    let end = certificate.tbs_certificate.validity.not_after;
    i64::try_from(end.to_unix_duration().as_secs()).ok()
}

#[allow(clippy::needless_pass_by_value, reason = "it is given to map_err")]
fn no_answer(error: reqwest::Error) -> NoAnswer {
    let is_timeout = error.is_timeout();
    let error = error.without_url();
    let mut causes = Vec::new();
    let mut next: Option<&dyn std::error::Error> = Some(&error);
    while let Some(cause) = next {
        causes.push(cause.to_string());
        next = cause.source();
    }
    let last = causes.last().cloned().unwrap_or_default();
    let is_certificate = causes.iter().any(|cause| cause.contains("certificate"));
    let why = if is_timeout {
        format!("no answer within {} seconds", TIMEOUT.as_secs())
    } else {
        last.replace('\n', " ")
    };
    NoAnswer { why, is_certificate }
}
