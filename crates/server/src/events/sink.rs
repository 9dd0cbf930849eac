//! Stores events in the database's log, or in Kafka. While Kafka cannot be reached, events wait in the database.

use std::sync::Arc;
use std::time::Duration;

use store::{NewBatch, StoreError};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::Events;
use super::counts::Dropped;
use super::forwarder::{self, Handover};
use super::kafka::{Delivery, Kafka};
use super::record::{Fault, Placed, Record};
use super::settings::SinkChoice;

/// The database's log has one partition, so that its events have one order.
const PARTITION: i32 = 0;
/// How many bytes of events one commit to the database may have. Charges are written to the same database and wait at
/// most for a commit of this size.
const TOGETHER_BYTES: usize = 512 * 1024;
/// How many bytes of events are sent to Kafka together. More than to the database, because each request costs
/// `rskafka` about forty milliseconds of waiting: it writes a request in two pieces, and the socket holds back the
/// second.
const TOGETHER_TO_KAFKA_BYTES: usize = 2 * 1024 * 1024;
/// How long Kafka may take before events wait in the database instead. The answers to pages wait that long, too, but
/// no shopper waits for them.
const SEND_LIMIT: Duration = Duration::from_secs(3);
/// The shortest time for which events go to the database after Kafka failed, so that a slow Kafka does not delay one
/// batch after the other.
const DETOUR_MIN: Duration = Duration::from_secs(5);

/// Where events are stored.
pub(super) enum Sink {
    /// The database's own log.
    Database,
    /// Kafka.
    Kafka(Box<ByWayOfKafka>),
}

/// Kafka while it accepts events, and the database while it does not.
pub(super) struct ByWayOfKafka {
    kafka: Kafka,
    handover: Arc<Handover>,
    forwarder: JoinHandle<()>,
    /// Set while events wait in the database. New events must wait there, too, or they would overtake them: until all
    /// were sent to Kafka, and at least until this time.
    detour_until: Option<Instant>,
}

impl Sink {
    /// Opens the sink that the settings name.
    pub(super) fn open(events: &Arc<Events>, stop: watch::Receiver<bool>) -> Self {
        let SinkChoice::Kafka(settings) = &events.settings.sink else {
            return Self::Database;
        };
        let topic = &events.settings.topic;
        let handover = Arc::new(Handover::default());
        let forwarder = forwarder::run(
            Arc::clone(events),
            Kafka::new(settings, topic),
            Arc::clone(&handover),
            stop,
        );
        Self::Kafka(Box::new(ByWayOfKafka {
            kafka: Kafka::new(settings, topic),
            handover,
            forwarder: tokio::spawn(forwarder),
            // Events from before the start may still wait.
            detour_until: Some(Instant::now()),
        }))
    }

    /// How many bytes of events to store together now.
    pub(super) fn together_bytes(&self) -> usize {
        match self {
            Self::Kafka(way) if way.detour_until.is_none() => TOGETHER_TO_KAFKA_BYTES,
            Self::Database | Self::Kafka(_) => TOGETHER_BYTES,
        }
    }

    /// Stores the records. Returns the result of each, in their order.
    pub(super) async fn keep(&mut self, events: &Events, records: &[Record]) -> Vec<Placed> {
        match self {
            Self::Database => log(events, records).await,
            Self::Kafka(way) => way.keep(events, records).await,
        }
    }

    /// Waits until the forwarder has ended; it was told to stop.
    pub(super) async fn close(self) {
        if let Self::Kafka(way) = self {
            // If it panicked, there is nothing to wait for.
            let _ = way.forwarder.await;
        }
    }
}

impl ByWayOfKafka {
    async fn keep(&mut self, events: &Events, records: &[Record]) -> Vec<Placed> {
        if let Some(until) = self.detour_until {
            if Instant::now() < until || !self.handover.is_done(events).await {
                return self
                    .detour(events, records.iter().map(|record| (record, Delivery::Failed)))
                    .await;
            }
            self.detour_until = None;
            tracing::info!("events go to Kafka");
        }
        let sent = self.kafka.send(records, events.clock.now_ms(), SEND_LIMIT).await;
        if sent.contains(&Delivery::Failed) {
            events.counts.sink_failed();
            tracing::warn!("events wait in the database until Kafka takes them");
            self.detour_until = Some(Instant::now() + DETOUR_MIN);
        }
        self.detour(events, records.iter().zip(sent)).await
    }

    /// Stores the records that failed in the database. Returns the result of every record.
    async fn detour(
        &self,
        events: &Events,
        sent: impl Iterator<Item = (&Record, Delivery)> + Clone,
    ) -> Vec<Placed> {
        let failed = sent
            .clone()
            .filter(|(_, delivery)| *delivery == Delivery::Failed)
            .map(|(record, _)| record);
        let kept = append(events, failed.clone(), true).await;
        if failed.peekable().peek().is_some() {
            self.handover.begin();
        }
        let placed = sent.map(|(_, delivery)| match delivery {
            Delivery::At { partition, offset } => Placed::At { partition, offset },
            Delivery::Refused(fault) => Placed::No(fault),
            Delivery::Failed if kept.is_ok() => Placed::Waiting,
            Delivery::Failed => Placed::No(Fault::NOT_KEPT),
        });
        placed.collect()
    }
}

/// Appends to the database's own log.
async fn log(events: &Events, records: &[Record]) -> Vec<Placed> {
    let is_ours = |record: &&Record| record.partition.is_none_or(|asked| asked == i64::from(PARTITION));
    let first = append(events, records.iter().filter(is_ours), false).await;
    let mut next = first.as_ref().copied().unwrap_or_default();
    let placed = records.iter().map(|record| {
        if !is_ours(&record) {
            return Placed::No(Fault::NO_PARTITION);
        }
        if first.is_err() {
            return Placed::No(Fault::NOT_KEPT);
        }
        let offset = next;
        next += 1;
        Placed::At {
            partition: PARTITION,
            offset,
        }
    });
    placed.collect()
}

/// Makes records durable in the database. Returns the offset of the first one.
pub(super) async fn append<'a>(
    events: &Events,
    records: impl Iterator<Item = &'a Record>,
    awaits_kafka: bool,
) -> Result<i64, StoreError> {
    let mut body = String::from("[");
    let mut count = 0;
    for record in records {
        if count > 0 {
            body.push_str(",\n");
        }
        write(&mut body, record);
        count += 1;
    }
    body.push(']');
    if count == 0 {
        return Ok(0);
    }
    let batch = NewBatch {
        events: count,
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
            events.counts.dropped(Dropped::NotKept, count.unsigned_abs());
            tracing::error!(%cause, "events could not be kept");
        }
    }
    appended.map(|appended| appended.first_offset)
}

fn write(body: &mut String, record: &Record) {
    body.push('{');
    if let Some(key) = &record.key {
        body.push_str("\"key\":");
        body.push_str(key.get());
        body.push(',');
    }
    if let Some(partition) = record.partition {
        body.push_str("\"partition\":");
        body.push_str(&partition.to_string());
        body.push(',');
    }
    body.push_str("\"value\":");
    body.push_str(record.value.get());
    body.push('}');
}
