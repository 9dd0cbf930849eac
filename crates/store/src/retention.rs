//! Removes old charges with their attempts and webhook events, some at a time (docs/operator.md#how-long-charges-are-kept).
//!
//! A charge leaves only if nothing can happen to it any more: it has ended, no attempt is under way, no event waits, no
//! idempotency key of its creation is valid, and no saved card names its attempt. What the report counts of it stays.

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json};
use wire::ChargeStatus;

use super::attempt::UNDER_WAY;
use super::report_change::{CountedKind, SLOT_MS, note_change, span_begin};
use super::sql::row::Value;
use super::sql::{Query, SqlRow, query};
use super::write::{Tx, retried};
use super::{Store, StoreError};

/// How long a merchant's idempotency key is valid at most, in milliseconds, with room for clocks that differ.
const CREATION_KEY_MS: i64 = 48 * 3_600_000;

/// Where a search for old charges goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RetentionCursor {
    /// Unix milliseconds.
    pub created_at: i64,
}

/// A removed charge, or one that may be removed, with all that belongs to it, for an export.
#[derive(Debug, Clone, PartialEq)]
pub struct ChargeRecord {
    /// `ch_…`.
    pub id: String,
    /// Its columns, with `attempts`, `charge_changes` and `webhook_events` as lists.
    pub columns: Map<String, Json>,
}

/// How much was removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RemovedCharges {
    /// Charges.
    pub charges: u64,
    /// Their attempts.
    pub attempts: u64,
    /// Their webhook events.
    pub webhook_events: u64,
}

impl Store {
    /// The next charges in this state that were made and changed before `before`, the oldest first, and where to go on. Nothing is
    /// left if there is no charge. Some of them may have to stay.
    pub async fn old_charges(
        &self,
        status: ChargeStatus,
        from: RetentionCursor,
        before: i64,
        limit: i64,
    ) -> Result<(Vec<String>, RetentionCursor), StoreError> {
        let found: Vec<(String, i64)> = query(
            "SELECT id, created_at FROM charges WHERE status = $1 AND created_at >= $2 AND created_at < $3 \
             AND updated_at < $3 ORDER BY created_at LIMIT $4",
        )
        .bind(status.as_str())
        .bind(from.created_at)
        .bind(before)
        .bind(limit)
        .fetch_all(&self.readers)
        .await?;
        let last = found
            .last()
            .map_or(from.created_at, |(_, created_at)| *created_at);
        // Charges of the last millisecond may be left over; with a full page of one millisecond it goes on behind it.
        let next = if last == from.created_at { last + 1 } else { last };
        let ids = found.into_iter().map(|(id, _)| id).collect();
        Ok((ids, RetentionCursor { created_at: next }))
    }

    /// Those of these charges that can leave now, with all that belongs to them.
    pub async fn removable_charges(
        &self,
        ids: &[String],
        now_ms: i64,
    ) -> Result<Vec<ChargeRecord>, StoreError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let sql = format!(
            "SELECT * FROM charges WHERE {} AND {}",
            among("id", ids, 2),
            can_leave()
        );
        let rows: Vec<SqlRow> = bound(query(sql).bind(now_ms - CREATION_KEY_MS), ids)
            .fetch_all(&self.readers)
            .await?;
        let mut records = Vec::new();
        for row in rows {
            let mut columns = json_of(row);
            let Some(Json::String(id)) = columns.get("id").cloned() else {
                return Err(StoreError::Unusable("charge without an id"));
            };
            for (name, sql) in [
                (
                    "attempts",
                    "SELECT * FROM attempts WHERE charge_id = $1 ORDER BY id",
                ),
                (
                    "charge_changes",
                    "SELECT * FROM charge_changes WHERE charge_id = $1 ORDER BY changed_at, id",
                ),
                (
                    "webhook_events",
                    "SELECT * FROM webhook_events WHERE charge_id = $1 ORDER BY number",
                ),
            ] {
                let rows: Vec<SqlRow> = query(sql).bind(&id).fetch_all(&self.readers).await?;
                let list = rows.into_iter().map(|row| Json::Object(json_of(row))).collect();
                columns.insert(name.to_owned(), Json::Array(list));
            }
            records.push(ChargeRecord { id, columns });
        }
        Ok(records)
    }

    /// Removes those of these charges that can leave, in one transaction.
    pub async fn remove_charges(&self, ids: &[String], now_ms: i64) -> Result<RemovedCharges, StoreError> {
        if ids.is_empty() {
            return Ok(RemovedCharges::default());
        }
        retried(|| async {
            let mut tx = self.write().await?;
            let removed = remove(&mut tx, ids, now_ms).await?;
            tx.commit().await?;
            Ok(removed)
        })
        .await
    }
}

