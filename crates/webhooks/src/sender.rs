//! One call to a merchant's endpoint: signed as Standard Webhooks says, limited in time, and without redirects.

use std::sync::Arc;
use std::time::Duration;

use protocol::Sensitive;
use protocol::ids::NoRandomness;
use protocol::webhook_event::sent_body;
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Response, header};
use standardwebhooks::{HEADER_WEBHOOK_ID, HEADER_WEBHOOK_SIGNATURE, HEADER_WEBHOOK_TIMESTAMP, Webhook};
use store::DueEvent;

use super::destination::{self, PublicAddresses};

/// How long a receiver may take. One with more work to do answers first and works afterwards.
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

/// The result of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallOutcome {
    /// 2xx: the receiver accepted the event.
    Accepted(u16),
    /// Any other status, a redirect included.
    Refused(u16),
    /// No answer: the connection was refused or broke, the time was over, or the certificate is not valid.
    NoAnswer(&'static str),
    /// The endpoint's URL or secret is not valid, so nothing was sent.
    Unusable,
    /// The vault's key for the endpoint's secret is missing, so nothing was sent.
    SecretUnavailable,
}

impl CallOutcome {
    /// The text in the operator's list: the status, or why there is none.
    pub fn result(self) -> String {
        match self {
            Self::Accepted(status) | Self::Refused(status) => status.to_string(),
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
        let builder = Client::builder()
            .redirect(Policy::none())
            .no_proxy()
            .timeout(CALL_TIMEOUT)
            .user_agent(USER_AGENT);
        let client = if private_networks {
            builder.build()
        } else {
            builder.dns_resolver(Arc::new(PublicAddresses)).build()
        };
        Ok(Self {
            client: client?,
            private_networks,
        })
    }

    /// Sends the event, signed with the endpoint's opened secret for the time `now_seconds` since 1970. The body of the
    /// answer is not read.
    pub async fn call(&self, event: &DueEvent, secret: &Sensitive, now_seconds: i64) -> CallOutcome {
        let body = sent_body(&event.payload, event.number);
        match self.request(&event.url, &event.id, body, secret, now_seconds) {
            Some(request) => outcome(&request.send().await),
            None => CallOutcome::Unusable,
        }
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
        (outcome(&answer), answer.ok())
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
        let key = Webhook::new(secret.expose()).ok()?;
        let signature = key.sign(event_id, now_seconds, body.as_bytes()).ok()?;
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

fn outcome(answer: &Result<Response, reqwest::Error>) -> CallOutcome {
    match answer {
        Ok(answer) if answer.status().is_success() => CallOutcome::Accepted(answer.status().as_u16()),
        Ok(answer) => CallOutcome::Refused(answer.status().as_u16()),
        Err(error) if error.is_timeout() => CallOutcome::NoAnswer("no answer in time"),
        Err(error) if error.is_connect() => CallOutcome::NoAnswer("no connection"),
        Err(_) => CallOutcome::NoAnswer("the connection broke"),
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    fn causes(error: &dyn std::error::Error) -> String {
        let next = error.source().map(causes).unwrap_or_default();
        format!("{error}; {next}")
    }

    #[tokio::test]
    async fn a_name_that_resolves_to_a_private_address_is_not_called() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("https://localhost:{}/", listener.local_addr().unwrap().port());
        let refused = Sender::new(false).unwrap().client.get(&url).send().await;
        let said = causes(&refused.unwrap_err());
        assert!(said.contains("private network"), "{said}");

        // The same name is called when private networks are allowed, so the address was the reason.
        let sender = Sender::new(true).unwrap();
        let calling = tokio::spawn(async move { sender.client.get(&url).send().await.is_ok() });
        listener.accept().await.unwrap();
        calling.abort();
    }
}
