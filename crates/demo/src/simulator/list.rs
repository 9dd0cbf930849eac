//! `GET /v1/payments?since=MS&from=N`: the simulator's payments since a time, as a provider lists them, page by page.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use providers::simulator::payment::{ListedEntry, Payment, PaymentPage};
use serde::Deserialize;

use super::ledger::AskedPayment;
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
            let payment = simulator.payment(entry.clone());
            Some(listed(&entry.asked, at.as_millisecond(), payment))
        })
        .filter(|entry| entry.at >= query.since)
        .collect();
    let is_last = end == entries.len();
    if is_last {
        let has_ended = |key: &str| simulator.ledger.find(key).is_some();
        let waiting = simulator
            .challenges
            .entries_where(|challenge| !has_ended(&challenge.asked.idempotency_key));
        let now_ms = simulator.clock.now_ms();
        payments.extend(
            waiting
                .iter()
                .map(|challenge| listed(&challenge.asked, now_ms, simulator.pending(challenge))),
        );
    }
    PaymentPage {
        payments,
        next: (!is_last).then_some(end),
    }
}

fn listed(asked: &AskedPayment, at: i64, payment: Payment) -> ListedEntry {
    let asked = asked.clone();
    ListedEntry {
        idempotency_key: asked.idempotency_key,
        charge_id: asked.charge_id,
        amount_value: asked.amount_value,
        amount_currency: asked.amount_currency,
        description: asked.description,
        at,
        payment,
    }
}
