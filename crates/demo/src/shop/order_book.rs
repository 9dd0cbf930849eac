//! The shop's orders, and the calls about each: the requests to the merchant API and the webhooks. The demo's developer
//! drawer shows the calls. Orders are kept only in memory, until the demo ends.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde_json::Value;

use super::products::Product;

/// How many orders are kept; beyond that the oldest is removed first.
const ORDERS_MAX: usize = 2_000;
/// How many calls are kept of an order; beyond that the oldest is removed first.
const CALLS_MAX: usize = 60;
/// Fields whose values are secret. Only their first characters are kept.
const SECRET_KEYS: [&str; 3] = ["client_secret", "payload", "url"];
/// How many characters are kept of a secret.
const SHOWN_CHARACTERS: usize = 10;

/// An order.
#[derive(Debug)]
struct Order {
    product: &'static Product,
    /// The charge that pays the order; `None` until the charge is created.
    charge_id: Option<String>,
    calls: VecDeque<LogLine>,
}

/// Who called whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum LineKind {
    /// The shop's server called the merchant API.
    Request,
    /// Cardform called the shop's server.
    Webhook,
}

/// One call.
#[derive(Debug, Clone, Serialize)]
pub(super) struct LogLine {
    /// Counts the order's lines, from 1.
    pub(super) number: u64,
    /// When the call began, in milliseconds since 1970.
    pub(super) at_ms: i64,
    pub(super) kind: LineKind,
    /// `POST /v1/charges`, or an event's type.
    pub(super) name: String,
    /// The answer's status; 0 if there was no answer.
    pub(super) status: u16,
    pub(super) took_ms: i64,
    /// The body that was sent, without secrets.
    pub(super) sent: Option<Value>,
    /// The body of the answer, without secrets.
    pub(super) answer: Option<Value>,
}

/// The orders by their ids.
#[derive(Debug, Default)]
// A std mutex, because no await happens while it is held.
pub(super) struct OrderBook(Mutex<Orders>);

#[derive(Debug, Default)]
struct Orders {
    by_id: HashMap<String, Order>,
    oldest_first: VecDeque<String>,
}

impl OrderBook {
    /// Adds an order that has no charge yet.
    pub(super) fn add(&self, id: &str, product: &'static Product) {
        let mut orders = self.locked();
        if orders.oldest_first.len() == ORDERS_MAX
            && let Some(oldest) = orders.oldest_first.pop_front()
        {
            orders.by_id.remove(&oldest);
        }
        orders.oldest_first.push_back(id.to_owned());
        let order = Order {
            product,
            charge_id: None,
            calls: VecDeque::new(),
        };
        orders.by_id.insert(id.to_owned(), order);
    }

    /// Sets the charge that pays the order.
    pub(super) fn set_charge(&self, id: &str, charge_id: &str) {
        if let Some(order) = self.locked().by_id.get_mut(id) {
            order.charge_id = Some(charge_id.to_owned());
        }
    }

    /// The product and the charge of the order; `None` if there is no such order or no charge yet.
    pub(super) fn find(&self, id: &str) -> Option<(&'static Product, String)> {
        let orders = self.locked();
        let order = orders.by_id.get(id)?;
        Some((order.product, order.charge_id.clone()?))
    }

    /// Numbers a call and adds it to its order, without secrets. A call about an unknown order is not kept.
    pub(super) fn log(&self, id: &str, mut call: LogLine) {
        if let Some(order) = self.locked().by_id.get_mut(id) {
            call.sent = call.sent.map(without_secrets);
            call.answer = call.answer.map(without_secrets);
            call.number = order.calls.back().map_or(1, |last| last.number + 1);
            if order.calls.len() == CALLS_MAX {
                order.calls.pop_front();
            }
            order.calls.push_back(call);
        }
    }

    /// The calls about an order, the oldest first; none for an unknown order.
    pub(super) fn calls(&self, id: &str) -> Vec<LogLine> {
        let orders = self.locked();
        let calls = orders.by_id.get(id).map(|order| &order.calls);
        calls.into_iter().flatten().cloned().collect()
    }

    fn locked(&self) -> MutexGuard<'_, Orders> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `value`, with secrets cut to their first characters.
fn without_secrets(value: Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .into_iter()
            .map(|(key, value)| {
                let is_secret = SECRET_KEYS.contains(&key.as_str());
                let shown = match value {
                    Value::String(text) if is_secret => Value::String(shortened(&text)),
                    other => without_secrets(other),
                };
                (key, shown)
            })
            .collect(),
        Value::Array(items) => items.into_iter().map(without_secrets).collect(),
        other => other,
    }
}

fn shortened(text: &str) -> String {
    let start: String = text.chars().take(SHOWN_CHARACTERS).collect();
    format!("{start}…")
}

#[cfg(test)]
mod tests;
