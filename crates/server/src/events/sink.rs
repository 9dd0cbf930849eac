//! Where events are kept.

use super::counts::Dropped;
use super::record::{Fault, Placed, Record};
use crate::app::App;
use crate::store::{NewBatch, StoreError};

/// The database's log has one partition: its events are in one order.
const PARTITION: i32 = 0;

/// The place.
#[derive(Debug)]
pub(super) enum Sink {
    /// The database's own log.
    Database,
}

impl Sink {
    /// As the settings say.
    pub(super) fn new(_app: &App) -> Self {
        Self::Database
    }

    /// Keeps the records; what became of each, in their order.
    pub(super) async fn keep(&mut self, app: &App, records: &[Record]) -> Vec<Placed> {
        match self {
            Self::Database => log(app, records).await,
        }
    }
}

/// Appends to the database's own log.
async fn log(app: &App, records: &[Record]) -> Vec<Placed> {
    let is_ours = |record: &&Record| record.partition.is_none_or(|asked| asked == i64::from(PARTITION));
    let first = append(app, records.iter().filter(is_ours), false).await;
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

/// Makes records durable in the database; the first one's offset.
pub(super) async fn append<'a>(
    app: &App,
    records: impl Iterator<Item = &'a Record>,
    awaits_kafka: bool,
) -> Result<i64, StoreError> {
    let mut body = String::from("[");
    let mut events = 0;
    for record in records {
        if events > 0 {
            body.push_str(",\n");
        }
        write(&mut body, record);
        events += 1;
    }
    body.push(']');
    if events == 0 {
        return Ok(0);
    }
    let batch = NewBatch {
        events,
        body: &body,
        awaits_kafka,
    };
    let settings = &app.config.events;
    let appended = app
        .store
        .append_events(&batch, settings.storage_bytes, app.clock.now_ms())
        .await;
    match &appended {
        Ok(appended) => {
            let dropped = u64::try_from(appended.dropped).unwrap_or_default();
            app.events.counts.dropped(Dropped::NoRoom, dropped);
        }
        Err(cause) => {
            app.events.counts.sink_failed();
            app.events.counts.dropped(Dropped::NotKept, events.unsigned_abs());
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
