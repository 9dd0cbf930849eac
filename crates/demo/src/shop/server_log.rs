//! What the shop's server said to the merchant API about an order, and which webhooks it got: the demo's developer drawer
//! shows it. It is kept only in memory, and nothing secret is in it.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde_json::Value;

/// How many orders have lines; beyond that the oldest order's lines are removed first.
const ORDERS_MAX: usize = 1_000;
/// How many lines an order has; beyond that the oldest is removed first.
const LINES_MAX: usize = 60;
/// What is secret, or has something secret in it. Only its first characters are shown.
const SECRET_KEYS: [&str; 3] = ["client_secret", "payload", "url"];
/// How many characters are shown of a secret.
const SHOWN_CHARACTERS: usize = 10;

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

/// The lines by the orders' ids.
#[derive(Debug, Default)]
pub(super) struct ServerLog {
    // A mutex of `std`, because it is only held for a look-up and never across an `await`.
    lines: Mutex<Lines>,
}

#[derive(Debug, Default)]
struct Lines {
    by_order: HashMap<String, VecDeque<LogLine>>,
    oldest_first: VecDeque<String>,
}

impl ServerLog {
    /// Adds a line to those of `order_id`. Its number and the shortening of its secrets are done here.
    pub(super) fn add(&self, order_id: &str, mut line: LogLine) {
        line.sent = line.sent.map(without_secrets);
        line.answer = line.answer.map(without_secrets);
        let mut lines = self.locked();
        if !lines.by_order.contains_key(order_id) {
            if lines.oldest_first.len() == ORDERS_MAX
                && let Some(oldest) = lines.oldest_first.pop_front()
            {
                lines.by_order.remove(&oldest);
            }
            lines.oldest_first.push_back(order_id.to_owned());
        }
        let of_order = lines.by_order.entry(order_id.to_owned()).or_default();
        line.number = of_order.back().map_or(1, |last| last.number + 1);
        if of_order.len() == LINES_MAX {
            of_order.pop_front();
        }
        of_order.push_back(line);
    }

    /// The lines of an order, the oldest first; none for an order that is not known.
    pub(super) fn of(&self, order_id: &str) -> Vec<LogLine> {
        let lines = self.locked();
        lines
            .by_order
            .get(order_id)
            .map(|lines| lines.iter().cloned().collect())
            .unwrap_or_default()
    }

    fn locked(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
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
mod tests {
    use serde_json::json;

    use super::*;

    fn line(answer: Value) -> LogLine {
        LogLine {
            number: 0,
            at_ms: 1,
            kind: LineKind::Request,
            name: "POST /v1/charges".to_owned(),
            status: 201,
            took_ms: 3,
            sent: None,
            answer: Some(answer),
        }
    }

    #[test]
    fn secrets_are_shortened_wherever_they_stand() {
        let log = ServerLog::default();
        let secret = "x".repeat(40);
        let answer =
            json!({"id": "ch_1", "client_secret": secret, "data": [{"payload": secret, "url": secret}]});
        log.add("LK-1", line(answer));
        let shown = log.of("LK-1")[0].answer.clone().unwrap();
        let start = format!("{}…", "x".repeat(SHOWN_CHARACTERS));
        assert_eq!(
            shown,
            json!({"id": "ch_1", "client_secret": start, "data": [{"payload": start, "url": start}]})
        );
    }

    #[test]
    fn the_oldest_lines_and_orders_are_forgotten_first() {
        let log = ServerLog::default();
        for _ in 0..=LINES_MAX {
            log.add("LK-first", line(json!({})));
        }
        let numbers: Vec<_> = log.of("LK-first").iter().map(|line| line.number).collect();
        assert_eq!((numbers.len(), numbers[0]), (LINES_MAX, 2));
        for order in 0..ORDERS_MAX {
            log.add(&format!("LK-{order}"), line(json!({})));
        }
        assert!(log.of("LK-first").is_empty());
        assert_eq!(log.of("LK-0").len(), 1);
    }
}
