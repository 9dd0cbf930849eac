//! Removes old charges with their attempts and webhook events, some at a time (docs/operator.md#how-long-charges-are-kept).
//!
//! A charge leaves only if nothing can happen to it any more: it has ended, no attempt is under way, no event waits, no
//! dispute is open, no idempotency key of its creation is valid, and no saved card names its attempt. The report still counts the
//! charge.

use protocol::ChargeStatus;
use serde_json::{Map, Value as Json};

use super::attempt::UNDER_WAY;
use super::sql::{Query, places, query};
use super::write::{Tx, retried};
use super::{Store, StoreError};

/// How long a merchant's idempotency key is valid at most, in milliseconds, with room for clocks that differ.
const CREATION_KEY_MS: i64 = 48 * 3_600_000;
/// The report's counts of removed charges are kept by spans of this length, in milliseconds.
const REMOVED_SLOT_MS: i64 = 900_000;

/// How many charges one search looks at.
const LOOKED_AT_ONCE: i64 = 5_000;

/// Where a search for old charges continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RetentionCursor {
    /// Where the next round begins, in unix milliseconds. A charge that is too young now was made later, unless a charge that
    /// can leave was made later still.
    begin: i64,
    /// Where this round continues.
    at: i64,
}

impl RetentionCursor {
    /// The begin of the next round.
    #[must_use]
    pub fn next_round(self) -> Self {
        Self {
            at: self.begin,
            ..self
        }
    }
}

/// A removed charge, or one that may be removed, with all that belongs to it, for an export.
#[derive(Debug, Clone, PartialEq)]
pub struct ChargeRecord {
    /// `ch_…`.
    pub id: String,
    /// Its columns, with `attempts`, `charge_changes`, `webhook_events`, `operations` and `disputes` as lists.
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
    /// The next charges in these states that were made and changed before `before`, the oldest first, and where the search
    /// continues. The list can be empty although charges are left; `None` if none is left. Some of the charges may have to
    /// stay.
    pub async fn old_charges(
        &self,
        statuses: &[ChargeStatus],
        from: RetentionCursor,
        before: i64,
        limit: i64,
    ) -> Result<Option<(Vec<String>, RetentionCursor)>, StoreError> {
        let until = self.last_of_next_charges(from.at, before, LOOKED_AT_ONCE).await?;
        let Some(until) = until else {
            return Ok(None);
        };
        let statuses: Vec<String> = statuses
            .iter()
            .map(|status| format!("'{}'", status.as_str()))
            .collect();
        let sql = format!(
            "SELECT id, created_at FROM charges WHERE created_at >= $1 AND created_at <= $2 \
             AND updated_at < $3 AND status IN ({}) ORDER BY created_at LIMIT $4",
            statuses.join(", ")
        );
        let found: Vec<(String, i64)> = query(sql)
            .bind(from.at)
            .bind(until)
            .bind(before)
            .bind(limit)
            .fetch_all(&self.readers)
            .await?;
        let mut next = RetentionCursor {
            at: until + 1,
            ..from
        };
        if let Some((_, last)) = found.last() {
            // Charges of the last millisecond may be left over; if all are of one millisecond, the search continues after it.
            next.begin = if *last > from.at { *last } else { last + 1 };
            if i64::try_from(found.len()) == Ok(limit) {
                next.at = next.begin;
            }
        } else if from.begin == from.at && !self.has_young_charge(from.at, until, before).await? {
            next.begin = next.at;
        }
        let ids = found.into_iter().map(|(id, _)| id).collect();
        Ok(Some((ids, next)))
    }

