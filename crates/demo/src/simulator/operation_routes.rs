//! `POST /v1/payments/{idempotency_key}/capture`, `…/release` and `…/refunds`, `GET /v1/operations/{idempotency_key}`, and
//! `GET /operations`.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use protocol::OperationKind;
use providers::simulator::payment::{
    AskedOperation, NOT_FOUND, OPERATION_NOT_FOUND, Operation, OperationRequest, REJECTED,
};

use super::operations::OperationEntry;
use super::routes::{Simulator, key_of, ledger_failed, refuse};
use web::{ApiError, JsonBody};

type OperationBody = Result<JsonBody<OperationRequest>, ApiError>;

pub(super) async fn capture(
    State(simulator): State<Arc<Simulator>>,
    Path(payment): Path<String>,
    headers: HeaderMap,
    body: OperationBody,
) -> Response {
    operate(&simulator, OperationKind::Capture, payment, &headers, body).await
}

pub(super) async fn release(
    State(simulator): State<Arc<Simulator>>,
    Path(payment): Path<String>,
    headers: HeaderMap,
    body: OperationBody,
) -> Response {
    operate(&simulator, OperationKind::Release, payment, &headers, body).await
}

pub(super) async fn refund(
    State(simulator): State<Arc<Simulator>>,
    Path(payment): Path<String>,
    headers: HeaderMap,
    body: OperationBody,
) -> Response {
    operate(&simulator, OperationKind::Refund, payment, &headers, body).await
}

/// Records an operation before it answers. An operation that the payment does not allow is recorded as failed. A request
/// with an unusable key or amount is not recorded.
async fn operate(
    simulator: &Simulator,
    kind: OperationKind,
    payment_key: String,
    headers: &HeaderMap,
    body: OperationBody,
) -> Response {
    let (Some(key), Ok(JsonBody(request))) = (key_of(headers), body) else {
        return refuse(StatusCode::BAD_REQUEST, REJECTED);
    };
    let found = simulator.ledger.find(&payment_key);
    let Some(payment) = found.filter(|entry| !entry.prevented) else {
        return refuse(StatusCode::NOT_FOUND, NOT_FOUND);
    };
    let is_amount = rules::amount::parse(&request.amount_value, &request.amount_currency).is_ok()
        && request.amount_currency == payment.asked.amount_currency;
    // All of a hold is released, whatever the amount.
    if !is_amount && kind != OperationKind::Release {
        return refuse(StatusCode::BAD_REQUEST, REJECTED);
    }
    let operation = OperationEntry {
        asked: AskedOperation {
            idempotency_key: key.to_owned(),
            id: request.id,
            kind,
            payment_key,
            charge_id: payment.asked.charge_id.clone(),
            amount_value: request.amount_value,
            amount_currency: request.amount_currency,
            reason: request.reason,
        },
        at: simulator.clock.now_ms(),
        refused: None,
    };
    match simulator.operations.add(&payment, operation) {
        Ok(entry) if entry.asked.kind != kind || entry.asked.payment_key != payment.asked.idempotency_key => {
            refuse(StatusCode::BAD_REQUEST, REJECTED)
        }
        Ok(entry) => {
            simulator.delay().await;
            Json(entry.at(simulator.clock.now_ms())).into_response()
        }
        Err(cause) => ledger_failed(&cause),
    }
}

/// `GET /v1/operations/{idempotency_key}`.
pub(super) async fn find(State(simulator): State<Arc<Simulator>>, Path(key): Path<String>) -> Response {
    match simulator.operations.find(&key) {
        Some(entry) => Json(entry.at(simulator.clock.now_ms())).into_response(),
        None => refuse(StatusCode::NOT_FOUND, OPERATION_NOT_FOUND),
    }
}

/// `GET /operations`: every operation in its present state, oldest first.
pub(super) async fn entries(State(simulator): State<Arc<Simulator>>) -> Json<Vec<Operation>> {
    let now_ms = simulator.clock.now_ms();
    let entries = simulator.operations.entries();
    Json(entries.iter().map(|entry| entry.at(now_ms)).collect())
}
