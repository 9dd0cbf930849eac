//! The events of shoppers' pages: a log with offsets, bounded in bytes, whose oldest events make room.

use sqlx::{AnyConnection, FromRow};

use super::write::retried;
use super::{Store, StoreError};

/// How many batches one transaction forgets: removed rows are overwritten, and charges wait for the writer meanwhile.
const FORGOTTEN_AT_ONCE: i64 = 64;

/// Events to be kept together.
#[derive(Debug, Clone)]
pub struct NewBatch<'a> {
    /// How many.
    pub events: i64,
    /// A JSON array of them.
    pub body: &'a str,
    /// They wait for Kafka.
    pub awaits_kafka: bool,
}

/// Where events were put, and what went for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Appended {
    /// The first event's offset.
    pub first_offset: i64,
    /// How many of the oldest events had to go.
    pub dropped: i64,
}

/// Events that were kept together.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct EventBatch {
    /// The first event's offset.
    pub first_offset: i64,
    /// How many.
    pub events: i64,
    /// When they were kept, in unix milliseconds.
    pub kept_at: i64,
    /// A JSON array of them.
    pub body: String,
}

impl Store {
    /// Appends a batch at `now`, in unix milliseconds; the oldest batches go when all together pass `bytes_max`. The new
    /// one stays, whatever its size.
    pub async fn append_events(
        &self,
        batch: &NewBatch<'_>,
        bytes_max: i64,
        now: i64,
    ) -> Result<Appended, StoreError> {
        let size = i64::try_from(batch.body.len()).unwrap_or(i64::MAX);
        retried(|| async {
            let mut tx = self.write().await?;
            let (next_offset, bytes): (i64, i64) = sqlx::query_as(
                "UPDATE event_log SET next_offset = next_offset + $1, bytes = bytes + $2 WHERE id = 1 \
                 RETURNING next_offset, bytes",
            )
            .bind(batch.events)
            .bind(size)
            .fetch_one(&mut *tx)
            .await?;
            let dropped = make_room(&mut tx, bytes - bytes_max, bytes - size).await?;
            let first_offset = next_offset - batch.events;
            sqlx::query(
                "INSERT INTO event_batches (first_offset, events, bytes, kept_at, awaits_kafka, body) \
                 VALUES ($1, $2, $3, $4, $5, $6)",
            )
            .bind(first_offset)
            .bind(batch.events)
            .bind(size)
            .bind(now)
            .bind(i64::from(batch.awaits_kafka))
            .bind(batch.body)
            .execute(&mut *tx)
            .await?;
            tx.commit().await?;
            Ok(Appended {
                first_offset,
                dropped,
            })
        })
        .await
    }

    /// Batches from the one with this offset on, the oldest first.
    pub async fn events_from(&self, offset: i64, batches: i64) -> Result<Vec<EventBatch>, StoreError> {
        Ok(sqlx::query_as(
            "SELECT first_offset, events, kept_at, body FROM event_batches \
             WHERE first_offset >= COALESCE((SELECT MAX(first_offset) FROM event_batches WHERE first_offset <= $1), $1) \
             ORDER BY first_offset LIMIT $2",
        )
        .bind(offset)
        .bind(batches)
        .fetch_all(&self.readers)
        .await?)
    }

    /// Forgets batches that were kept before `before`, in unix milliseconds; how many rows.
    pub async fn forget_old_events(&self, before: i64) -> Result<u64, StoreError> {
        let mut forgotten = 0;
        loop {
            let rows = retried(|| async {
                let mut tx = self.write().await?;
                // The log first, as whoever appends: two who wait for each other would be a deadlock.
                hold(&mut tx).await?;
                let gone: Vec<(i64, i64)> = sqlx::query_as(
                    "DELETE FROM event_batches WHERE first_offset IN (SELECT first_offset FROM event_batches \
                     WHERE kept_at < $1 ORDER BY kept_at LIMIT $2) RETURNING events, bytes",
                )
                .bind(before)
                .bind(FORGOTTEN_AT_ONCE)
                .fetch_all(&mut *tx)
                .await?;
                shrink(&mut tx, gone.iter().map(|(_, bytes)| bytes).sum()).await?;
                tx.commit().await?;
                Ok(gone.len())
            })
            .await?;
            forgotten += rows as u64;
            if rows == 0 {
                return Ok(forgotten);
            }
        }
    }
}

/// Holds the log until the transaction ends.
async fn hold(connection: &mut AnyConnection) -> Result<(), StoreError> {
    sqlx::query("UPDATE event_log SET bytes = bytes WHERE id = 1")
        .execute(connection)
        .await?;
    Ok(())
}

async fn shrink(connection: &mut AnyConnection, by: i64) -> Result<(), StoreError> {
    sqlx::query("UPDATE event_log SET bytes = bytes - $1 WHERE id = 1")
        .bind(by)
        .execute(connection)
        .await?;
    Ok(())
}

/// Removes the oldest batches until `excess` bytes are gone, of `kept` in all; how many events went.
async fn make_room(connection: &mut AnyConnection, excess: i64, kept: i64) -> Result<i64, StoreError> {
    let (mut freed, mut dropped) = (0, 0);
    // One at first, which is the rule; more each time when a large batch needs the room of many small ones.
    let mut at_once: i64 = 1;
    while freed < excess && freed < kept {
        let gone: Vec<(i64, i64)> = sqlx::query_as(
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
