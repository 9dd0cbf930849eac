//! Hands events that waited in the database on to Kafka, in their order, when it is back.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use store::{StoreError, StoredBatch};
use tokio::sync::{Notify, watch};

use super::Events;
use super::counts::Dropped;
use super::kafka::{Delivery, Kafka};
use super::record::Record;

/// How many batches are handed on at a time, each of which may have some megabytes.
const BATCHES_AT_ONCE: i64 = 4;
/// How long Kafka may take for each of them.
const SEND_LIMIT: Duration = Duration::from_secs(10);
/// How long connecting may take.
const REACH_LIMIT: Duration = Duration::from_secs(5);
/// For how long a node has the turn. Longer than connecting and handing on may take.
const TURN_MS: i64 = 60_000;
/// How long Kafka is left alone after a failure, and how often it is looked whether other nodes left events behind.
const PAUSE: Duration = Duration::from_secs(1);

/// What the collector and the forwarder tell each other.
#[derive(Debug, Default)]
pub(super) struct Handover {
    /// Events wait in the database.
    news: Notify,
    /// The forwarder found none a moment ago.
    is_empty: AtomicBool,
}

impl Handover {
    /// Whether nothing waits. The forwarder's word is a hint, so the database is asked, too.
    pub(super) async fn is_done(&self, events: &Events) -> bool {
        if !self.is_empty.load(Ordering::Acquire) {
            return false;
        }
        let is_done = matches!(events.store.has_events_waiting().await, Ok(false));
        self.is_empty.store(is_done, Ordering::Release);
        is_done
    }

    /// Events wait from now on.
    pub(super) fn begin(&self) {
        self.is_empty.store(false, Ordering::Release);
        self.news.notify_one();
    }
}

/// Hands on what waits, until told to stop.
pub(super) async fn run(
    events: Arc<Events>,
    mut kafka: Kafka,
    handover: Arc<Handover>,
    mut stop: watch::Receiver<bool>,
) {
    let name = uuid::Uuid::new_v4().simple().to_string();
    hand_on_until(&events, &mut kafka, &handover, &name, &mut stop).await;
    // Whoever takes over need not wait until the turn is over.
    if let Err(cause) = events.store.release_forwarder_lease(&name).await {
        tracing::warn!(%cause, "another node takes over later");
    }
}

async fn hand_on_until(
    events: &Events,
    kafka: &mut Kafka,
    handover: &Handover,
    name: &str,
    stop: &mut watch::Receiver<bool>,
) {
    loop {
        let outcome = tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => return,
            outcome = step(events, kafka, name) => outcome.unwrap_or_else(|cause| {
                tracing::warn!(%cause, "events that wait for Kafka cannot be read");
                ForwardStep::NotNow
            }),
        };
        if outcome == ForwardStep::NothingWaits {
            handover.is_empty.store(true, Ordering::Release);
        }
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return,
            () = pause(handover, outcome) => {}
        }
    }
}

async fn pause(handover: &Handover, after: ForwardStep) {
    match after {
        ForwardStep::HandedOn => {}
        ForwardStep::NothingWaits => {
            tokio::select! {
                () = handover.news.notified() => {}
                () = tokio::time::sleep(PAUSE) => {}
            }
        }
        // News do not bring Kafka back.
        ForwardStep::NotNow => tokio::time::sleep(PAUSE).await,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ForwardStep {
    HandedOn,
    NothingWaits,
    /// Kafka is away, or it is another node's turn.
    NotNow,
}

async fn step(events: &Events, kafka: &mut Kafka, name: &str) -> Result<ForwardStep, StoreError> {
    if !events.store.has_events_waiting().await? {
        return Ok(ForwardStep::NothingWaits);
    }
    let now = events.clock.now_ms();
    if !events
        .store
        .take_forwarder_lease(name, now, now + TURN_MS)
        .await?
    {
        return Ok(ForwardStep::NotNow);
    }
    // What waits while Kafka is away may have to make room, so it is read when it can be sent.
    if !kafka.reach(REACH_LIMIT).await {
        return Ok(ForwardStep::NotNow);
    }
    for batch in events.store.events_for_kafka(BATCHES_AT_ONCE).await? {
        if !hand_on(events, kafka, &batch).await? {
            return Ok(ForwardStep::NotNow);
        }
    }
    Ok(ForwardStep::HandedOn)
}

/// A record as it waits.
#[derive(Deserialize)]
struct Kept {
    key: Option<Box<RawValue>>,
    value: Box<RawValue>,
    partition: Option<i64>,
}

/// Whether Kafka has the whole batch now.
async fn hand_on(events: &Events, kafka: &mut Kafka, batch: &StoredBatch) -> Result<bool, StoreError> {
    let kept: Vec<Kept> =
        serde_json::from_str(&batch.body).map_err(|_| StoreError::Unusable("batch of events"))?;
    let records = kept.into_iter().map(|kept| Record {
        key: kept.key,
        value: kept.value,
        partition: kept.partition,
    });
    let records: Vec<_> = records.collect();
    let sent = kafka.send(&records, batch.kept_at, SEND_LIMIT).await;
    if sent.contains(&Delivery::Failed) {
        events.counts.sink_failed();
        return Ok(false);
    }
    let refused = sent
        .iter()
        .filter(|sent| matches!(sent, Delivery::Refused(_)))
        .count();
    events.counts.dropped(Dropped::RefusedByKafka, refused as u64);
    events.store.delete_forwarded_events(batch.first_offset).await?;
    Ok(true)
}
