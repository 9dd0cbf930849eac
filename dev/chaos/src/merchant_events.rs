//! Checks the events that a merchant received for a charge: each is signed, they are in the charge's order, and exactly
//! one tells the end.

use std::collections::{HashMap, HashSet};

use serde_json::Value;
use standardwebhooks::Webhook;

use harness::receiver::ReceivedEvent;

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
        let id = event.charge()["id"].as_str().unwrap_or_default().to_owned();
        of_charges.entry(id).or_default().push(event);
    }
    of_charges
}

/// Whether the last event shows the charge's current status; a charge that never changed has no event.
pub(crate) fn shows_current_status(events: &[ReceivedEvent], view: &Value) -> bool {
    match events.last() {
        None => view["status"] == "created",
        Some(last) => last.charge() == *view,
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
            found.push(format!("an event is not signed: {}", event.id));
        }
        // A retry, because the receiver or the sender failed: it must be the same event, and come before any later
        // event of the charge.
        if let Some(last) = last.filter(|last| last.id == event.id) {
            if last.text != event.text {
                found.push(format!("an event has changed: {}", event.id));
            }
            continue;
        }
        if !seen.insert(&event.id) {
            found.push(format!("an event came again after a later one: {}", event.id));
        }
        let charge = event.charge();
        let next = charge["status"].as_str().unwrap_or_default();
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
        let arrived = events
            .iter()
            .map(|event| format!("{} {} sent at {}", event.id, event.kind(), event.timestamp));
        found.push(format!("its events: {}", arrived.collect::<Vec<_>>().join(", ")));
    }
    found
}

fn is_signed(event: &ReceivedEvent, signer: &Webhook) -> bool {
    let timestamp = event.timestamp.parse().ok();
    let expected = timestamp.and_then(|at| signer.sign(&event.id, at, event.text.as_bytes()).ok());
    expected.is_some_and(|signature| signature == event.signature)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use serde_json::json;

    pub(crate) fn signer() -> Webhook {
        Webhook::new("whsec_plJ3nmyCDGBKInavdOK15jsl").unwrap_or_else(|_| panic!("a secret"))
    }

    fn view(status: &str) -> Value {
        json!({"id": "ch_1", "status": status})
    }

    fn event(id: &str, status: &str) -> ReceivedEvent {
        let text = json!({"type": format!("charge.{status}"), "data": view(status)}).to_string();
        let signature = signer().sign(id, 1_784_116_800, text.as_bytes());
        ReceivedEvent {
            id: id.to_owned(),
            timestamp: "1784116800".to_owned(),
            signature: signature.unwrap_or_default(),
            text,
        }
    }

    /// The events of a charge that reaches this status.
    pub(crate) fn events_until(status: &str) -> Vec<ReceivedEvent> {
        let way: &[&str] = match status {
            "created" => &[],
            "processing" => &["processing"],
            "canceled" | "expired" => &[status],
            _ => &["processing", status],
        };
        let events = way.iter().enumerate();
        events
            .map(|(number, status)| event(&format!("evt_{number}"), status))
            .collect()
    }

    fn found(events: &[ReceivedEvent], status: &str) -> Vec<String> {
        contradictions(events, &view(status), &signer())
    }

    #[test]
    fn events_in_order_and_repeated_events_are_fine() {
        let told = [
            event("a", "processing"),
            event("b", "failed"),
            event("b", "failed"),
            event("c", "processing"),
            event("d", "outcome_unknown"),
            event("e", "succeeded"),
            event("e", "succeeded"),
        ];
        assert_eq!(found(&told, "succeeded"), Vec::<String>::new());
        assert_eq!(found(&told[..3], "failed"), Vec::<String>::new());
        assert_eq!(found(&[], "created"), Vec::<String>::new());
    }

    #[test]
    fn every_wrong_event_is_named() {
        let forged = ReceivedEvent {
            signature: "v1,AAAA".to_owned(),
            ..event("a", "processing")
        };
        let changed = ReceivedEvent {
            id: "a".to_owned(),
            ..event("a", "canceled")
        };
        for (events, status, wrong) in [
            (vec![forged], "processing", "not signed"),
            (
                vec![
                    event("a", "processing"),
                    event("b", "failed"),
                    event("a", "processing"),
                ],
                "processing",
                "came again",
            ),
            (
                vec![event("a", "succeeded")],
                "succeeded",
                "succeeded was told after created",
            ),
            (
                vec![
                    event("a", "processing"),
                    event("b", "succeeded"),
                    event("c", "succeeded"),
                ],
                "succeeded",
                "told 2 times",
            ),
            (
                vec![event("a", "processing"), changed],
                "processing",
                "has changed",
            ),
            (vec![event("a", "processing")], "succeeded", "told 0 times"),
            (
                vec![event("a", "processing"), event("b", "failed")],
                "canceled",
                "told last",
            ),
            (vec![], "failed", "told last"),
        ] {
            let found = found(&events, status);
            assert!(found.last().unwrap().starts_with("its events: "));
            assert!(
                found.iter().any(|line| line.contains(wrong)),
                "{wrong}: {found:?}"
            );
        }
    }
}
