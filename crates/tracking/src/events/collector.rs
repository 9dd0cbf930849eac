//! The one task that stores events. Events that arrive while it stores a batch become the next batch.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot, watch};

use super::Events;
use super::queue::QueuedRecords;
use super::record::{Record, RecordOutcome};
use super::sink::Sink;
use crate::visits::read_event;

/// How often inactive clients are forgotten.
const CLEANUP_INTERVAL: Duration = Duration::from_secs(60);

/// Stores events until `stop` is true, and then those that have already arrived.
pub async fn run(events: Arc<Events>, mut stop: watch::Receiver<bool>) {
    let Some(mut receiver) = events.receiver() else {
        return;
    };
    let mut sink = Sink::open(&events, stop.clone());
    let mut cleanup = tokio::time::interval(CLEANUP_INTERVAL);
    let mut is_stopping = false;
    loop {
        let first = tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop), if !is_stopping => {
                is_stopping = true;
                receiver.close();
                continue;
            }
            queued = receiver.recv() => queued,
            _ = cleanup.tick() => {
                events.remove_idle_clients();
                continue;
            }
        };
        let Some(first) = first else {
            break;
        };
        let batch = GatheredBatch::gather(first, &mut receiver, sink.batch_bytes_max());
        let outcomes = sink.store(&events, &batch.records).await;
        read_accepted(&events, &batch.answer(&outcomes));
    }
    sink.close().await;
}

/// Counts each accepted event, and adds it to its visit. The events are durable, and no request waits for this.
fn read_accepted(events: &Events, accepted: &[Record]) {
    let mut parts = Vec::new();
    for record in accepted {
        let (r#type, part) = read_event(record.value.get());
        events.counts.accepted(r#type);
        parts.extend(part);
    }
    let now = events.clock.now_ms();
    events.visits.add_events(parts, accepted.len() as u64, now);
}

/// The requests whose records are stored together.
struct GatheredBatch {
    records: Vec<Record>,
    requests: Vec<Request>,
}

/// A request that waits for its answer.
struct Request {
    records: usize,
    answer: oneshot::Sender<Vec<RecordOutcome>>,
    reserved_bytes: OwnedSemaphorePermit,
}

impl GatheredBatch {
    /// Takes queued requests, up to `bytes_max`; the last one may exceed it.
    fn gather(
        first: QueuedRecords,
        receiver: &mut mpsc::UnboundedReceiver<QueuedRecords>,
        bytes_max: usize,
    ) -> Self {
        let mut batch = Self {
            records: Vec::new(),
            requests: Vec::new(),
        };
        let mut bytes = 0;
        let mut next = Some(first);
        while let Some(queued) = next {
            bytes += queued.records.iter().map(Record::size).sum::<usize>();
            batch.requests.push(Request {
                records: queued.records.len(),
                answer: queued.answer,
                reserved_bytes: queued.reserved_bytes,
            });
            batch.records.extend(queued.records);
            next = if bytes < bytes_max {
                receiver.try_recv().ok()
            } else {
                None
            };
        }
        batch
    }

    /// Answers each request, and returns the records that were accepted.
    fn answer(self, outcomes: &[RecordOutcome]) -> Vec<Record> {
        let mut rest = outcomes;
        for request in self.requests {
            let (own, others) = rest.split_at(request.records.min(rest.len()));
            rest = others;
            // This fails if the request's connection is closed.
            let _ = request.answer.send(own.to_vec());
            drop(request.reserved_bytes);
        }
        let taken = self.records.into_iter().zip(outcomes);
        taken
            .filter(|(_, outcome)| !matches!(outcome, RecordOutcome::Refused(_)))
            .map(|(record, _)| record)
            .collect()
    }
}
