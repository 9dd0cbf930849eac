//! The queue of events from the requests to the task that stores them, limited in bytes.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use model::clock::Clock;
use serde_json::value::RawValue;
use store::Store;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

use super::client_limits::ClientLimits;
use super::counts::{Dropped, EventCounts};
use super::record::{Fault, Placed, Record};
use super::refusal::Refusal;
use super::settings::EventSettings;
use crate::card_numbers::masked;
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
    pub(crate) counts: EventCounts,
    limits: Option<ClientLimits>,
    queue: mpsc::UnboundedSender<Arrival>,
    room: Arc<Semaphore>,
    /// `None` once the collector has taken it.
    inbox: Mutex<Option<mpsc::UnboundedReceiver<Arrival>>>,
}

/// The records of one request in the queue.
#[derive(Debug)]
pub(super) struct Arrival {
    pub(super) records: Vec<Record>,
    /// Sends the answer to the request, whose connection may be closed.
    pub(super) answer: oneshot::Sender<Vec<Placed>>,
    /// The records' share of the waiting bytes; held until they are stored.
    pub(super) room: OwnedSemaphorePermit,
}

impl Events {
    pub(crate) fn new(store: Store, clock: Clock, visits: Arc<Visits>, settings: EventSettings) -> Self {
        let (queue, inbox) = mpsc::unbounded_channel();
        Self {
            counts: EventCounts::default(),
            limits: settings.limit_per_address.and_then(ClientLimits::new),
            queue,
            room: Arc::new(Semaphore::new(WAITING_BYTES_MAX)),
            inbox: Mutex::new(Some(inbox)),
            store,
            clock,
            visits,
            settings,
        }
    }

    /// The receiving end of the queue, for the collector; `None` the second time.
    pub(super) fn inbox(&self) -> Option<mpsc::UnboundedReceiver<Arrival>> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Has the records stored. Returns the result of each, in their order, once that is durable.
    pub(super) async fn take(&self, client: IpAddr, records: Vec<Record>) -> Result<Vec<Placed>, Refusal> {
        if let Some(limits) = &self.limits {
            limits.let_in(client, records.len())?;
        }
        let faults: Vec<_> = records.iter().map(Record::fault).collect();
        let good = records
            .into_iter()
            .zip(&faults)
            .filter(|(_, fault)| fault.is_none());
        let good: Vec<_> = good
            .map(|(record, _)| self.without_card_numbers(record))
            .collect();
        let mut kept = self.keep(good).await.into_iter();
        Ok(faults
            .into_iter()
            .map(|fault| match fault {
                Some(fault) => Placed::No(fault),
                None => kept.next().unwrap_or(Placed::No(Fault::NOT_KEPT)),
            })
            .collect())
    }

    /// Forgets clients who have not sent anything for a while.
    pub(super) fn forget_quiet_clients(&self) {
        if let Some(limits) = &self.limits {
            limits.forget_quiet();
        }
    }

    async fn keep(&self, records: Vec<Record>) -> Vec<Placed> {
        let count = records.len();
        if count == 0 {
            return Vec::new();
        }
        let bytes: usize = records
            .iter()
            .map(|record| record.size() + RECORD_OVERHEAD_BYTES)
            .sum();
        let permits = u32::try_from(bytes).unwrap_or(u32::MAX);
        let Ok(room) = Arc::clone(&self.room).try_acquire_many_owned(permits) else {
            self.counts.dropped(Dropped::Busy, count as u64);
            return vec![Placed::No(Fault::BUSY); count];
        };
        let (answer, kept) = oneshot::channel();
        let arrival = Arrival {
            records,
            answer,
            room,
        };
        // Without a collector there is no answer: the service is stopping.
        match self.queue.send(arrival) {
            Ok(()) => kept.await.unwrap_or_default(),
            Err(_) => Vec::new(),
        }
    }

    fn without_card_numbers(&self, mut record: Record) -> Record {
        let mut is_masked = false;
        let mut clean = |json: &mut Box<RawValue>| {
            if let Some(masked) = masked(json.get()) {
                is_masked = true;
                *json = RawValue::from_string(masked).unwrap_or_default();
            }
        };
        clean(&mut record.value);
        record.key.as_mut().map(clean);
        if is_masked {
            self.counts.masked();
        }
        record
    }
}
