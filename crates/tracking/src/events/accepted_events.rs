//! Reads every accepted event after it was stored, for the metrics and the operator's report. No request waits for it.

use std::sync::Arc;

use serde::Deserialize;
use tokio::sync::mpsc;

use super::Events;
use super::record::Record;

/// How many batches may wait to be read. If there are more, the collector waits, so that none is left out.
const WAITING_MAX: usize = 8;
/// The known types of events; any other type counts as `other`.
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

/// The queue of accepted batches, from the collector to [`run`].
pub(super) fn channel() -> (mpsc::Sender<Batch>, mpsc::Receiver<Batch>) {
    mpsc::channel(WAITING_MAX)
}

/// Reads batches until the collector has ended.
pub(crate) async fn run(events: Arc<Events>, mut batches: mpsc::Receiver<Batch>) {
    while let Some(batch) = batches.recv().await {
        process_batch(&events, &batch);
    }
}

/// Called once for every accepted event, in the order of its node: counts it and passes it to the visits. The events
/// are already durable, so a panic or a delay here loses none, but a long delay holds up the collector.
fn process_batch(events: &Events, batch: &[Record]) {
    for record in batch {
        events.counts.accepted(type_of(record));
    }
    let sent = batch.iter().map(|record| record.value.get());
    events.visits.add_events(sent, events.clock.now_ms());
}

/// The event's type if it is a known one, otherwise `other`.
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
    fn an_unknown_type_counts_as_other() {
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
