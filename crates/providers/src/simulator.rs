//! The connector to the simulator: sends the requests and reads the answers.

mod list;
mod operations;
pub mod payment;

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{Method, StatusCode, Uri};
use protocol::{
    Approval, CaptureMethod, ChargeDescription, DeclineCode, DeclineReason, DeviceDataSession, Hold,
    ListedPayment, SaveCardUsage, ShopperAction,
};
use rules::Brand;
use serde::Serialize;
use serde_json::Value;
use url::Url;
use vault::SecurityCode;
use zeroize::Zeroizing;

use self::payment::{MerchantInitiated, NOT_FOUND, Payment, PaymentOutcome, PaymentRefusal, REJECTED};
use super::{
    Authentication, Billing, Connector, DisputeChange, GiveUpReason, HoldLookup, ListError, OperationLookup,
    OperationOutcome, PaymentLookup, PaymentRef, ProviderCharge, ProviderError, ProviderOperation,
    ProviderOutcome,
};
use crate::http_client::{HttpAnswer, HttpClient, KeepConnections};

/// The path of payments, below the simulator's URL.
const PAYMENTS: &str = "/v1/payments";
/// Most bodies have fewer bytes. A longer body is moved to more memory, and the old memory is zeroed like all freed
/// memory.
const USUAL_BODY_BYTES: usize = 1_024;

/// Calls the simulator over HTTP.
#[derive(Debug)]
pub struct SimulatorConnector {
    client: HttpClient,
    payments: Uri,
    device_data: Uri,
    /// The origin of the simulator's pages.
    page_origin: String,
}

/// The only place where a card number is serialized for the provider.
#[derive(Serialize)]
struct OutgoingPayment<'a> {
    charge_id: &'a str,
    amount_value: &'a str,
    amount_currency: &'a str,
    description: &'a ChargeDescription,
    card: OutgoingCard<'a>,
    three_ds: &'a Authentication,
    capture: CaptureMethod,
    statement_descriptor: Option<&'a str>,
    billing: &'a Billing,
    setup_future_usage: Option<SaveCardUsage>,
    merchant_initiated: Option<MerchantInitiated>,
}

#[derive(Serialize)]
struct OutgoingCard<'a> {
    number: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    security_code: Option<&'a str>,
    expiration_month: u8,
    expiration_year: u16,
    holder_name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    network: Option<Brand>,
}

impl SimulatorConnector {
    /// A connector to the simulator at `url`. Shoppers open its pages at `public_url`.
    pub fn new(url: &Url, public_url: &Url) -> Result<Self, ProviderError> {
        let client = HttpClient::new(url, KeepConnections::Yes)?;
        Ok(Self {
            payments: client.address(PAYMENTS)?,
            device_data: client.address("/v1/device-data")?,
            client,
            page_origin: public_url.origin().ascii_serialization(),
        })
    }

    async fn give_up_for(
        &self,
        payment: PaymentRef<'_>,
        reason: DeclineCode,
        timeout: Duration,
    ) -> PaymentLookup {
        let body = serde_json::json!({ "reason": reason.as_str() });
        let path = format!("{PAYMENTS}/{}/cancel", payment.idempotency_key);
        match self.client.address(&path) {
            Ok(address) => looked_up(self.post_json(address, &body, timeout).await),
            Err(_) => PaymentLookup::Unreachable,
        }
    }

    async fn get(&self, path: &str, timeout: Duration) -> Option<HttpAnswer> {
        let address = self.client.address(path).ok()?;
        let request = self.client.request(Method::GET, address);
        self.client.send(request, Bytes::new(), timeout).await
    }

    async fn post_json(&self, address: Uri, body: &Value, timeout: Duration) -> Option<HttpAnswer> {
        let request = self.client.request(Method::POST, address);
        let request = request.header(CONTENT_TYPE, "application/json");
        self.client.send(request, body.to_string().into(), timeout).await
    }
}

