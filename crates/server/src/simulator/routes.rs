//! The simulator's own URLs: `POST /v1/payments`, `GET /v1/payments/{idempotency_key}`, `GET /ledger`.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Serialize;

use super::cards::outcome_of;
use super::ledger::{Entry, Ledger};
use super::payment::{NOT_FOUND, Outcome, Payment, PaymentRequest, REJECTED, Refusal, RefusalDetail};
use crate::clock::{Clock, rfc3339};
use crate::json_body::{BODY_BYTES_MAX, JsonBody};

/// The longest idempotency key.
const KEY_BYTES_MAX: usize = 255;

/// A simulator: its ledger, and how slowly it answers.
#[derive(Debug)]
pub struct Simulator {
    /// What it took.
    pub ledger: Ledger,
    /// How long it takes to answer. The entry is in the ledger before, as a provider's is when its answer gets lost.
    pub latency: Duration,
    /// The time of entries.
    pub clock: Clock,
}

/// The simulator's URLs, to be mounted anywhere.
pub fn router(simulator: Arc<Simulator>) -> Router {
    Router::new()
        .route("/v1/payments", post(pay))
        .route("/v1/payments/{idempotency_key}", get(find))
        .route("/ledger", get(entries))
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .with_state(simulator)
}

async fn pay(
    State(simulator): State<Arc<Simulator>>,
    headers: HeaderMap,
    body: Result<JsonBody<PaymentRequest>, crate::api_error::ApiError>,
) -> Response {
    let key = headers
        .get("idempotency-key")
        .and_then(|value| value.to_str().ok())
        .filter(|key| (1..=KEY_BYTES_MAX).contains(&key.len()));
    let (Some(key), Ok(JsonBody(request))) = (key, body) else {
        return refuse(StatusCode::BAD_REQUEST, REJECTED);
    };
    let (outcome, decline) = outcome_of(request.card.number.expose());
    let recorded = simulator.ledger.entry(key, || Entry {
        idempotency_key: key.to_owned(),
        charge_id: request.charge_id,
        amount_value: request.amount_value,
        amount_currency: request.amount_currency,
        outcome,
        at: rfc3339(simulator.clock.now_ms()),
        decline_code: decline.map(|code| code.as_str().to_owned()),
    });
    match recorded {
        Ok(entry) => {
            tokio::time::sleep(simulator.latency).await;
            Json(payment(entry)).into_response()
        }
        Err(cause) => {
            tracing::error!(%cause, "the simulator could not record a payment");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

async fn find(State(simulator): State<Arc<Simulator>>, Path(key): Path<String>) -> Response {
    match simulator.ledger.find(&key) {
        Some(entry) => Json(payment(entry)).into_response(),
        None => refuse(StatusCode::NOT_FOUND, NOT_FOUND),
    }
}

/// An entry as `GET /ledger` shows it (DESIGN.md §2).
#[derive(Serialize)]
struct LedgerLine {
    idempotency_key: String,
    charge_id: String,
    amount_value: String,
    amount_currency: String,
    outcome: Outcome,
    at: String,
}

async fn entries(State(simulator): State<Arc<Simulator>>) -> Json<Vec<LedgerLine>> {
    let entries = simulator.ledger.entries().into_iter();
    Json(
        entries
            .map(|entry| LedgerLine {
                idempotency_key: entry.idempotency_key,
                charge_id: entry.charge_id,
                amount_value: entry.amount_value,
                amount_currency: entry.amount_currency,
                outcome: entry.outcome,
                at: entry.at,
            })
            .collect(),
    )
}

fn payment(entry: Entry) -> Payment {
    Payment {
        id: format!("sim_{}", entry.idempotency_key),
        outcome: entry.outcome,
        decline_code: entry.decline_code,
    }
}

fn refuse(status: StatusCode, code: &str) -> Response {
    let error = RefusalDetail {
        code: code.to_owned(),
    };
    (status, Json(Refusal { error })).into_response()
}
