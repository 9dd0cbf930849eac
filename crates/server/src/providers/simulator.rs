//! The connector to the provider's simulator: what leaves the house, and how each answer is read.

use std::time::Duration;

use axum::body::Bytes;
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode, Url, header};
use serde::Serialize;
use zeroize::Zeroizing;

use super::{Lookup, ProviderCharge, ProviderError, ProviderOutcome};
use crate::charges::decline::DeclineCode;
use crate::simulator::payment::{NOT_FOUND, Outcome, Payment, REJECTED, Refusal};

/// How long connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The largest answer that is read, in bytes.
const ANSWER_BYTES_MAX: usize = 64 * 1024;

/// Speaks with the simulator over HTTP.
#[derive(Debug)]
pub struct Connector {
    client: Client,
    payments: String,
}

/// The one place where a card number is written out for the provider.
#[derive(Serialize)]
struct OutgoingPayment<'a> {
    charge_id: &'a str,
    amount_value: &'a str,
    amount_currency: &'a str,
    card: OutgoingCard<'a>,
}

#[derive(Serialize)]
struct OutgoingCard<'a> {
    number: &'a str,
    security_code: &'a str,
    expiration_month: u8,
    expiration_year: u16,
    holder_name: &'a str,
}

impl Connector {
    /// A connector to the simulator at `url`.
    pub fn new(url: &Url) -> Result<Self, ProviderError> {
        let client = Client::builder()
            // A card number goes to the provider and to nobody whom a redirect or the environment names.
            .redirect(Policy::none())
            .no_proxy()
            .connect_timeout(CONNECT_TIMEOUT)
            .build()
            .map_err(|_| ProviderError)?;
        let payments = format!("{}/v1/payments", url.as_str().trim_end_matches('/'));
        Ok(Self { client, payments })
    }

    pub(super) async fn charge(&self, charge: &ProviderCharge, timeout: Duration) -> ProviderOutcome {
        let Ok(body) = outgoing(charge) else {
            return ProviderOutcome::Declined(DeclineCode::ProcessingError);
        };
        let sent = self
            .client
            .post(&self.payments)
            .timeout(timeout)
            .header("idempotency-key", &charge.idempotency_key)
            .header(header::CONTENT_TYPE, "application/json")
            .body(body)
            .send()
            .await;
        let Ok(answer) = sent else {
            return ProviderOutcome::Unknown;
        };
        let status = answer.status();
        let body = read(answer).await;
        match status {
            StatusCode::OK => read_payment(&body).unwrap_or(ProviderOutcome::Unknown),
            // A proxy in between may answer anything. Only the provider's own words say for certain that it refused.
            StatusCode::BAD_REQUEST if read_refusal(&body).as_deref() == Some(REJECTED) => {
                tracing::error!("the provider does not understand our requests");
                ProviderOutcome::Declined(DeclineCode::ProcessingError)
            }
            other => {
                tracing::warn!(
                    status = other.as_u16(),
                    "the provider gave an answer that says nothing"
                );
                ProviderOutcome::Unknown
            }
        }
    }

    pub(super) async fn lookup(&self, idempotency_key: &str, timeout: Duration) -> Lookup {
        let url = format!("{}/{idempotency_key}", self.payments);
        let Ok(answer) = self.client.get(url).timeout(timeout).send().await else {
            return Lookup::Unreachable;
        };
        let status = answer.status();
        let body = read(answer).await;
        match status {
            StatusCode::OK => read_payment(&body).map_or(Lookup::Unreachable, Lookup::Known),
            StatusCode::NOT_FOUND if read_refusal(&body).as_deref() == Some(NOT_FOUND) => Lookup::NeverHeard,
            _ => Lookup::Unreachable,
        }
    }
}

/// The request's body, in memory that is zeroed once it is sent.
fn outgoing(charge: &ProviderCharge) -> Result<Bytes, serde_json::Error> {
    let payment = OutgoingPayment {
        charge_id: &charge.charge_id,
        amount_value: &charge.amount_value,
        amount_currency: &charge.amount_currency,
        card: OutgoingCard {
            number: charge.card.number.expose(),
            security_code: charge.card.security_code.expose(),
            expiration_month: charge.card.expiration_month,
            expiration_year: charge.card.expiration_year,
            holder_name: &charge.card.holder_name,
        },
    };
    // Large enough for any card and name, so that growing leaves no copies behind.
    let mut body = Zeroizing::new(Vec::with_capacity(16 * 1024));
    serde_json::to_writer(&mut *body, &payment)?;
    Ok(Bytes::from_owner(body))
}

/// The answer's body; empty when it breaks off or is too large.
async fn read(mut answer: Response) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        match answer.chunk().await {
            Ok(Some(chunk)) if body.len() + chunk.len() <= ANSWER_BYTES_MAX => body.extend_from_slice(&chunk),
            Ok(None) => return body,
            Ok(Some(_)) | Err(_) => return Vec::new(),
        }
    }
}

fn read_payment(body: &[u8]) -> Option<ProviderOutcome> {
    let payment: Payment = serde_json::from_slice(body).ok()?;
    Some(match payment.outcome {
        Outcome::Approved => ProviderOutcome::Approved(payment.id),
        Outcome::Declined => ProviderOutcome::Declined(
            payment
                .decline_code
                .as_deref()
                .map_or(DeclineCode::GenericDecline, DeclineCode::from_code),
        ),
    })
}

fn read_refusal(body: &[u8]) -> Option<String> {
    serde_json::from_slice::<Refusal>(body)
        .ok()
        .map(|refusal| refusal.error.code)
}
