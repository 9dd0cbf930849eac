//! Checks the events that a merchant received for a charge: each is signed, they are in the charge's order, and exactly
//! one tells the end.

use std::collections::{HashMap, HashSet};

use harness::receiver::ReceivedEvent;
use serde_json::Value;
use standardwebhooks::Webhook;

/// The states that may follow each state (docs/charge-states.md).
const FOLLOWERS: [(&str, &[&str]); 5] = [
    ("created", &["processing", "canceled", "expired"]),
    (
        "processing",
        &[
            "succeeded",
            "failed",
            "outcome_unknown",
            "waiting_for_shopper_action",
        ],
    ),
    (
        "waiting_for_shopper_action",
        &["succeeded", "failed", "outcome_unknown"],
    ),
    (
        "outcome_unknown",
        &["succeeded", "failed", "waiting_for_shopper_action"],
    ),
    ("failed", &["processing", "succeeded", "canceled", "expired"]),
];
/// Final states.
const FINAL: [&str; 3] = ["succeeded", "canceled", "expired"];

/// The events by charge, each charge's in the order of arrival.
pub(crate) fn by_charge(arrived: Vec<ReceivedEvent>) -> HashMap<String, Vec<ReceivedEvent>> {
    let mut of_charges: HashMap<String, Vec<ReceivedEvent>> = HashMap::new();
    for event in arrived {
        of_charges
            .entry(event.charge_id().to_owned())
            .or_default()
            .push(event);
    }
    of_charges
}

/// Whether the last event shows the charge's current status; a charge that never changed has no event.
pub(crate) fn shows_current_status(events: &[ReceivedEvent], view: &Value) -> bool {
    match events.last() {
        None => view["status"] == "created",
        Some(last) => last.body["data"] == *view,
    }
}

/// The errors in a charge's events, one line each, and then the events in the order of their arrival.
pub(crate) fn contradictions(events: &[ReceivedEvent], view: &Value, signer: &Webhook) -> Vec<String> {
    let mut found = Vec::new();
    let mut status = "created".to_owned();
    let mut ends = 0;
    let mut seen = HashSet::new();
    let mut last: Option<&ReceivedEvent> = None;
    for event in events {
        if !is_signed(event, signer) {
            found.push(format!("an event is not signed: {}", event.id()));
        }
        // A retry, because the receiver or the sender failed: it must be the same event, and come before any later
        // event of the charge.
        if let Some(last) = last.filter(|last| last.id() == event.id()) {
            if last.text != event.text {
                found.push(format!("an event has changed: {}", event.id()));
            }
            continue;
        }
        if !seen.insert(event.id()) {
            found.push(format!("an event came again after a later one: {}", event.id()));
        }
        let next = event.body["data"]["status"].as_str().unwrap_or_default();
        if event.kind() != format!("charge.{next}") {
            found.push(format!("{} shows a charge that is {next}", event.kind()));
        }
        let followers = FOLLOWERS.iter().find(|(state, _)| *state == status);
        if !followers.is_some_and(|(_, followers)| followers.contains(&next)) {
            found.push(format!("{next} was told after {status}"));
        }
        ends += usize::from(FINAL.contains(&next));
        next.clone_into(&mut status);
        last = Some(event);
    }
    let expected = usize::from(FINAL.iter().any(|state| view["status"] == *state));
    if ends != expected {
        found.push(format!("its end was told {ends} times"));
    }
    if !shows_current_status(events, view) {
        found.push(format!("what was told last is that it is {status}"));
    }
    if !found.is_empty() {
        let arrived = events.iter().map(|event| {
            format!(
                "{} {} sent at {}",
                event.id(),
                event.kind(),
                event.header("webhook-timestamp")
            )
        });
        found.push(format!("its events: {}", arrived.collect::<Vec<_>>().join(", ")));
    }
    found
}

fn is_signed(event: &ReceivedEvent, signer: &Webhook) -> bool {
    let timestamp = event.header("webhook-timestamp").parse().ok();
    let expected = timestamp.and_then(|at| signer.sign(event.id(), at, event.text.as_bytes()).ok());
    expected.is_some_and(|signature| signature == event.header("webhook-signature"))
}

#[cfg(test)]
pub(crate) mod tests;
