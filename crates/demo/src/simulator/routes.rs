//! The simulator's own URLs: `POST` and `GET /v1/payments`, `GET /v1/payments/{idempotency_key}` and its cancellation,
//! `GET /ledger`, and the map of all others: operations, and the pages for challenges and device data.

use std::path::Path as FilePath;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use protocol::clock::{Clock, rfc3339};
use protocol::{
    CaptureMethod, DeclineCode, MerchantPaymentReason, PaymentFacts, PaymentInitiator, SaveCardUsage,
};
use providers::simulator::payment::{
    Cancellation, ChallengePage, NOT_FOUND, Payment, PaymentOutcome, PaymentRefusal, PaymentRefusalDetail,
    PaymentRequest, REJECTED,
};
use rules::Brand;
use serde::Serialize;
use uuid::Uuid;

use super::cards::{TestCard, card_with, network_code};
use super::challenges::{CHALLENGES_FILE, Challenge, Challenges};
use super::device_data::Sessions;
use super::journal::JournalError;
use super::ledger::{AskedPayment, Entry, LEDGER_FILE, Ledger};
use super::operations::{OPERATIONS_FILE, Operations};
use super::scenarios::HOLD_MS;
use super::{challenge_page, device_data, disputes, list, operation_routes, pages};
use web::{ApiError, BODY_BYTES_MAX, JsonBody};

/// The longest idempotency key, in bytes.
const KEY_BYTES_MAX: usize = 255;

/// A simulator with its ledger and its waiting payments.
#[derive(Debug)]
pub struct Simulator {
    /// The payments that ended.
    pub ledger: Ledger,
    /// The payments that wait for their shoppers.
    pub challenges: Challenges,
    /// The refunds, captures and releases.
    pub operations: Operations,
    /// The device data that was collected.
    pub device_data: Sessions,
    /// How long it waits before it answers a payment or an operation. Meanwhile both are recorded, as with a provider whose
    /// answer is lost.
    pub latency: Duration,
    /// The clock for the times of entries.
    pub clock: Clock,
    /// The address at which shoppers' browsers reach its pages, without a slash at the end.
    pub public_url: String,
}

impl Simulator {
    /// A simulator with its files in `data`, or only in memory.
    pub fn open(
        data: Option<&FilePath>,
        latency: Duration,
        clock: Clock,
        public_url: String,
    ) -> Result<Self, JournalError> {
        let (ledger, challenges, operations) = match data {
            Some(data) => (
                Ledger::open(&data.join(LEDGER_FILE))?,
                Challenges::open(&data.join(CHALLENGES_FILE))?,
                Operations::open(&data.join(OPERATIONS_FILE))?,
            ),
            None => (
                Ledger::in_memory(),
                Challenges::in_memory(),
                Operations::in_memory(),
            ),
        };
        Ok(Self {
            ledger,
            challenges,
            operations,
            device_data: Sessions::default(),
            latency,
            clock,
            public_url,
        })
    }

    /// Ends a waiting payment: declined with the code `decline`, or accepted if it is `None`. A payment that has ended
    /// already does not change.
    pub(super) fn finish(
        &self,
        challenge: Challenge,
        decline: Option<String>,
    ) -> Result<Entry, JournalError> {
        let mut asked = challenge.asked;
        let key = asked.idempotency_key.clone();
        let now_ms = self.clock.now_ms();
        let outcome = match (&decline, challenge.capture) {
            (Some(_), _) => PaymentOutcome::Declined,
            (None, CaptureMethod::Automatic) => PaymentOutcome::Approved,
            (None, CaptureMethod::Manual) => PaymentOutcome::Authorized,
        };
        if let Some(code) = &decline {
            asked.facts = declined_facts(asked.facts, code);
            asked.dispute = None;
        }
        self.ledger.entry(&key, || Entry {
            asked,
            outcome,
            at: rfc3339(now_ms),
            decline_code: decline,
            prevented: false,
            hold_ends_at: (outcome == PaymentOutcome::Authorized).then_some(now_ms + HOLD_MS),
        })
    }

