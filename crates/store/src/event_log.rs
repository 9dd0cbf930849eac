//! The events of shoppers' pages: a log with offsets and a limit in bytes. When it is full, the oldest events are
//! deleted.

use serde::Deserialize;

use super::sql::query;
use super::write::{Tx, retried};
use super::{Store, StoreError};

/// How many batches one transaction deletes. It is small, because deleted rows are overwritten and charges wait for the
/// writer meanwhile.
const DELETED_AT_ONCE: i64 = 8;

/// Events to store together.
#[derive(Debug, Clone)]
pub struct NewBatch<'a> {
    /// How many.
    pub events: i64,
    /// A JSON array of them.
    pub body: &'a str,
    /// Whether they wait for Kafka.
    pub awaits_kafka: bool,
}

/// Where events were stored, and how many old ones were deleted for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AppendOutcome {
    /// The first event's offset.
    pub first_offset: i64,
    /// How many of the oldest events were deleted.
    pub dropped: i64,
}

/// Events that were stored together.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct StoredBatch {
    /// The first event's offset.
    pub first_offset: i64,
    /// How many.
    pub events: i64,
    /// When they were stored, in unix milliseconds.
    pub kept_at: i64,
    /// A JSON array of them.
    pub body: String,
}

/// The events that were deleted because of their age.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeletedEvents {
    /// How many rows.
    pub batches: u64,
    /// How many of their events still waited for Kafka.
    pub undelivered: u64,
}

impl Store {
    /// Appends a batch at `now`, in unix milliseconds. If all batches together exceed `bytes_max`, the oldest ones are
    /// deleted, but never the new one.
    pub async fn append_events(
        &self,
        batch: &NewBatch<'_>,
        bytes_max: i64,
        now: i64,
    ) -> Result<AppendOutcome, StoreError> {
        let size = i64::try_from(batch.body.len()).unwrap_or(i64::MAX);
        retried(|| async {
            let mut tx = self.write().await?;
            let (next_offset, bytes): (i64, i64) = query(
                "UPDATE event_log SET next_offset = next_offset + $1, bytes = bytes + $2 WHERE id = 1 \
                 RETURNING next_offset, bytes",
            )
            .bind(batch.events)
            .bind(size)
            .fetch_one(&mut tx)
            .await?;
            let dropped = make_room(&mut tx, bytes - bytes_max, bytes - size).await?;
            let first_offset = next_offset - batch.events;
            query(
                "INSERT INTO event_batches (first_offset, events, bytes, kept_at, awaits_kafka, body) \
                 VALUES ($1, $2, $3, $4, $5, $6)",
            )
            .bind(first_offset)
            .bind(batch.events)
            .bind(size)
            .bind(now)
            .bind(i64::from(batch.awaits_kafka))
            .bind(batch.body)
            .execute(&mut tx)
            .await?;
            tx.commit().await?;
            Ok(AppendOutcome {
                first_offset,
                dropped,
            })
        })
        .await
    }

    /// The batches from the one with this offset, the oldest first.
    pub async fn events_from(&self, offset: i64, batches: i64) -> Result<Vec<StoredBatch>, StoreError> {
        Ok(query(
            "SELECT first_offset, events, kept_at, body FROM event_batches \
             WHERE first_offset >= COALESCE((SELECT MAX(first_offset) FROM event_batches WHERE first_offset <= $1), $1) \
             ORDER BY first_offset LIMIT $2",
        )
        .bind(offset)
        .bind(batches)
        .fetch_all(&self.readers)
        .await?)
    }

    /// How many events wait for Kafka.
    pub async fn events_waiting(&self) -> Result<i64, StoreError> {
        let sql = "SELECT CAST(COALESCE(SUM(events), 0) AS BIGINT) FROM event_batches WHERE awaits_kafka = 1";
        Ok(query(sql).fetch_one(&self.readers).await?)
    }

    /// Whether events wait for Kafka. It is faster than counting them.
    pub async fn has_events_waiting(&self) -> Result<bool, StoreError> {
        let sql =
            "SELECT first_offset FROM event_batches WHERE awaits_kafka = 1 ORDER BY first_offset LIMIT 1";
        let first: Option<i64> = query(sql).fetch_optional(&self.readers).await?;
        Ok(first.is_some())
    }

    /// The batches that wait for Kafka, the oldest first.
    pub async fn events_for_kafka(&self, batches: i64) -> Result<Vec<StoredBatch>, StoreError> {
        Ok(query(
            "SELECT first_offset, events, kept_at, body FROM event_batches WHERE awaits_kafka = 1 \
             ORDER BY first_offset LIMIT $1",
        )
        .bind(batches)
        .fetch_all(&self.readers)
        .await?)
    }

    /// Gives the node of this name the lease to forward events until `until`, unless another node has it; both times in
    /// unix milliseconds.
    pub async fn take_forwarder_lease(&self, name: &str, now: i64, until: i64) -> Result<bool, StoreError> {
        let changed = query(
            "UPDATE event_log SET forwarder = $1, forwarder_until = $2 \
             WHERE id = 1 AND (forwarder = $1 OR forwarder_until < $3)",
        )
        .bind(name)
        .bind(until)
        .bind(now)
        .write(&self.writer)
        .await?;
        Ok(changed == 1)
    }