    /// Whether a charge made in this time has not ended, or was changed at `before` or later: it may leave later.
    async fn has_young_charge(&self, from: i64, until: i64, before: i64) -> Result<bool, StoreError> {
        let found: Option<String> = query(
            "SELECT id FROM charges WHERE created_at >= $1 AND created_at <= $2 \
             AND (updated_at >= $3 OR status NOT IN ('succeeded', 'canceled', 'expired')) LIMIT 1",
        )
        .bind(from)
        .bind(until)
        .bind(before)
        .fetch_optional(&self.readers)
        .await?;
        Ok(found.is_some())
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
        let rows: Vec<Map<String, Json>> = bound(query(sql).bind(now_ms - CREATION_KEY_MS), ids)
            .fetch_all(&self.readers)
            .await?;
        let mut records = Vec::new();
        for mut columns in rows {
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
                (
                    "operations",
                    "SELECT * FROM operations WHERE charge_id = $1 ORDER BY created_at, id",
                ),
                (
                    "disputes",
                    "SELECT * FROM disputes WHERE charge_id = $1 ORDER BY created_at, id",
                ),
            ] {
                let rows: Vec<Map<String, Json>> = query(sql).bind(&id).fetch_all(&self.readers).await?;
                columns.insert(name.to_owned(), rows.into());
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
    // Locks them, so that nothing of theirs begins meanwhile. What began before the lock is seen only by a later statement.
    let lock = format!("UPDATE charges SET status = status WHERE {}", among("id", ids, 1));
    bound(query(lock), ids).execute(&mut *tx).await?;
    let sql = format!(
        "SELECT id FROM charges WHERE {} AND {}",
        among("id", ids, 2),
        can_leave()
    );
    let ids: Vec<String> = bound(query(sql).bind(now_ms - CREATION_KEY_MS), ids)
        .fetch_all(&mut *tx)
        .await?;
    if ids.is_empty() {
        return Ok(RemovedCharges::default());
    }
    for (topic, name, amount, condition) in [
        ("status", "status", "'0'", "1 = 1"),
        (
            "paid",
            "amount_currency",
            "CAST(SUM(CAST(COALESCE(amount_captured, amount_value) AS NUMERIC)) AS TEXT)",
            "status = 'succeeded'",
        ),
    ] {
        let sql = format!(
            "INSERT INTO removed_charges (at, topic, name, counted, amount) \
             SELECT created_at - created_at % {REMOVED_SLOT_MS}, '{topic}', {name}, COUNT(*), {amount} FROM charges \
             WHERE {} AND {condition} GROUP BY 1, {name} \
             ON CONFLICT (topic, at, name) DO UPDATE SET counted = removed_charges.counted + excluded.counted, \
             amount = CAST(CAST(removed_charges.amount AS NUMERIC) + CAST(excluded.amount AS NUMERIC) AS TEXT)",
            among("id", &ids, 1)
        );
        bound(query(sql), &ids).execute(&mut *tx).await?;
    }
    let mut removed = RemovedCharges::default();
    for (table, column) in [
        ("webhook_events", "charge_id"),
        ("creations", "charge_id"),
        ("charge_changes", "charge_id"),
        ("disputes", "charge_id"),
        ("operations", "charge_id"),
        ("attempts", "charge_id"),
        ("charges", "id"),
    ] {
        let sql = format!("DELETE FROM {table} WHERE {}", among(column, &ids, 1));
        let rows = bound(query(sql), &ids).execute(&mut *tx).await?;
        match table {
            "webhook_events" => removed.webhook_events = rows,
            "attempts" => removed.attempts = rows,
            "charges" => removed.charges = rows,
            _ => {}
        }
    }
    Ok(removed)
}

/// Whether a charge can leave; `$1` is the time before which no idempotency key is valid any more.
fn can_leave() -> String {
    format!(
        "status IN ('succeeded', 'canceled', 'expired') \
         AND NOT EXISTS (SELECT 1 FROM attempts a WHERE a.charge_id = charges.id AND {UNDER_WAY}) \
         AND NOT EXISTS (SELECT 1 FROM webhook_events w WHERE w.charge_id = charges.id AND w.finished_at IS NULL) \
         AND NOT EXISTS (SELECT 1 FROM operations o WHERE o.charge_id = charges.id AND o.owner_until IS NOT NULL) \
         AND NOT EXISTS (SELECT 1 FROM disputes d WHERE d.charge_id = charges.id AND d.status = 'open') \
         AND NOT EXISTS (SELECT 1 FROM creations c WHERE c.charge_id = charges.id AND c.created_at >= $1) \
         AND NOT EXISTS (SELECT 1 FROM attempts a JOIN saved_cards s ON s.attempt_id = a.id \
         WHERE a.charge_id = charges.id)"
    )
}

/// The condition that the column has one of these values, whose places begin at `first`.
fn among(column: &str, ids: &[String], first: usize) -> String {
    format!("{column} IN ({})", places(first, ids.len()))
}

fn bound<'a>(statement: Query<'a>, ids: &'a [String]) -> Query<'a> {
    ids.iter().fold(statement, Query::bind)
}

#[cfg(test)]
mod tests;
