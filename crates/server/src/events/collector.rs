//! The one task that stores events. What arrives while it stores a batch becomes the next batch.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot, watch};

use super::Events;
use super::intake::Arrival;
use super::onlooker;
use super::record::{Placed, Record};
use super::sink::Sink;

/// How often inactive clients are forgotten.
const TIDYING_INTERVAL: Duration = Duration::from_secs(60);

/// Stores events until `stop` is true, and then those that have already arrived.
pub async fn run(events: Arc<Events>, mut stop: watch::Receiver<bool>) {
    let Some(mut inbox) = events.inbox() else {
        return;
    };
    let (seen, batches) = onlooker::channel();
    let onlooker = tokio::spawn(onlooker::run(Arc::clone(&events), batches));
    let mut sink = Sink::open(&events, stop.clone());
    let mut tidying = tokio::time::interval(TIDYING_INTERVAL);
    let mut is_stopping = false;
    loop {
        let first = tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop), if !is_stopping => {
                is_stopping = true;
                inbox.close();
                continue;
            }
            arrival = inbox.recv() => arrival,
            _ = tidying.tick() => {
                events.forget_quiet_clients();
                continue;
            }
        };
        let Some(first) = first else {
            break;
        };
        let batch = GatheredBatch::gather(first, &mut inbox, sink.together_bytes());
        let placed = sink.keep(&events, &batch.records).await;
        if let Some(accepted) = batch.answer(&placed) {
            // This fails if the onlooker panicked; storing goes on.
            let _ = seen.send(accepted).await;
        }
    }
    sink.close().await;
    drop(seen);
    let _ = onlooker.await;
}

/// The requests whose records are stored together.
struct GatheredBatch {
    records: Vec<Record>,
    requests: Vec<Request>,
}

/// A request that waits for its answer.
struct Request {
    records: usize,
    answer: oneshot::Sender<Vec<Placed>>,
    room: OwnedSemaphorePermit,
}

impl GatheredBatch {
    /// Takes the arrivals of the inbox, up to `bytes_max`; the last one may exceed it.
    fn gather(first: Arrival, inbox: &mut mpsc::UnboundedReceiver<Arrival>, bytes_max: usize) -> Self {
        let mut batch = Self {
            records: Vec::new(),
            requests: Vec::new(),
        };
        let mut bytes = 0;
        let mut next = Some(first);
        while let Some(arrival) = next {
            bytes += arrival.records.iter().map(Record::size).sum::<usize>();
            batch.requests.push(Request {
                records: arrival.records.len(),
                answer: arrival.answer,
                room: arrival.room,
            });
            batch.records.extend(arrival.records);
            next = if bytes < bytes_max {
                inbox.try_recv().ok()
            } else {
                None
            };
        }
        batch
    }

    /// Answers each request, and returns the records that were accepted.
    fn answer(self, placed: &[Placed]) -> Option<onlooker::Batch> {
        let mut rest = placed;
        for request in self.requests {
            let (own, others) = rest.split_at(request.records.min(rest.len()));
            rest = others;
            // This fails if the request's connection is closed.
            let _ = request.answer.send(own.to_vec());
            drop(request.room);
        }
        let taken = self.records.into_iter().zip(placed);
        let taken: onlooker::Batch = taken
            .filter(|(_, placed)| !matches!(placed, Placed::No(_)))
            .map(|(record, _)| record)
            .collect();
        (!taken.is_empty()).then_some(taken)
    }
}