    /// Declines a later payment with this key. A payment that has ended does not change.
    fn prevent(&self, key: &str, reason: String) -> Result<Entry, JournalError> {
        self.ledger.entry(key, || Entry {
            asked: AskedPayment {
                idempotency_key: key.to_owned(),
                ..AskedPayment::default()
            },
            outcome: PaymentOutcome::Declined,
            at: rfc3339(self.clock.now_ms()),
            decline_code: Some(reason),
            prevented: true,
            hold_ends_at: None,
        })
    }

    /// The payment with this key, if there is one.
    fn find(&self, key: &str) -> Option<Payment> {
        let ended = self.ledger.find(key).map(|entry| self.payment(entry));
        ended.or_else(|| {
            self.challenges
                .find(key)
                .map(|challenge| self.pending(&challenge))
        })
    }

    /// Takes the payment, or begins a challenge for it. The same key gets the same answer.
    fn take(&self, key: &str, request: PaymentRequest) -> Result<Payment, JournalError> {
        if let Some(known) = self.find(key) {
            return Ok(known);
        }
        if let Some(session) = &request.three_ds.device_session_id {
            self.device_data.paid(session, key);
        }
        let card = card_with(request.card.number.expose());
        // Without the shopper, no challenge can be passed.
        let is_shopper_there = request.merchant_initiated.is_none();
        let is_challenged = is_shopper_there && card.wants_challenge(&request.three_ds);
        let decline = if !is_shopper_there && (card.challenge || card.soft_decline) {
            Some(DeclineCode::AuthenticationRequired)
        } else if request.merchant_initiated.is_some() {
            card.decline.or(card.declined_later)
        } else {
            card.decline
        };
        let decline_code = decline.map(|code| code.as_str().to_owned());
        let window = request.three_ds.challenge_window;
        let challenge = Challenge {
            token: Uuid::new_v4().simple().to_string(),
            width: window.width,
            height: window.height,
            decline_code: decline_code.clone(),
            capture: request.capture,
            asked: AskedPayment {
                idempotency_key: key.to_owned(),
                dispute: card.planned_dispute(),
                facts: facts_of(card, &request, is_challenged),
                charge_id: request.charge_id,
                amount_value: request.amount_value,
                amount_currency: request.amount_currency,
                description: request.description,
                setup_future_usage: request.setup_future_usage,
                merchant_initiated: request.merchant_initiated,
            },
            return_url: request.three_ds.return_url,
        };
        if is_challenged {
            let begun = self.challenges.entry(key, || challenge)?;
            return Ok(self.pending(&begun));
        }
        let ended = self.finish(challenge, decline_code)?;
        Ok(self.payment(ended))
    }

    pub(super) fn pending(&self, challenge: &Challenge) -> Payment {
        Payment {
            id: format!("sim_{}", challenge.asked.idempotency_key),
            outcome: PaymentOutcome::Pending,
            decline_code: None,
            challenge: Some(ChallengePage {
                url: format!("{}/challenge/{}", self.public_url, challenge.token),
                width: challenge.width,
                height: challenge.height,
            }),
            facts: challenge.asked.facts.clone(),
            hold_state: None,
            hold_ends_at: None,
            amount_captured: None,
        }
    }

    /// The payment of an entry, in its present state.
    pub(super) fn payment(&self, entry: Entry) -> Payment {
        let money = self.operations.money(&entry, self.clock.now_ms());
        Payment {
            id: format!("sim_{}", entry.asked.idempotency_key),
            outcome: entry.outcome,
            challenge: None,
            hold_state: money.hold,
            hold_ends_at: entry.hold_ends_at,
            amount_captured: (entry.outcome != PaymentOutcome::Declined)
                .then(|| money.captured_text(&entry.asked.amount_currency)),
            decline_code: entry.decline_code,
            facts: entry.asked.facts,
        }
    }

