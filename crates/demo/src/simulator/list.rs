//! `GET /v1/payments?since=MS&from=N`: the simulator's payments since a time, as a provider lists them, page by page.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use providers::simulator::payment::{ListedEntry, PaymentPage};
use serde::Deserialize;

use super::routes::Simulator;

/// How many ledger entries a page covers.
const ENTRIES_PER_PAGE: usize = 1_000;

#[derive(Debug, Deserialize)]
pub(super) struct ListQuery {
    /// Unix milliseconds.
    since: i64,
    /// The place in the ledger where the page begins.
    #[serde(default)]
    from: usize,
}

pub(super) async fn payments(
    State(simulator): State<Arc<Simulator>>,
    query: Result<Query<ListQuery>, QueryRejection>,
) -> Response {
    match query {
        Ok(Query(query)) => Json(page(&simulator, &query)).into_response(),
        Err(_) => StatusCode::BAD_REQUEST.into_response(),
    }
}

/// The last page has the payments that wait for their shoppers, however old they are.
fn page(simulator: &Simulator, query: &ListQuery) -> PaymentPage {
    let entries = simulator.ledger.entries();
    let end = query.from.saturating_add(ENTRIES_PER_PAGE).min(entries.len());
    let page = entries.get(query.from..end).unwrap_or_default();
    let mut payments: Vec<ListedEntry> = page
        .iter()
        .filter_map(|entry| {
            let at: jiff::Timestamp = entry.at.parse().ok()?;
            Some(ListedEntry {
                idempotency_key: entry.idempotency_key.clone(),
                charge_id: entry.charge_id.clone(),
                amount_value: entry.amount_value.clone(),
                amount_currency: entry.amount_currency.clone(),
                description: entry.description.clone(),
                at: at.as_millisecond(),
                payment: simulator.payment(entry.clone()),
            })
        })
        .filter(|entry| entry.at >= query.since)
        .collect();
    let is_last = end == entries.len();
    if is_last {
        let has_ended = |key: &str| simulator.ledger.find(key).is_some();
        let waiting = simulator
            .challenges
            .entries_where(|challenge| !has_ended(&challenge.idempotency_key));
        payments.extend(waiting.into_iter().map(|challenge| ListedEntry {
            payment: simulator.pending(&challenge),
            idempotency_key: challenge.idempotency_key,
            charge_id: challenge.charge_id,
            amount_value: challenge.amount_value,
            amount_currency: challenge.amount_currency,
            description: challenge.description,
            at: simulator.clock.now_ms(),
        }));
    }
    PaymentPage {
        payments,
        next: (!is_last).then_some(end),
    }
}
