//! One call to a merchant's endpoint: signed after Standard Webhooks, bounded in time, and never redirected.

use std::sync::Arc;
use std::time::Duration;

use model::ids::NoRandomness;
use reqwest::redirect::Policy;
use reqwest::{Client, header};
use standardwebhooks::{HEADER_WEBHOOK_ID, HEADER_WEBHOOK_SIGNATURE, HEADER_WEBHOOK_TIMESTAMP, Webhook};
use store::DueEvent;
use wire::Sensitive;

use super::destination::{self, PublicAddresses};

/// How long a receiver may take; one that has more to do answers first and works then.
pub const CALL_TIMEOUT: Duration = Duration::from_secs(10);

/// How the receiver sees who calls.
const USER_AGENT: &str = concat!("Cardform/", env!("CARGO_PKG_VERSION"));

/// The random bytes of a secret.
const SECRET_BYTES: usize = 32;

/// A new signing secret, `whsec_…`.
pub fn new_secret() -> Result<Sensitive, NoRandomness> {
    use base64::Engine as _;
    let mut bytes = [0_u8; SECRET_BYTES];
    aws_lc_rs::rand::fill(&mut bytes).map_err(|_| NoRandomness)?;
    Ok(Sensitive::new(format!(
        "whsec_{}",
        base64::engine::general_purpose::STANDARD.encode(bytes)
    )))
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Called {
    /// 2xx: the receiver has the event.
    Heard(u16),
    /// Any other status, a redirect included.
    Refused(u16),
    /// No answer: refused connection, time-out, a certificate that does not hold.
    Silent(&'static str),
    /// The endpoint's URL or secret cannot be used, so nothing was sent.
    Unusable,
    /// The endpoint's secret cannot be opened, so nothing was sent: the vault's key is missing here.
    Closed,
}

impl Called {
    /// For the operator's list: the status, or why there is none.
    pub fn result(self) -> String {
        match self {
            Self::Heard(status) | Self::Refused(status) => status.to_string(),
            Self::Silent(why) => why.to_owned(),
            Self::Unusable => "the endpoint cannot be used".to_owned(),
            Self::Closed => "its secret cannot be opened with the vault's keys".to_owned(),
        }
    }
}

/// Calls endpoints.
#[derive(Debug, Clone)]
pub struct Sender {
    client: Client,
    private_networks: bool,
}

impl Sender {
    /// A sender that reaches public servers alone, or also private ones.
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

    /// Sends the event, signed with the endpoint's opened secret for the time `now_seconds` since 1970. The answer's body is
    /// not read.
    pub async fn call(&self, event: &DueEvent, secret: &Sensitive, now_seconds: i64) -> Called {
        let Ok(url) = destination::parse(&event.url, self.private_networks) else {
            return Called::Unusable;
        };
        let signed = Webhook::new(secret.expose())
            .and_then(|key| key.sign(&event.id, now_seconds, event.payload.as_bytes()));
        let Ok(signature) = signed else {
            return Called::Unusable;
        };
        let answer = self
            .client
            .post(url)
            .header(header::CONTENT_TYPE, "application/json")
            .header(HEADER_WEBHOOK_ID, &event.id)
            .header(HEADER_WEBHOOK_TIMESTAMP, now_seconds)
            .header(HEADER_WEBHOOK_SIGNATURE, signature)
            .body(event.payload.clone())
            .send()
            .await;
        match answer {
            Ok(answer) if answer.status().is_success() => Called::Heard(answer.status().as_u16()),
            Ok(answer) => Called::Refused(answer.status().as_u16()),
            Err(error) if error.is_timeout() => Called::Silent("no answer in time"),
            Err(error) if error.is_connect() => Called::Silent("no connection"),
            Err(_) => Called::Silent("the connection broke"),
        }
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

        // The name is one: who may call private networks arrives.
        let sender = Sender::new(true).unwrap();
        let calling = tokio::spawn(async move { sender.client.get(&url).send().await.is_ok() });
        listener.accept().await.unwrap();
        calling.abort();
    }
}