    /// Ends the lease of the node of this name, if it has it.
    pub async fn release_forwarder_lease(&self, name: &str) -> Result<(), StoreError> {
        query("UPDATE event_log SET forwarder_until = 0 WHERE id = 1 AND forwarder = $1")
            .bind(name)
            .write(&self.writer)
            .await?;
        Ok(())
    }

    /// Deletes the batch with this offset, which Kafka has received.
    pub async fn delete_forwarded_events(&self, first_offset: i64) -> Result<(), StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            hold(&mut tx).await?;
            // It may have been deleted meanwhile to make room.
            let gone: Option<i64> =
                query("DELETE FROM event_batches WHERE first_offset = $1 RETURNING bytes")
                    .bind(first_offset)
                    .fetch_optional(&mut tx)
                    .await?;
            shrink(&mut tx, gone.unwrap_or_default()).await?;
            tx.commit().await
        })
        .await
    }

    /// Keeps only these events, a JSON array, of a batch that Kafka has received in part.
    pub async fn keep_unsent_events(
        &self,
        batch: &StoredBatch,
        events: i64,
        body: &str,
    ) -> Result<(), StoreError> {
        let [before, size] = [&batch.body, body].map(|text| i64::try_from(text.len()).unwrap_or(i64::MAX));
        retried(|| async {
            let mut tx = self.write().await?;
            hold(&mut tx).await?;
            let kept =
                query("UPDATE event_batches SET events = $1, bytes = $2, body = $3 WHERE first_offset = $4 AND bytes = $5")
                    .bind(events)
                    .bind(size)
                    .bind(body)
                    .bind(batch.first_offset)
                    .bind(before)
                    .execute(&mut tx)
                    .await?;
            // It may have been deleted meanwhile to make room, or another node has sent some of it.
            if kept > 0 {
                shrink(&mut tx, before - size).await?;
            }
            tx.commit().await
        })
        .await
    }

    /// Deletes batches that were stored before `before`, in unix milliseconds.
    pub async fn delete_old_events(&self, before: i64) -> Result<DeletedEvents, StoreError> {
        let mut forgotten = DeletedEvents::default();
        loop {
            let gone = retried(|| async {
                let mut tx = self.write().await?;
                // Locks the log first, in the same order as appending, to avoid a deadlock.
                hold(&mut tx).await?;
                let gone: Vec<(i64, i64)> = query(
                    "DELETE FROM event_batches WHERE first_offset IN (SELECT first_offset FROM event_batches \
                     WHERE kept_at < $1 ORDER BY kept_at LIMIT $2) RETURNING bytes, events * awaits_kafka",
                )
                .bind(before)
                .bind(DELETED_AT_ONCE)
                .fetch_all(&mut tx)
                .await?;
                shrink(&mut tx, gone.iter().map(|(bytes, _)| bytes).sum()).await?;
                tx.commit().await?;
                Ok(gone)
            })
            .await?;
            forgotten.batches += gone.len() as u64;
            forgotten.undelivered += gone.iter().map(|(_, waited)| waited.unsigned_abs()).sum::<u64>();
            if gone.is_empty() {
                return Ok(forgotten);
            }
        }
    }
}

/// Locks the log until the transaction ends.
async fn hold(connection: &mut Tx) -> Result<(), StoreError> {
    query("UPDATE event_log SET bytes = bytes WHERE id = 1")
        .execute(connection)
        .await?;
    Ok(())
}

async fn shrink(connection: &mut Tx, by: i64) -> Result<(), StoreError> {
    query("UPDATE event_log SET bytes = bytes - $1 WHERE id = 1")
        .bind(by)
        .execute(connection)
        .await?;
    Ok(())
}

/// Deletes the oldest batches until `excess` of the `kept` bytes are gone. Returns how many events were deleted.
async fn make_room(connection: &mut Tx, excess: i64, kept: i64) -> Result<i64, StoreError> {
    let (mut freed, mut dropped) = (0, 0);
    // One first, which is usually enough; then more each time, if a large batch needs the room of many small ones.
    let mut at_once: i64 = 1;
    while freed < excess && freed < kept {
        let gone: Vec<(i64, i64)> = query(
            "DELETE FROM event_batches WHERE first_offset IN \
             (SELECT first_offset FROM event_batches ORDER BY first_offset LIMIT $1) RETURNING events, bytes",
        )
        .bind(at_once)
        .fetch_all(&mut *connection)
        .await?;
        at_once = at_once.saturating_mul(2);
        if gone.is_empty() {
            break;
        }
        for (events, bytes) in gone {
            dropped += events;
            freed += bytes;
        }
    }
    if freed > 0 {
        shrink(connection, freed).await?;
    }
    Ok(dropped)
}