    /// Waits for the simulator's latency.
    pub(super) async fn delay(&self) {
        // Even a timer without a duration takes until the next whole millisecond.
        if !self.latency.is_zero() {
            tokio::time::sleep(self.latency).await;
        }
    }
}

/// What is told of a new payment. Without the shopper there is no security code and no 3-D Secure.
fn facts_of(card: &TestCard, request: &PaymentRequest, is_challenged: bool) -> PaymentFacts {
    let zip_code = request.billing.zip_code.as_deref().unwrap_or_default();
    let mut facts = card.facts(!zip_code.is_empty(), is_challenged);
    let network = request
        .card
        .network
        .or_else(|| Brand::detect(request.card.number.expose()));
    facts.network = network.map(|network| network.name().to_owned());
    if request.three_ds.exemption.is_some() && !is_challenged {
        facts.three_ds_outcome = Some("exempted".to_owned());
        facts.three_ds_flow = None;
    }
    if request.merchant_initiated.is_some() {
        facts.security_code_check = Some("unchecked".to_owned());
        facts.three_ds_outcome = None;
        facts.three_ds_flow = None;
    }
    facts
}

/// What is told of a declined payment: no card network accepted it, so it has no id there and no result of a challenge.
fn declined_facts(facts: PaymentFacts, decline: &str) -> PaymentFacts {
    PaymentFacts {
        network_transaction_id: None,
        three_ds_outcome: None,
        three_ds_flow: None,
        network_code: network_code(DeclineCode::from_code(decline)).map(str::to_owned),
        ..facts
    }
}

/// The simulator's routes, which can be mounted at any path.
pub fn router(simulator: Arc<Simulator>) -> Router {
    Router::new()
        .route("/v1/payments", post(pay).get(list::payments))
        .route("/v1/payments/{idempotency_key}", get(find))
        .route("/v1/payments/{idempotency_key}/cancel", post(cancel))
        .route(
            "/v1/payments/{idempotency_key}/capture",
            post(operation_routes::capture),
        )
        .route(
            "/v1/payments/{idempotency_key}/release",
            post(operation_routes::release),
        )
        .route(
            "/v1/payments/{idempotency_key}/refunds",
            post(operation_routes::refund),
        )
        .route("/v1/operations/{idempotency_key}", get(operation_routes::find))
        .route("/v1/disputes", get(disputes::changes))
        .route("/ledger", get(entries))
        .route("/operations", get(operation_routes::entries))
        .route("/v1/device-data", post(device_data::begin))
        .route("/device-data", get(device_data::sessions))
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .with_state(Arc::clone(&simulator))
        .merge(pages_router(simulator))
}

/// The routes that shoppers' browsers reach. Nothing here takes a payment.
pub fn pages_router(simulator: Arc<Simulator>) -> Router {
    Router::new()
        .route(
            "/challenge/{token}",
            get(challenge_page::show).post(challenge_page::answer),
        )
        .route("/device-data/collect", post(device_data::collect))
        .route("/pages/{file}", get(pages::page_file))
        .route("/fraud/{site_id}/script.js", get(pages::fraud_script))
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .with_state(simulator)
}

async fn pay(
    State(simulator): State<Arc<Simulator>>,
    headers: HeaderMap,
    body: Result<JsonBody<PaymentRequest>, ApiError>,
) -> Response {
    let (Some(key), Ok(JsonBody(request))) = (key_of(&headers), body) else {
        return refuse(StatusCode::BAD_REQUEST, REJECTED);
    };
    match simulator.take(key, request) {
        Ok(payment) => {
            simulator.delay().await;
            Json(payment).into_response()
        }
        Err(cause) => ledger_failed(&cause),
    }
}

/// The idempotency key of a request.
pub(super) fn key_of(headers: &HeaderMap) -> Option<&str> {
    let key = headers.get("idempotency-key")?.to_str().ok()?;
    (1..=KEY_BYTES_MAX).contains(&key.len()).then_some(key)
}

