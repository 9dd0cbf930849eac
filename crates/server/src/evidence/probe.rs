//! Calls with limits of time and size, and their answers, for evidence and doctor.

use std::io::Read;
use std::time::Duration;

use axum::http::{HeaderMap, HeaderValue};
use flate2::read::GzDecoder;
use jiff::fmt::rfc2822;
use protocol::clock::Clock;
use reqwest::redirect::Policy;
use reqwest::tls::TlsInfo;
use reqwest::{Client, ClientBuilder, Method, RequestBuilder};
use url::Url;
use x509_cert::Certificate;
use x509_cert::der::Decode;

/// How long a call may take.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How many bytes of a body are read, and unpacked; all our files are much smaller.
const BODY_BYTES_MAX: usize = 16 * 1024 * 1024;
/// How far a clock may be away, in seconds. Signatures of webhooks allow five minutes.
const SKEW_SECONDS_MAX: i64 = 60;

/// Makes calls.
pub(crate) struct Probe {
    client: Client,
    clock: Clock,
}

/// An answer. If a proxy has compressed it with gzip although this was not asked for, it is unpacked.
pub(crate) struct ProbedAnswer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    /// When the server's certificate ends, in seconds since 1970.
    pub(crate) certificate_end: Option<i64>,
}

impl ProbedAnswer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The code of an error answer of the service.
    pub(crate) fn error_code(&self) -> Option<String> {
        let body: serde_json::Value = serde_json::from_slice(&self.body).ok()?;
        Some(body["error"]["code"].as_str()?.to_owned())
    }
}

/// Why there is no answer, without the address.
pub(crate) struct NoAnswer {
    pub(crate) why: String,
    /// The server's certificate is the reason.
    pub(crate) is_certificate: bool,
}

impl Probe {
    pub(crate) fn new(client: ClientBuilder, clock: Clock) -> Result<Self, reqwest::Error> {
        let client = client
            .timeout(TIMEOUT)
            .redirect(Policy::none())
            .tls_info(true)
            .build()?;
        Ok(Self { client, clock })
    }

    pub(crate) fn now_seconds(&self) -> i64 {
        self.clock.now_seconds()
    }

    pub(crate) fn request(&self, method: Method, url: Url) -> RequestBuilder {
        self.client.request(method, url)
    }

    pub(crate) async fn get(&self, url: Url) -> Result<ProbedAnswer, NoAnswer> {
        seen(self.request(Method::GET, url)).await
    }

    /// How many seconds the clock of the answer's server is ahead of ours, if that is too much.
    pub(crate) fn skew(&self, seen: &ProbedAnswer) -> Option<i64> {
        let date = seen.headers.get("date")?.to_str().ok()?;
        let there = rfc2822::parse(date).ok()?.timestamp().as_second();
        let ahead = there - self.now_seconds();
        (ahead.abs() > SKEW_SECONDS_MAX).then_some(ahead)
    }
}

/// Sends the request and reads the answer.
pub(crate) async fn seen(request: RequestBuilder) -> Result<ProbedAnswer, NoAnswer> {
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
    seen.body = unpacked(&seen).map_err(|why| NoAnswer {
        why,
        is_certificate: false,
    })?;
    Ok(seen)
}

fn unpacked(seen: &ProbedAnswer) -> Result<Vec<u8>, String> {
    match seen.headers.get("content-encoding").map(HeaderValue::as_bytes) {
        None | Some(b"identity") => Ok(seen.body.clone()),
        Some(b"gzip") => {
            let mut plain = Vec::new();
            let unpacked = GzDecoder::new(&*seen.body)
                .take(BODY_BYTES_MAX as u64)
                .read_to_end(&mut plain);
            unpacked.map_err(|error| format!("no gzip: {error}"))?;
            Ok(plain)
        }
        Some(_) => Err("packed in a way that was not asked for".to_owned()),
    }
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
