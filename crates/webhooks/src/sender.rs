//! One call to a merchant's endpoint: signed as Standard Webhooks says, limited in time, and without redirects.

use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use protocol::Sensitive;
use protocol::ids::NoRandomness;
use protocol::webhook_event::sent_body;
use reqwest::header::HeaderMap;
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Response, header};
use standardwebhooks::{HEADER_WEBHOOK_ID, HEADER_WEBHOOK_SIGNATURE, HEADER_WEBHOOK_TIMESTAMP, Webhook};
use store::DueEvent;

use super::destination::{self, PublicAddresses};

/// How long a receiver may take. A receiver with more work must answer before the work.
pub const CALL_TIMEOUT: Duration = Duration::from_secs(10);

/// The value of the request's user-agent header.
const USER_AGENT: &str = concat!("Cardform/", env!("CARGO_PKG_VERSION"));

/// How many random bytes a secret has.
const SECRET_BYTES: usize = 32;

/// Makes a signing secret, `whsec_…`.
pub fn new_secret() -> Result<Sensitive, NoRandomness> {
    use base64::Engine as _;
    let mut bytes = [0_u8; SECRET_BYTES];
    aws_lc_rs::rand::fill(&mut bytes).map_err(|_| NoRandomness)?;
    Ok(Sensitive::new(format!(
        "whsec_{}",
        base64::engine::general_purpose::STANDARD.encode(bytes)
    )))
}

/// How long a secret signs after a new one was made: a day.
pub const FORMER_SECRET_SECONDS: i64 = 86_400;

/// A new secret together with the former one, which also signs until `until`, in seconds since 1970: a receiver accepts an
/// event if one of its signatures is right, so merchants lose no event while they change the secret.
pub fn rolled(new: &Sensitive, former: &Sensitive, until: i64) -> Sensitive {
    Sensitive::new(format!("{} {} {until}", new.expose(), newest(former).expose()))
}

/// The newest of the secrets in a stored text: `whsec_…`, or that and a former one with the end of its time.
pub fn newest(secrets: &Sensitive) -> Sensitive {
    Sensitive::new(secrets.expose().split(' ').next().unwrap_or_default().to_owned())
}

/// The secrets in a stored text that are valid now, the newest first.
fn valid_secrets(secrets: &Sensitive, now_seconds: i64) -> impl Iterator<Item = &str> {
    let mut words = secrets.expose().split(' ');
    let newest = words.next();
    let former = words.next().filter(|_| {
        let until = words.next().and_then(|until| until.parse().ok());
        until.is_some_and(|until: i64| now_seconds < until)
    });
    newest.into_iter().chain(former)
}

/// The result of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallOutcome {
    /// 2xx: the receiver accepted the event.
    Accepted(u16),
    /// Any other status, a redirect included, and how long the receiver asks to wait.
    Refused(u16, Option<Duration>),
    /// No answer: the connection was refused or broke, the time was over, or the certificate is not valid.
    NoAnswer(&'static str),
    /// The endpoint's URL or secret is not valid, so nothing was sent.
    Unusable,
    /// The vault's key for the endpoint's secret is missing, so nothing was sent.
    SecretUnavailable,
}

impl CallOutcome {
    /// The text in the operator's list: the status, or the reason why there is none.
    pub fn result(self) -> String {
        match self {
            Self::Accepted(status) | Self::Refused(status, _) => status.to_string(),
            Self::NoAnswer(why) => why.to_owned(),
            Self::Unusable => "the endpoint cannot be used".to_owned(),
            Self::SecretUnavailable => "its secret cannot be opened with the vault's keys".to_owned(),
        }
    }
}

/// Calls merchants' endpoints.
#[derive(Debug, Clone)]
pub struct Sender {
    client: Client,
    private_networks: bool,
}