async fn find(State(simulator): State<Arc<Simulator>>, Path(key): Path<String>) -> Response {
    let is_prevented = simulator.ledger.find(&key).is_some_and(|entry| entry.prevented);
    match simulator.find(&key).filter(|_| !is_prevented) {
        Some(payment) => Json(payment).into_response(),
        None => refuse(StatusCode::NOT_FOUND, NOT_FOUND),
    }
}

/// Cancels a payment that waits for its shopper, or prevents one that has not been asked for. A payment that has ended
/// does not change.
async fn cancel(
    State(simulator): State<Arc<Simulator>>,
    Path(key): Path<String>,
    body: Result<JsonBody<Cancellation>, ApiError>,
) -> Response {
    let Ok(JsonBody(Cancellation { reason })) = body else {
        return refuse(StatusCode::BAD_REQUEST, REJECTED);
    };
    if key.len() > KEY_BYTES_MAX {
        return refuse(StatusCode::BAD_REQUEST, REJECTED);
    }
    let canceled = match simulator.challenges.find(&key) {
        Some(challenge) => simulator.finish(challenge, Some(reason)),
        None => simulator.prevent(&key, reason),
    };
    match canceled {
        Ok(entry) if entry.prevented => refuse(StatusCode::NOT_FOUND, NOT_FOUND),
        Ok(entry) => Json(simulator.payment(entry)).into_response(),
        Err(cause) => ledger_failed(&cause),
    }
}

pub(super) fn ledger_failed(cause: &JournalError) -> Response {
    tracing::error!(%cause, "the simulator could not record a payment");
    StatusCode::INTERNAL_SERVER_ERROR.into_response()
}

/// An entry as in `GET /ledger` (docs/providers.md#the-simulator).
#[derive(Serialize)]
struct LedgerLine {
    idempotency_key: String,
    charge_id: String,
    amount_value: String,
    amount_currency: String,
    outcome: PaymentOutcome,
    at: String,
    amount_captured: String,
    /// What is still held.
    amount_capturable: String,
    /// Pending refunds are in it.
    amount_refunded: String,
    /// The card network; absent if it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    network: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    setup_future_usage: Option<SaveCardUsage>,
    /// `merchant`, if the merchant paid without the shopper. The next two are only in such a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    initiated_by: Option<PaymentInitiator>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<MerchantPaymentReason>,
    /// The card network's id of the payment at which the shopper agreed.
    #[serde(skip_serializing_if = "Option::is_none")]
    network_transaction_id: Option<String>,
}

async fn entries(State(simulator): State<Arc<Simulator>>) -> Json<Vec<LedgerLine>> {
    let now_ms = simulator.clock.now_ms();
    let line = |entry: Entry| {
        let money = simulator.operations.money(&entry, now_ms);
        let asked = entry.asked;
        LedgerLine {
            amount_captured: money.captured_text(&asked.amount_currency),
            amount_capturable: money.capturable_text(&asked.amount_currency),
            amount_refunded: money.refunded_text(&asked.amount_currency),
            idempotency_key: asked.idempotency_key,
            charge_id: asked.charge_id,
            amount_value: asked.amount_value,
            amount_currency: asked.amount_currency,
            outcome: entry.outcome,
            at: entry.at,
            network: asked.facts.network,
            setup_future_usage: asked.setup_future_usage,
            initiated_by: asked
                .merchant_initiated
                .as_ref()
                .map(|_| PaymentInitiator::Merchant),
            reason: asked.merchant_initiated.as_ref().map(|merchant| merchant.reason),
            network_transaction_id: asked
                .merchant_initiated
                .and_then(|merchant| merchant.network_transaction_id),
        }
    };
    Json(simulator.ledger.entries().into_iter().map(line).collect())
}

pub(super) fn refuse(status: StatusCode, code: &str) -> Response {
    let error = PaymentRefusalDetail {
        code: code.to_owned(),
    };
    (status, Json(PaymentRefusal { error })).into_response()
}

#[cfg(test)]
mod tests;
