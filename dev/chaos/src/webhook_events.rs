//! Checks the events that a merchant received for a charge as docs/webhooks.md promises them: each is signed, none is
//! missing, they arrive in the charge's order, and exactly one tells the end.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use harness::receiver::ReceivedEvent;
use jiff::Timestamp;
use serde_json::Value;
use standardwebhooks::Webhook;

use crate::books::ChargeRecords;

/// The states that may follow each state (docs/charge-states.md).
const FOLLOWERS: [(&str, &str); 6] = [
    ("created", "processing canceled expired"),
    (
        "processing",
        "authorized succeeded failed outcome_unknown waiting_for_shopper_action",
    ),
    (
        "waiting_for_shopper_action",
        "authorized succeeded failed outcome_unknown",
    ),
    (
        "outcome_unknown",
        "authorized succeeded failed waiting_for_shopper_action",
    ),
    ("failed", "processing authorized succeeded canceled expired"),
    ("authorized", "succeeded canceled expired"),
];
/// Final states.
const FINAL: [&str; 3] = ["succeeded", "canceled", "expired"];
/// An event waits at least this long for an earlier one that waits for its retry; then it may arrive first. The service waits
/// 45 s, and the time of sending has no fraction.
const WAITS_FOR_EARLIER_SECONDS: i64 = 44;

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

/// Whether all events have arrived, up to the one with the charge's current status; a charge that never changed has none.
pub(crate) fn are_complete(charge: &ChargeRecords) -> bool {
    let numbers: BTreeSet<_> = charge.events.iter().map(sequence).collect();
    let of_charge = charge.events.iter().filter(|event| !is_of_card(event));
    match of_charge.max_by_key(|event| sequence(event)) {
        None => charge.status() == "created",
        Some(newest) => {
            let last = numbers.last().copied().unwrap_or_default();
            shows(charge_in(newest), &charge.merchant) && numbers.into_iter().eq(1..=last)
        }
    }
}

/// The errors in a charge's events, one line each, and then the events in the order of their arrival. With `may_repeat` an
/// event may arrive again after a later one.
pub(crate) fn contradictions(charge: &ChargeRecords, signer: &Webhook, may_repeat: bool) -> Vec<String> {
    let mut found = Vec::new();
    let mut in_order: BTreeMap<u64, &ReceivedEvent> = BTreeMap::new();
    for event in &charge.events {
        let (id, number) = (event.id(), sequence(event));
        if !is_signed(event, signer) {
            found.push(format!("an event is not signed: {id}"));
        }
        let newest = in_order.last_key_value().map(|(_, newest)| *newest);
        let first = in_order.get(&number);
        if first.is_some_and(|first| (first.id(), &first.text) != (id, &event.text)) {
            found.push(format!("an event has changed: {id}"));
        }
        let is_excused = |newest| may_repeat && first.is_some() || may_arrive_after(event, newest);
        if newest.is_some_and(|newest| number < sequence(newest) && !is_excused(newest)) {
            found.push(format!("an event arrived after a later one: {id}"));
        }
        in_order.entry(number).or_insert(event);
    }
    let mut status = "created";
    let mut ends = 0;
    for event in in_order.values() {
        if event.kind().starts_with("refund.") || is_of_card(event) {
            continue;
        }
        let next = event.body["data"]["status"].as_str().unwrap_or_default();
        if event.kind() != format!("charge.{next}") {
            found.push(format!("{} shows a charge that is {next}", event.kind()));
        }
        let followers = FOLLOWERS.iter().find(|(state, _)| *state == status);
        if !followers.is_some_and(|(_, followers)| followers.split(' ').any(|follower| follower == next)) {
            found.push(format!("{next} was told after {status}"));
        }
        ends += usize::from(FINAL.contains(&next));
        status = next;
    }
    if ends != usize::from(FINAL.contains(&charge.status())) {
        found.push(format!("its end was told {ends} times"));
    }
    if !are_complete(charge) {
        found.push(format!(
            "an event is missing, and the last one says that it is {status}"
        ));
    }
    if !found.is_empty() {
        let arrived = charge.events.iter().map(|event| {
            format!(
                "{} {} {} of {}, sent at {}",
                event.id(),
                event.kind(),
                sequence(event),
                event.body["timestamp"],
                event.header("webhook-timestamp")
            )
        });
        found.push(format!("its events: {}", arrived.collect::<Vec<_>>().join(", ")));
    }
    found
}

/// Whether an event with a smaller number may arrive after this later one: the later one had waited its time, or was sent
/// later and the network was slow.
fn may_arrive_after(event: &ReceivedEvent, later: &ReceivedEvent) -> bool {
    let changed = later.body["timestamp"].as_str().unwrap_or_default();
    let waited = changed
        .parse()
        .is_ok_and(|changed: Timestamp| sent_at(later) - changed.as_second() >= WAITS_FOR_EARLIER_SECONDS);
    waited || sent_at(event) < sent_at(later)
}

/// Whether each field of an event's charge is as the merchant reads it. A node of an older version sends fewer.
fn shows(sent: &Value, merchant: &Value) -> bool {
    let fields = sent.as_object();
    fields.is_some_and(|fields| {
        fields
            .iter()
            .all(|(name, value)| merchant.get(name) == Some(value))
    })
}

/// The charge in an event; that of a refund has it beside the refund.
fn charge_in(event: &ReceivedEvent) -> &Value {
    let data = &event.body["data"];
    if event.kind().starts_with("refund.") {
        &data["charge"]
    } else {
        data
    }
}

/// Whether it tells what happens to a saved card.
fn is_of_card(event: &ReceivedEvent) -> bool {
    event.kind().starts_with("payment_method.")
}

/// The event's place among those of its charge.
fn sequence(event: &ReceivedEvent) -> u64 {
    event.body["sequence"].as_u64().unwrap_or_default()
}

/// When the event was sent, in unix seconds.
fn sent_at(event: &ReceivedEvent) -> i64 {
    event.header("webhook-timestamp").parse().unwrap_or_default()
}

fn is_signed(event: &ReceivedEvent, signer: &Webhook) -> bool {
    let expected = signer.sign(event.id(), sent_at(event), event.text.as_bytes());
    expected.is_ok_and(|signature| signature == event.header("webhook-signature"))
}

#[cfg(test)]
mod tests;
