//! The queue of events from the requests to the task that stores them, limited in bytes.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use protocol::clock::Clock;
use store::Store;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

use super::client_limits::ClientLimits;
use super::counts::{Dropped, EventCounts};
use super::produce::{Refusal, read_on_its_thread};
use super::record::{Record, RecordError, RecordOutcome};
use super::settings::EventSettings;
use crate::visits::Visits;

/// How many bytes of events may wait to be stored: those of a second, at many times the usual rate.
const WAITING_BYTES_MAX: usize = 32 * 1024 * 1024;
/// How many bytes a record takes in memory in addition to its JSON.
const RECORD_OVERHEAD_BYTES: usize = 128;

/// The shared state of events.
pub struct Events {
    pub(super) store: Store,
    pub(super) clock: Clock,
    /// The visits, which are derived from accepted events.
    pub(super) visits: Arc<Visits>,
    pub(super) settings: EventSettings,
    /// The metrics.
    pub counts: EventCounts,
    limits: Option<ClientLimits>,
    queue: mpsc::UnboundedSender<QueuedRecords>,
    free_bytes: Arc<Semaphore>,
    /// `None` once the collector has taken it.
    receiver: Mutex<Option<mpsc::UnboundedReceiver<QueuedRecords>>>,
}

/// The records of one request in the queue.
#[derive(Debug)]
pub(super) struct QueuedRecords {
    pub(super) records: Vec<Record>,
    /// Sends the answer to the request, whose connection may be closed.
    pub(super) answer: oneshot::Sender<Vec<RecordOutcome>>,
    /// The records' share of the waiting bytes; held until they are stored.
    pub(super) reserved_bytes: OwnedSemaphorePermit,
}

impl Events {
    /// An empty queue; [`super::collector`] reads it.
    pub fn new(store: Store, clock: Clock, visits: Arc<Visits>, settings: EventSettings) -> Self {
        let (queue, receiver) = mpsc::unbounded_channel();
        Self {
            counts: EventCounts::default(),
            limits: settings.limit_per_address.and_then(ClientLimits::new),
            queue,
            free_bytes: Arc::new(Semaphore::new(WAITING_BYTES_MAX)),
            receiver: Mutex::new(Some(receiver)),
            store,
            clock,
            visits,
            settings,
        }
    }

    /// The receiving end of the queue, for the collector; `None` the second time.
    pub(super) fn receiver(&self) -> Option<mpsc::UnboundedReceiver<QueuedRecords>> {
        self.receiver
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    /// Has the records stored. Returns the result of each, in their order, once that is durable.
    pub(super) async fn accept(
        &self,
        client: IpAddr,
        records: Vec<Record>,
    ) -> Result<Vec<RecordOutcome>, Refusal> {
        if let Some(limits) = &self.limits {
            limits.allow(client, records.iter().map(Record::count).sum())?;
        }
        let (mut good, mut errors) = (Vec::new(), Vec::new());
        let bytes = records.iter().map(Record::size).sum();
        let known = move || {
            records
                .into_iter()
                .map(Record::with_known_fields)
                .collect::<Vec<_>>()
        };
        for record in read_on_its_thread(bytes, known).await {
            match record {
                Ok((record, is_masked)) => {
                    if is_masked {
                        self.counts.count_masked();
                    }
                    good.push(record);
                    errors.push(None);
                }
                Err(error) => errors.push(Some(error)),
            }
        }
        let mut outcomes = self.enqueue(good).await.into_iter();
        Ok(errors
            .into_iter()
            .map(|error| match error {
                Some(error) => RecordOutcome::Refused(error),
                None => outcomes
                    .next()
                    .unwrap_or(RecordOutcome::Refused(RecordError::NOT_KEPT)),
            })
            .collect())
    }

    /// Removes clients that have not sent events for a while.
    pub(super) fn remove_idle_clients(&self) {
        if let Some(limits) = &self.limits {
            limits.remove_idle_clients();
        }
    }

    async fn enqueue(&self, records: Vec<Record>) -> Vec<RecordOutcome> {
        let count = records.len();
        if count == 0 {
            return Vec::new();
        }
        let bytes: usize = records
            .iter()
            .map(|record| record.size() + RECORD_OVERHEAD_BYTES)
            .sum();
        let permits = u32::try_from(bytes).unwrap_or(u32::MAX);
        let Ok(reserved_bytes) = Arc::clone(&self.free_bytes).try_acquire_many_owned(permits) else {
            self.counts.dropped(Dropped::Busy, count as u64);
            return vec![RecordOutcome::Refused(RecordError::BUSY); count];
        };
        let (answer, outcomes) = oneshot::channel();
        let queued = QueuedRecords {
            records,
            answer,
            reserved_bytes,
        };
        // Without a collector there is no answer: the service is stopping.
        match self.queue.send(queued) {
            Ok(()) => outcomes.await.unwrap_or_default(),
            Err(_) => Vec::new(),
        }
    }
}
