//! Refunds, captures and releases at the simulator, and the state of a hold.

use std::time::Duration;

use http::header::CONTENT_TYPE;
use http::{Method, StatusCode};
use protocol::{Hold, OperationKind};

use super::payment::{
    HoldState, NOT_FOUND, OPERATION_NOT_FOUND, Operation, OperationRequest, Payment, PaymentOutcome,
    REJECTED, SimulatedStatus,
};
use super::{PAYMENTS, SimulatorConnector, read_refusal};
use crate::http_client::HttpAnswer;
use crate::{HoldLookup, OperationLookup, OperationOutcome, ProviderOperation};

impl SimulatorConnector {
    pub(super) async fn send_operation(
        &self,
        operation: ProviderOperation<'_>,
        timeout: Duration,
    ) -> OperationOutcome {
        let what = match operation.kind {
            OperationKind::Refund => "refunds",
            OperationKind::Capture => "capture",
            OperationKind::Release => "release",
        };
        let body = OperationRequest {
            id: operation.id.to_owned(),
            amount_value: operation.amount_value.to_owned(),
            amount_currency: operation.amount_currency.to_owned(),
            reason: operation.reason.map(str::to_owned),
        };
        let path = format!("{PAYMENTS}/{}/{what}", operation.payment.idempotency_key);
        let (Ok(address), Ok(body)) = (self.client.address(&path), serde_json::to_vec(&body)) else {
            return OperationOutcome::Unknown;
        };
        let request = self
            .client
            .request(Method::POST, address)
            .header("idempotency-key", operation.idempotency_key)
            .header(CONTENT_TYPE, "application/json");
        let sent = self.client.send(request, body.into(), timeout).await;
        let Some(HttpAnswer { status, body, .. }) = sent else {
            return OperationOutcome::Unknown;
        };
        let refusal = read_refusal(&body);
        match (status, refusal.as_deref()) {
            (StatusCode::OK, _) => read_operation(&body).unwrap_or(OperationOutcome::Unknown),
            // As with a payment, only a refusal in the simulator's own format is certain.
            (StatusCode::BAD_REQUEST, Some(REJECTED)) => {
                tracing::error!("the provider does not understand our requests");
                OperationOutcome::failed(REJECTED)
            }
            (StatusCode::NOT_FOUND, Some(NOT_FOUND)) => OperationOutcome::failed(NOT_FOUND),
            (other, _) => {
                tracing::warn!(status = other.as_u16(), "the provider's answer is not understood");
                OperationOutcome::Unknown
            }
        }
    }

    pub(super) async fn find_operation(&self, key: &str, timeout: Duration) -> OperationLookup {
        let answer = self.get(&format!("/v1/operations/{key}"), timeout).await;
        let Some(HttpAnswer { status, body, .. }) = answer else {
            return OperationLookup::Unreachable;
        };
        match status {
            StatusCode::OK => {
                read_operation(&body).map_or(OperationLookup::Unreachable, OperationLookup::Known)
            }
            StatusCode::NOT_FOUND if read_refusal(&body).as_deref() == Some(OPERATION_NOT_FOUND) => {
                OperationLookup::NeverReceived
            }
            _ => OperationLookup::Unreachable,
        }
    }

    pub(super) async fn find_hold(&self, payment_key: &str, timeout: Duration) -> HoldLookup {
        let answer = self.get(&format!("{PAYMENTS}/{payment_key}"), timeout).await;
        answer
            .filter(|answer| answer.status == StatusCode::OK)
            .and_then(|answer| hold_of(serde_json::from_slice(&answer.body).ok()?))
            .unwrap_or(HoldLookup::Unreachable)
    }
}

fn read_operation(body: &[u8]) -> Option<OperationOutcome> {
    let operation: Operation = serde_json::from_slice(body).ok()?;
    let reference = Some(operation.reference);
    Some(match operation.status {
        SimulatedStatus::Pending => OperationOutcome::Pending(reference),
        SimulatedStatus::Succeeded => OperationOutcome::Succeeded(reference),
        SimulatedStatus::Failed => OperationOutcome::Failed {
            code: operation.failure_code?,
            reference,
        },
    })
}

/// The hold of a payment; `None` if the payment is not made yet, or if a part is missing.
fn hold_of(payment: Payment) -> Option<HoldLookup> {
    match (payment.outcome, payment.hold_state) {
        (PaymentOutcome::Authorized, Some(HoldState::Held)) => Some(HoldLookup::Held(Hold {
            ends_at: payment.hold_ends_at,
        })),
        (PaymentOutcome::Approved, _) | (PaymentOutcome::Authorized, Some(HoldState::Captured)) => {
            payment.amount_captured.map(HoldLookup::Captured)
        }
        (PaymentOutcome::Authorized, Some(HoldState::Released | HoldState::Ended))
        | (PaymentOutcome::Declined, _) => Some(HoldLookup::Ended),
        (PaymentOutcome::Authorized, None) | (PaymentOutcome::Pending, _) => None,
    }
}
