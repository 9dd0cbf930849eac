//! `GET /v1/disputes?since=MS`: how disputes began and ended since a time, the oldest change first.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use protocol::{DisputeStatus, ProviderDispute};
use providers::DisputeChange;
use serde::{Deserialize, Serialize};

use super::ledger::Entry;
use super::routes::Simulator;
use super::scenarios::{DISPUTE_AFTER_MS, DISPUTE_MS};

/// The dispute that a card provokes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedDispute {
    /// The shopper's reason.
    pub reason: String,
    /// How it ends.
    pub ends: DisputeStatus,
}

#[derive(Deserialize)]
pub(super) struct Since {
    /// Unix milliseconds.
    since: i64,
}

pub(super) async fn changes(
    State(simulator): State<Arc<Simulator>>,
    query: Result<Query<Since>, QueryRejection>,
) -> Response {
    let Ok(Query(Since { since })) = query else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let now_ms = simulator.clock.now_ms();
    let disputed = simulator
        .ledger
        .entries_where(|entry| entry.asked.dispute.is_some());
    let mut changes: Vec<DisputeChange> = disputed
        .iter()
        .filter_map(|entry| changes_of(&simulator, entry))
        .flatten()
        .filter(|change| (since..=now_ms).contains(&change.at))
        .collect();
    changes.sort_by_key(|change| change.at);
    Json(changes).into_response()
}

/// How the dispute of a payment begins and ends. Money that was not taken by then is not disputed.
fn changes_of(simulator: &Simulator, entry: &Entry) -> Option<[DisputeChange; 2]> {
    let plan = entry.asked.dispute.as_ref()?;
    let paid: jiff::Timestamp = entry.at.parse().ok()?;
    let begins = paid.as_millisecond() + DISPUTE_AFTER_MS;
    let ends = begins + DISPUTE_MS;
    let captured = simulator
        .operations
        .money(entry, begins)
        .captured_text(&entry.asked.amount_currency);
    rules::amount::parse(&captured, &entry.asked.amount_currency).ok()?;
    let change = |at, status| DisputeChange {
        at,
        provider_key: entry.asked.idempotency_key.clone(),
        dispute: ProviderDispute {
            reference: format!("sim_dp_{}", entry.asked.idempotency_key),
            status,
            amount_value: captured.clone(),
            amount_currency: entry.asked.amount_currency.clone(),
            reason: Some(plan.reason.clone()),
            respond_before: Some(ends),
        },
    };
    Some([change(begins, DisputeStatus::Open), change(ends, plan.ends)])
}
