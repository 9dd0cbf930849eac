//! HTTP calls with limits of time and size, for evidence and doctor.

use std::io::Read;
use std::time::Duration;

use axum::http::{HeaderMap, HeaderValue};
use flate2::read::GzDecoder;
use jiff::fmt::rfc2822;
use protocol::clock::Clock;
use reqwest::tls::TlsInfo;
use reqwest::{Client, ClientBuilder, Method, RequestBuilder};
use url::Url;

use web::tls::certificate_end;

/// How long a call may take.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How many bytes of a body are read and decompressed. All our files are much smaller.
const BODY_BYTES_MAX: usize = 16 * 1024 * 1024;
/// How far another clock may differ, in seconds. Signatures of webhooks allow five minutes.
const SKEW_SECONDS_MAX: i64 = 60;

/// Makes calls.
pub(crate) struct Probe {
    client: Client,
    clock: Clock,
}

/// An answer. If a proxy has compressed it with gzip without being asked, it is decompressed.
pub(crate) struct ProbedAnswer {
    /// The address that answered, after redirects.
    pub(crate) url: Url,
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
    /// Whether the server's certificate is the reason.
    pub(crate) is_certificate: bool,
}

impl Probe {
    pub(crate) fn new(client: ClientBuilder, clock: Clock) -> Result<Self, reqwest::Error> {
        let client = client.timeout(TIMEOUT).tls_info(true).build()?;
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

    /// Fetches a page as a browser does, for a `document`, or for an `iframe` in one.
    pub(crate) async fn page(&self, url: Url, destination: &str) -> Result<ProbedAnswer, NoAnswer> {
        let request = self.request(Method::GET, url).header("accept", "text/html");
        seen(request.header("sec-fetch-dest", destination)).await
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
    let end = answer
        .extensions()
        .get::<TlsInfo>()
        .and_then(TlsInfo::peer_certificate)
        .and_then(certificate_end);
    let mut seen = ProbedAnswer {
        url: answer.url().clone(),
        status: answer.status().as_u16(),
        headers: answer.headers().clone(),
        body: Vec::new(),
        certificate_end: end,
    };
    while let Some(chunk) = answer.chunk().await.map_err(no_answer)? {
        seen.body.extend_from_slice(&chunk);
        if seen.body.len() > BODY_BYTES_MAX {
            seen.body.truncate(BODY_BYTES_MAX);
            break;
        }
    }
    let unusable = |why: String| NoAnswer {
        why,
        is_certificate: false,
    };
    match seen.headers.get("content-encoding").map(HeaderValue::as_bytes) {
        None | Some(b"identity") => {}
        Some(b"gzip") => {
            let mut plain = Vec::new();
            let mut gzip = GzDecoder::new(&*seen.body).take(BODY_BYTES_MAX as u64);
            gzip.read_to_end(&mut plain)
                .map_err(|error| unusable(format!("not gzip: {error}")))?;
            seen.body = plain;
        }
        Some(_) => return Err(unusable("compressed in a way that was not requested".to_owned())),
    }
    Ok(seen)
}

#[allow(clippy::needless_pass_by_value, reason = "map_err passes it by value")]
fn no_answer(error: reqwest::Error) -> NoAnswer {
    let is_timeout = error.is_timeout();
    let error = error.without_url();
    let first: &dyn std::error::Error = &error;
    let causes = std::iter::successors(Some(first), |cause| cause.source());
    let causes: Vec<String> = causes.map(ToString::to_string).collect();
    let last = causes.last().cloned().unwrap_or_default();
    let is_certificate = causes.iter().any(|cause| cause.contains("certificate"));
    let why = if is_timeout {
        format!("no answer within {} seconds", TIMEOUT.as_secs())
    } else {
        last.replace('\n', " ")
    };
    NoAnswer { why, is_certificate }
}
