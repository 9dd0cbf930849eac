//! Sends events that waited in the database to Kafka, in their order, when it can be reached again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use store::{StoreError, StoredBatch};
use tokio::sync::{Notify, watch};

use super::Events;
use super::counts::Dropped;
use super::kafka::{Delivery, Kafka};
use super::record::{Record, RecordOutcome};

/// How many batches are read at a time; each may have some megabytes.
const BATCHES_AT_ONCE: i64 = 4;
/// How long Kafka may take for each batch.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);
/// How long connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a node's lease is valid, in milliseconds. Longer than connecting and sending may take.
const LEASE_MS: i64 = 60_000;
/// How long to wait after a failure, and before looking again for events that other nodes left.
const PAUSE: Duration = Duration::from_secs(1);

/// Shared by the collector and the forwarder.
#[derive(Debug, Default)]
pub(super) struct ForwarderSignal {
    /// Signals that events wait in the database.
    events_wait: Notify,
    /// Whether the forwarder found no waiting events the last time it looked.
    is_empty: AtomicBool,
}

impl ForwarderSignal {
    /// Whether no events wait. `is_empty` may be out of date, so the database is asked, too.
    pub(super) async fn is_done(&self, events: &Events) -> bool {
        if !self.is_empty.load(Ordering::Acquire) {
            return false;
        }
        let is_done = matches!(events.store.has_events_waiting().await, Ok(false));
        self.is_empty.store(is_done, Ordering::Release);
        is_done
    }

    /// Tells the forwarder that events wait from now on.
    pub(super) fn notify(&self) {
        self.is_empty.store(false, Ordering::Release);
        self.events_wait.notify_one();
    }
}

/// Sends waiting events to Kafka until `stop` is true.
pub(crate) async fn run(
    events: Arc<Events>,
    mut kafka: Kafka,
    signal: Arc<ForwarderSignal>,
    mut stop: watch::Receiver<bool>,
) {
    let name = uuid::Uuid::new_v4().simple().to_string();
    forward_until(&events, &mut kafka, &signal, &name, &mut stop).await;
    // Another node can then take over at once.
    if let Err(cause) = events.store.release_forwarder_lease(&name).await {
        tracing::warn!(%cause, "could not release the forwarder's lease; another node takes over when it ends");
    }
}

async fn forward_until(
    events: &Events,
    kafka: &mut Kafka,
    signal: &ForwarderSignal,
    name: &str,
    stop: &mut watch::Receiver<bool>,
) {
    loop {
        let outcome = tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => return,
            outcome = step(events, kafka, name) => outcome.unwrap_or_else(|cause| {
                tracing::warn!(%cause, "events that wait for Kafka cannot be read; retrying");
                ForwardStep::NotNow
            }),
        };
        if outcome == ForwardStep::NothingWaits {
            signal.is_empty.store(true, Ordering::Release);
        }
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return,
            () = pause(signal, outcome) => {}
        }
    }
}

async fn pause(signal: &ForwarderSignal, after: ForwardStep) {
    match after {
        ForwardStep::Forwarded => {}
        ForwardStep::NothingWaits => {
            tokio::select! {
                () = signal.events_wait.notified() => {}
                () = tokio::time::sleep(PAUSE) => {}
            }
        }
        // New events do not make Kafka reachable, so they do not end this pause.
        ForwardStep::NotNow => tokio::time::sleep(PAUSE).await,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ForwardStep {
    Forwarded,
    NothingWaits,
    /// Kafka cannot be reached, or another node has the lease.
    NotNow,
}

async fn step(events: &Events, kafka: &mut Kafka, name: &str) -> Result<ForwardStep, StoreError> {
    if !events.store.has_events_waiting().await? {
        return Ok(ForwardStep::NothingWaits);
    }
    let now = events.clock.now_ms();
    if !events
        .store
        .take_forwarder_lease(name, now, now + LEASE_MS)
        .await?
    {
        return Ok(ForwardStep::NotNow);
    }
    // The oldest waiting events may be removed while Kafka cannot be reached, so they are read only when they can be
    // sent.
    if !kafka.connect(CONNECT_TIMEOUT).await {
        return Ok(ForwardStep::NotNow);
    }
    for batch in events.store.events_for_kafka(BATCHES_AT_ONCE).await? {
        if !forward_batch(events, kafka, &batch).await? {
            return Ok(ForwardStep::NotNow);
        }
    }
    Ok(ForwardStep::Forwarded)
}

/// Sends a batch and then removes it from the database; records that Kafka refuses are lost. False if records of the batch
/// must be sent again.
async fn forward_batch(events: &Events, kafka: &mut Kafka, batch: &StoredBatch) -> Result<bool, StoreError> {
    let records: Vec<Record> =
        serde_json::from_str(&batch.body).map_err(|_| StoreError::Unusable("batch of events"))?;
    let sent = kafka.send(&records, batch.kept_at, SEND_TIMEOUT).await;
    keep_unsent(events, batch, &records, &sent).await
}

/// Removes from the database what Kafka has received or refused, so that it is not sent twice. Returns whether that is the
/// whole batch.
async fn keep_unsent(
    events: &Events,
    batch: &StoredBatch,
    records: &[Record],
    sent: &[Delivery],
) -> Result<bool, StoreError> {
    let refused = sent
        .iter()
        .filter(|sent| matches!(sent, Some(RecordOutcome::Refused(_))))
        .count();
    events.counts.dropped(Dropped::RefusedByKafka, refused as u64);
    let unsent = records.iter().zip(sent).filter(|(_, sent)| sent.is_none());
    let unsent: Vec<&Record> = unsent.map(|(record, _)| record).collect();
    if unsent.is_empty() {
        events.store.delete_forwarded_events(batch.first_offset).await?;
        return Ok(true);
    }
    events.counts.sink_failed();
    if unsent.len() < records.len() {
        let body = serde_json::to_string(&unsent).map_err(|_| StoreError::Unusable("batch of events"))?;
        let count = (unsent.len() as u64).cast_signed();
        events.store.keep_unsent_events(batch, count, &body).await?;
    }
    Ok(false)
}

#[cfg(test)]
mod tests;