#[async_trait]
impl Connector for SimulatorConnector {
    fn key_prefix(&self) -> &'static str {
        ""
    }

    fn holds(&self) -> bool {
        true
    }

    fn takes_exemptions(&self) -> bool {
        true
    }

    fn challenge_sources(&self) -> &str {
        &self.page_origin
    }

    fn device_data_origin(&self) -> Option<&str> {
        Some(&self.page_origin)
    }

    async fn device_data(&self, charge_id: &str, timeout: Duration) -> Option<DeviceDataSession> {
        let body = serde_json::json!({ "charge_id": charge_id });
        let answer = self.post_json(self.device_data.clone(), &body, timeout).await?;
        let is_ok = answer.status == StatusCode::OK;
        let session = serde_json::from_slice(&answer.body).ok().filter(|_| is_ok);
        // The page's policy allows posts only to this origin, so any other address would fail.
        session.filter(|session: &DeviceDataSession| {
            let url = session.url.as_deref().and_then(|url| Url::parse(url).ok());
            session.jwt.is_some()
                && url.is_some_and(|url| url.origin().ascii_serialization() == self.page_origin)
        })
    }

    async fn charge(
        &self,
        charge: &ProviderCharge,
        _reference: Option<&str>,
        timeout: Duration,
    ) -> ProviderOutcome {
        let Ok(body) = outgoing(charge) else {
            return ProviderOutcome::declined(DeclineCode::ProcessingError);
        };
        let request = self
            .client
            .request(Method::POST, self.payments.clone())
            .header("idempotency-key", &charge.idempotency_key)
            .header(CONTENT_TYPE, "application/json");
        let sent = self.client.send(request, body, timeout).await;
        let Some(HttpAnswer { status, body, .. }) = sent else {
            return ProviderOutcome::Unknown;
        };
        match status {
            StatusCode::OK => read_payment(&body).unwrap_or(ProviderOutcome::Unknown),
            // A proxy in between may send any answer. Only an answer in the provider's own format is a certain refusal.
            StatusCode::BAD_REQUEST if read_refusal(&body).as_deref() == Some(REJECTED) => {
                tracing::error!("the provider does not understand our requests");
                ProviderOutcome::declined(DeclineCode::ProcessingError)
            }
            other => {
                tracing::warn!(status = other.as_u16(), "the provider's answer is not understood");
                ProviderOutcome::Unknown
            }
        }
    }

    async fn lookup(&self, payment: PaymentRef<'_>, timeout: Duration) -> PaymentLookup {
        let path = format!("{PAYMENTS}/{}", payment.idempotency_key);
        looked_up(self.get(&path, timeout).await)
    }

    async fn prevent(&self, payment: PaymentRef<'_>, timeout: Duration) -> PaymentLookup {
        self.give_up_for(payment, DeclineCode::ProcessingError, timeout)
            .await
    }

    async fn give_up(&self, payment: PaymentRef<'_>, why: GiveUpReason, timeout: Duration) -> PaymentLookup {
        self.give_up_for(payment, why.decline(), timeout).await
    }

    async fn operate(&self, operation: ProviderOperation<'_>, timeout: Duration) -> OperationOutcome {
        self.send_operation(operation, timeout).await
    }

    async fn lookup_operation(&self, operation: ProviderOperation<'_>, timeout: Duration) -> OperationLookup {
        self.find_operation(operation.idempotency_key, timeout).await
    }

    async fn lookup_hold(&self, payment: PaymentRef<'_>, timeout: Duration) -> HoldLookup {
        self.find_hold(payment.idempotency_key, timeout).await
    }

    async fn payments_since(&self, since: i64, timeout: Duration) -> Result<Vec<ListedPayment>, ListError> {
        self.all_payments_since(since, timeout).await
    }

    fn lists_disputes(&self) -> bool {
        true
    }

    async fn disputes_since(&self, since: i64, timeout: Duration) -> Vec<DisputeChange> {
        let answer = self.get(&format!("/v1/disputes?since={since}"), timeout).await;
        answer
            .filter(|answer| answer.status == StatusCode::OK)
            .and_then(|answer| serde_json::from_slice(&answer.body).ok())
            .unwrap_or_default()
    }
}

fn looked_up(answer: Option<HttpAnswer>) -> PaymentLookup {
    let Some(HttpAnswer { status, body, .. }) = answer else {
        return PaymentLookup::Unreachable;
    };
    match status {
        StatusCode::OK => read_payment(&body).map_or(PaymentLookup::Unreachable, PaymentLookup::Known),
        StatusCode::NOT_FOUND if read_refusal(&body).as_deref() == Some(NOT_FOUND) => {
            PaymentLookup::NeverReceived
        }
        _ => PaymentLookup::Unreachable,
    }
}

/// The request's body, in memory that is zeroed after sending.
fn outgoing(charge: &ProviderCharge) -> Result<Bytes, serde_json::Error> {
    let payment = OutgoingPayment {
        charge_id: &charge.charge_id,
        amount_value: &charge.amount_value,
        amount_currency: &charge.amount_currency,
        description: &charge.description,
        card: OutgoingCard {
            number: charge.card.number.expose(),
            security_code: charge.card.security_code.as_ref().map(SecurityCode::expose),
            expiration_month: charge.card.expiration_month,
            expiration_year: charge.card.expiration_year,
            holder_name: &charge.card.holder_name,
            network: charge.card.network,
        },
        three_ds: &charge.authentication,
        capture: charge.capture,
        statement_descriptor: charge.statement_descriptor.as_deref(),
        billing: &charge.billing,
        setup_future_usage: charge.saved_for,
        merchant_initiated: charge.merchant.as_ref().map(|merchant| MerchantInitiated {
            reason: merchant.reason,
            network_transaction_id: merchant.network_transaction_id.clone(),
        }),
    };
    let mut body = Zeroizing::new(Vec::with_capacity(USUAL_BODY_BYTES));
    serde_json::to_writer(&mut *body, &payment)?;
    Ok(Bytes::from_owner(body))
}

fn read_payment(body: &[u8]) -> Option<ProviderOutcome> {
    outcome_of(serde_json::from_slice(body).ok()?)
}

fn outcome_of(payment: Payment) -> Option<ProviderOutcome> {
    Some(match payment.outcome {
        PaymentOutcome::Approved | PaymentOutcome::Authorized => ProviderOutcome::Approved(Approval {
            reference: payment.id,
            hold: (payment.outcome == PaymentOutcome::Authorized).then_some(Hold {
                ends_at: payment.hold_ends_at,
            }),
            facts: Box::new(payment.facts),
        }),
        PaymentOutcome::Pending => {
            let challenge = payment.challenge?;
            ProviderOutcome::ActionRequired(ShopperAction::Challenge {
                url: challenge.url,
                width: challenge.width,
                height: challenge.height,
            })
        }
        PaymentOutcome::Declined => ProviderOutcome::Declined(DeclineReason {
            code: payment
                .decline_code
                .as_deref()
                .map_or(DeclineCode::GenericDecline, DeclineCode::from_code),
            network_code: payment.facts.network_code,
        }),
    })
}

fn read_refusal(body: &[u8]) -> Option<String> {
    serde_json::from_slice::<PaymentRefusal>(body)
        .ok()
        .map(|refusal| refusal.error.code)
}

#[cfg(test)]
mod tests;
