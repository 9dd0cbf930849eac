//! Stores events in the database's log, or in Kafka. While Kafka cannot be reached, events wait in the database.

use std::sync::Arc;
use std::time::Duration;

use store::{NewBatch, StoreError};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::Events;
use super::counts::Dropped;
use super::forwarder::{self, ForwarderSignal};
use super::kafka::{Delivery, Kafka};
use super::record::{Record, RecordError, RecordOutcome};
use super::settings::SinkChoice;

/// The database's log has one partition, so that its events have one order.
const PARTITION: i32 = 0;
/// How many bytes of events one commit to the database may have. Charges are written to the same database and wait at
/// most for a commit of this size.
const DATABASE_BATCH_BYTES_MAX: usize = 512 * 1024;
/// How many bytes of events are sent to Kafka together. More than to the database, because each request costs
/// `rskafka` about forty milliseconds of waiting: it writes a request in two pieces, and the socket holds back the
/// second.
const KAFKA_BATCH_BYTES_MAX: usize = 2 * 1024 * 1024;
/// How long Kafka may take before events wait in the database instead. The answers to pages wait that long, too, but
/// no shopper waits for them.
const SEND_TIMEOUT: Duration = Duration::from_secs(3);
/// The shortest time for which events go to the database after Kafka failed, so that a slow Kafka does not delay one
/// batch after the other.
const FALLBACK_MIN: Duration = Duration::from_secs(5);

/// Where events are stored.
pub(super) enum Sink {
    /// The database's own log.
    Database,
    /// Kafka.
    Kafka(Box<KafkaWithFallback>),
}

/// Kafka while it accepts events, and the database while it does not.
pub(super) struct KafkaWithFallback {
    kafka: Kafka,
    signal: Arc<ForwarderSignal>,
    forwarder: JoinHandle<()>,
    /// Set while events wait in the database. New events must wait there, too, or they would overtake them: until all
    /// were sent to Kafka, and at least until this time.
    fallback_until: Option<Instant>,
}

impl Sink {
    /// Opens the sink that the settings name.
    pub(super) fn open(events: &Arc<Events>, stop: watch::Receiver<bool>) -> Self {
        let SinkChoice::Kafka(settings) = &events.settings.sink else {
            return Self::Database;
        };
        let topic = &events.settings.topic;
        let signal = Arc::new(ForwarderSignal::default());
        let forwarder = forwarder::run(
            Arc::clone(events),
            Kafka::new(settings, topic),
            Arc::clone(&signal),
            stop,
        );
        Self::Kafka(Box::new(KafkaWithFallback {
            kafka: Kafka::new(settings, topic),
            signal,
            forwarder: tokio::spawn(forwarder),
            // Events from before the start may still wait.
            fallback_until: Some(Instant::now()),
        }))
    }

    /// How many bytes of events to store together now.
    pub(super) fn batch_bytes_max(&self) -> usize {
        match self {
            Self::Kafka(kafka) if kafka.fallback_until.is_none() => KAFKA_BATCH_BYTES_MAX,
            Self::Database | Self::Kafka(_) => DATABASE_BATCH_BYTES_MAX,
        }
    }

    /// Stores the records. Returns the result of each, in their order.
    pub(super) async fn store(&mut self, events: &Events, records: &[Record]) -> Vec<RecordOutcome> {
        match self {
            Self::Database => append_to_log(events, records).await,
            Self::Kafka(kafka) => kafka.store(events, records).await,
        }
    }

    /// Waits until the forwarder has ended. It stops by the same signal.
    pub(super) async fn close(self) {
        if let Self::Kafka(kafka) = self {
            // If it panicked, there is nothing to wait for.
            let _ = kafka.forwarder.await;
        }
    }
}

impl KafkaWithFallback {
    async fn store(&mut self, events: &Events, records: &[Record]) -> Vec<RecordOutcome> {
        if let Some(until) = self.fallback_until {
            if Instant::now() < until || !self.signal.is_done(events).await {
                return self
                    .store_failed(events, records.iter().map(|record| (record, None)))
                    .await;
            }
            self.fallback_until = None;
            tracing::info!("events are sent to Kafka");
        }
        let sent = self
            .kafka
            .send(records, events.clock.now_ms(), SEND_TIMEOUT)
            .await;
        if sent.contains(&None) {
            events.counts.sink_failed();
            tracing::warn!("Kafka unreachable; events wait in the database");
            self.fallback_until = Some(Instant::now() + FALLBACK_MIN);
        }
        self.store_failed(events, records.iter().zip(sent)).await
    }

    /// Stores the records that failed in the database. Returns the result of every record.
    async fn store_failed(
        &self,
        events: &Events,
        sent: impl Iterator<Item = (&Record, Delivery)> + Clone,
    ) -> Vec<RecordOutcome> {
        let failed = sent
            .clone()
            .filter(|(_, delivery)| delivery.is_none())
            .map(|(record, _)| record);
        let stored = append(events, failed.clone(), true).await;
        if failed.peekable().peek().is_some() {
            self.signal.notify();
        }
        let kept = match stored {
            Ok(_) => RecordOutcome::Waiting,
            Err(_) => RecordOutcome::Refused(RecordError::NOT_KEPT),
        };
        sent.map(|(_, delivery)| delivery.unwrap_or(kept)).collect()
    }
}

/// Appends to the database's own log.
async fn append_to_log(events: &Events, records: &[Record]) -> Vec<RecordOutcome> {
    let is_ours = |record: &&Record| record.partition.is_none_or(|asked| asked == i64::from(PARTITION));
    let first = append(events, records.iter().filter(is_ours), false).await;
    let mut next = first.as_ref().copied().unwrap_or_default();
    let outcomes = records.iter().map(|record| {
        if !is_ours(&record) {
            return RecordOutcome::Refused(RecordError::NO_PARTITION);
        }
        if first.is_err() {
            return RecordOutcome::Refused(RecordError::NOT_KEPT);
        }
        let offset = next;
        next += 1;
        RecordOutcome::Stored {
            partition: PARTITION,
            offset,
        }
    });
    outcomes.collect()
}

/// Makes records durable in the database. Returns the offset of the first one.
pub(super) async fn append<'a>(
    events: &Events,
    records: impl Iterator<Item = &'a Record>,
    awaits_kafka: bool,
) -> Result<i64, StoreError> {
    let records: Vec<&Record> = records.collect();
    if records.is_empty() {
        return Ok(0);
    }
    let body = serde_json::to_string(&records).map_err(|_| StoreError::Unusable("batch of events"))?;
    let count = records.len() as u64;
    let batch = NewBatch {
        events: count.cast_signed(),
        body: &body,
        awaits_kafka,
    };
    let settings = &events.settings;
    let appended = events
        .store
        .append_events(&batch, settings.storage_bytes, events.clock.now_ms())
        .await;
    match &appended {
        Ok(appended) => {
            let dropped = u64::try_from(appended.dropped).unwrap_or_default();
            events.counts.dropped(Dropped::NoRoom, dropped);
        }
        Err(cause) => {
            events.counts.sink_failed();
            events.counts.dropped(Dropped::NotKept, count);
            tracing::error!(%cause, "events could not be stored in the database");
        }
    }
    appended.map(|appended| appended.first_offset)
}
