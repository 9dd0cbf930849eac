//! Looks at every event that was accepted, whichever sink has it, and off the way of requests.

use std::sync::Arc;

use serde::Deserialize;
use tokio::sync::mpsc;

use super::Events;
use super::record::Record;

/// Batches that wait to be looked at. When there are more the collector waits: nothing is left out.
const WAITING_MAX: usize = 8;
/// The types of events; every other one counts as `other`.
const TYPES: [&str; 6] = [
    "page-view",
    "click",
    "experiment-viewed",
    "custom",
    "identify",
    "session",
];

/// A batch that was accepted.
pub(super) type Batch = Arc<[Record]>;

/// Where the collector puts batches, and where they come out.
pub(super) fn channel() -> (mpsc::Sender<Batch>, mpsc::Receiver<Batch>) {
    mpsc::channel(WAITING_MAX)
}

/// Looks at batches until no more can come.
pub(super) async fn run(events: Arc<Events>, mut batches: mpsc::Receiver<Batch>) {
    while let Some(batch) = batches.recv().await {
        saw(&events, &batch);
    }
}

/// Every accepted event passes here once, in its node's order; what is made of events (counts now, an operator's report)
/// is made here. The events are durable already: a panic or a delay here loses none, and a long delay holds up others.
fn saw(events: &Events, batch: &[Record]) {
    for record in batch {
        events.counts.accepted(type_of(record));
    }
    let sent = batch.iter().map(|record| record.value.get());
    events.visits.saw(sent, events.clock.now_ms());
}

/// The event's type, in words of our own.
fn type_of(record: &Record) -> &'static str {
    #[derive(Deserialize)]
    struct Typed<'a> {
        #[serde(borrow)]
        r#type: std::borrow::Cow<'a, str>,
    }
    let sent = serde_json::from_str::<Typed<'_>>(record.value.get());
    let known = sent
        .ok()
        .and_then(|sent| TYPES.into_iter().find(|known| *known == sent.r#type));
    known.unwrap_or("other")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::value::RawValue;

    #[test]
    fn a_type_is_one_of_our_words_whatever_was_sent() {
        for (value, known) in [
            (r#"{"id":1,"type":"page-view"}"#, "page-view"),
            (r#"{"type":"se\u0073sion"}"#, "session"),
            (r#"{"type":"4242424242424242"}"#, "other"),
            (r#"{"type":7}"#, "other"),
            (r#"{"name":"click"}"#, "other"),
            ("[]", "other"),
        ] {
            let record = Record {
                key: None,
                value: RawValue::from_string(value.to_owned()).unwrap(),
                partition: None,
            };
            assert_eq!(type_of(&record), known, "{value}");
        }
    }
}