async fn remove(tx: &mut Tx, ids: &[String], now_ms: i64) -> Result<RemovedCharges, StoreError> {
    // Locks them, so that nothing of theirs begins meanwhile.
    let sql = format!(
        "UPDATE charges SET status = status WHERE {} AND {} RETURNING id, created_at",
        among("id", ids, 2),
        can_leave()
    );
    let leaving: Vec<(String, i64)> = bound(query(sql).bind(now_ms - CREATION_KEY_MS), ids)
        .fetch_all(&mut *tx)
        .await?;
    if leaving.is_empty() {
        return Ok(RemovedCharges::default());
    }
    let slots: BTreeSet<i64> = leaving.iter().map(|(_, at)| span_begin(*at, SLOT_MS)).collect();
    let ids: Vec<String> = leaving.into_iter().map(|(id, _)| id).collect();
    for slot in slots {
        // A count that goes on at this moment is repeated.
        note_change(tx, CountedKind::Charges, slot).await?;
    }
    for (topic, name, amount, condition) in [
        ("status", "status", "'0'", "1 = 1"),
        (
            "paid",
            "amount_currency",
            "CAST(SUM(CAST(amount_value AS NUMERIC)) AS TEXT)",
            "status = 'succeeded'",
        ),
    ] {
        let sql = format!(
            "INSERT INTO removed_charges (at, topic, name, counted, amount) \
             SELECT created_at - created_at % {SLOT_MS}, '{topic}', {name}, COUNT(*), {amount} FROM charges \
             WHERE {} AND {condition} GROUP BY 1, {name} \
             ON CONFLICT (topic, at, name) DO UPDATE SET counted = removed_charges.counted + excluded.counted, \
             amount = CAST(CAST(removed_charges.amount AS NUMERIC) + CAST(excluded.amount AS NUMERIC) AS TEXT)",
            among("id", &ids, 1)
        );
        bound(query(sql), &ids).execute(&mut *tx).await?;
    }
    let mut gone = [0; 5];
    for (count, (table, column)) in gone.iter_mut().zip([
        ("webhook_events", "charge_id"),
        ("creations", "charge_id"),
        ("charge_changes", "charge_id"),
        ("attempts", "charge_id"),
        ("charges", "id"),
    ]) {
        let sql = format!("DELETE FROM {table} WHERE {}", among(column, &ids, 1));
        *count = bound(query(sql), &ids).execute(&mut *tx).await?;
    }
    let [webhook_events, _, _, attempts, charges] = gone;
    Ok(RemovedCharges {
        charges,
        attempts,
        webhook_events,
    })
}

/// Whether a charge can leave; `$1` is the time before which no idempotency key is valid any more.
fn can_leave() -> String {
    format!(
        "status IN ('succeeded', 'canceled', 'expired') \
         AND NOT EXISTS (SELECT 1 FROM attempts a WHERE a.charge_id = charges.id AND {UNDER_WAY}) \
         AND NOT EXISTS (SELECT 1 FROM webhook_events w WHERE w.charge_id = charges.id AND w.finished_at IS NULL) \
         AND NOT EXISTS (SELECT 1 FROM creations c WHERE c.charge_id = charges.id AND c.created_at >= $1) \
         AND NOT EXISTS (SELECT 1 FROM attempts a JOIN saved_cards s ON s.attempt_id = a.id \
         WHERE a.charge_id = charges.id)"
    )
}

/// The condition that the column has one of these values, whose places begin at `first`.
fn among(column: &str, ids: &[String], first: usize) -> String {
    let places: Vec<String> = (0..ids.len()).map(|at| format!("${}", first + at)).collect();
    format!("{column} IN ({})", places.join(", "))
}

fn bound<'a>(statement: Query<'a>, ids: &'a [String]) -> Query<'a> {
    ids.iter().fold(statement, Query::bind)
}

fn json_of(row: SqlRow) -> Map<String, Json> {
    row.into_columns()
        .map(|(name, value)| {
            let value = match value {
                Value::Null => Json::Null,
                Value::Int(number) => number.into(),
                Value::Text(text) => text.into(),
            };
            (name, value)
        })
        .collect()
}