impl Sender {
    /// Calls public servers only, unless `private_networks` is true.
    pub fn new(private_networks: bool) -> Result<Self, reqwest::Error> {
        let builder = || {
            let builder = Client::builder()
                .redirect(Policy::none())
                .no_proxy()
                .timeout(CALL_TIMEOUT)
                .user_agent(USER_AGENT);
            if private_networks {
                builder
            } else {
                builder.dns_resolver(Arc::new(PublicAddresses))
            }
        };
        let client = builder().build().or_else(|cause| {
            // Most probably the system has no root certificates. Test mode must start there.
            let cause: &dyn std::error::Error = &cause;
            tracing::warn!(
                cause,
                "no webhook over https can be sent: install root certificates, on Debian `ca-certificates`"
            );
            builder().tls_certs_only([]).build()
        })?;
        Ok(Self {
            client,
            private_networks,
        })
    }

    /// Sends the event, signed with the endpoint's opened secret for the time `now_seconds` since 1970. The body of the
    /// answer is not read.
    pub async fn call(&self, event: &DueEvent, secret: &Sensitive, now_seconds: i64) -> CallOutcome {
        let body = sent_body(&event.payload, event.number);
        let (outcome, _) = self
            .send(&event.url, &event.event_id, body, secret, now_seconds)
            .await;
        outcome
    }

    /// Sends this body once, and returns the answer, too.
    pub async fn send(
        &self,
        url: &str,
        event_id: &str,
        body: String,
        secret: &Sensitive,
        now_seconds: i64,
    ) -> (CallOutcome, Option<Response>) {
        let Some(request) = self.request(url, event_id, body, secret, now_seconds) else {
            return (CallOutcome::Unusable, None);
        };
        let answer = request.send().await;
        (outcome(&answer, now_seconds), answer.ok())
    }

    /// The signed request; `None` if the endpoint's URL or secret is not valid.
    fn request(
        &self,
        url: &str,
        event_id: &str,
        body: String,
        secret: &Sensitive,
        now_seconds: i64,
    ) -> Option<RequestBuilder> {
        let url = destination::parse(url, self.private_networks).ok()?;
        let signatures = valid_secrets(secret, now_seconds).map(|secret| {
            let key = Webhook::new(secret).ok()?;
            key.sign(event_id, now_seconds, body.as_bytes()).ok()
        });
        let signature = signatures.collect::<Option<Vec<_>>>()?.join(" ");
        Some(
            self.client
                .post(url)
                .header(header::CONTENT_TYPE, "application/json")
                .header(HEADER_WEBHOOK_ID, event_id)
                .header(HEADER_WEBHOOK_TIMESTAMP, now_seconds)
                .header(HEADER_WEBHOOK_SIGNATURE, signature)
                .body(body),
        )
    }
}

fn outcome(answer: &Result<Response, reqwest::Error>, now_seconds: i64) -> CallOutcome {
    match answer {
        Ok(answer) if answer.status().is_success() => CallOutcome::Accepted(answer.status().as_u16()),
        Ok(answer) => CallOutcome::Refused(
            answer.status().as_u16(),
            retry_after(answer.headers(), now_seconds),
        ),
        Err(error) if error.is_timeout() => CallOutcome::NoAnswer("no answer in time"),
        Err(error) if error.is_connect() => CallOutcome::NoAnswer("no connection"),
        Err(_) => CallOutcome::NoAnswer("the connection broke"),
    }
}

/// How long the receiver asks to wait: seconds, or a date.
fn retry_after(headers: &HeaderMap, now_seconds: i64) -> Option<Duration> {
    let value = headers.get(header::RETRY_AFTER)?.to_str().ok()?;
    let seconds = value.trim().parse().map(Duration::from_secs).ok();
    let until_date = || {
        let date = httpdate::parse_http_date(value).ok()?;
        let now = Duration::from_secs(u64::try_from(now_seconds).ok()?);
        date.duration_since(UNIX_EPOCH).ok()?.checked_sub(now)
    };
    seconds.or_else(until_date)
}

#[cfg(test)]
mod tests;
