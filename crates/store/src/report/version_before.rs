//! What the release before counts for itself. It has tables of its own; here it is told what changes, so that its reports
//! are right if it serves again. The release after this one needs none of it.

use std::collections::BTreeSet;

use super::super::StoreError;
use super::super::report_change::{CountedKind, span_begin};
use super::super::sql::query;
use super::super::write::Tx;

/// The shortest span that it counts, in milliseconds.
const SLOT_MS: i64 = 900_000;

/// Notes that what it has counted of these minutes is no longer true.
pub(super) async fn tell(
    tx: &mut Tx,
    kind: CountedKind,
    minutes: impl Iterator<Item = i64>,
) -> Result<(), StoreError> {
    let slots: BTreeSet<i64> = minutes.map(|minute| span_begin(minute, SLOT_MS)).collect();
    for slot in slots {
        query(
            "INSERT INTO report_changes (id, kind, at) \
             SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS BIGINT) FROM report_spans \
             WHERE kind = $2 AND counted_until > $3 ON CONFLICT (id) DO NOTHING",
        )
        .bind(format!("told-{}-{slot}", kind.as_str()))
        .bind(kind.as_str())
        .bind(slot)
        .execute(&mut *tx)
        .await?;
    }
    Ok(())
}

/// Forgets its counts of visits before `before`, in unix milliseconds, which are about to be deleted.
pub(super) async fn forget_visits(tx: &mut Tx, before: i64) -> Result<(), StoreError> {
    query(
        "UPDATE report_spans SET counted_from = CASE WHEN counted_until < $1 THEN counted_until ELSE $1 END \
         WHERE kind = 'visits' AND counted_from < $1 AND counted_until > 0",
    )
    .bind(span_begin(before + SLOT_MS - 1, SLOT_MS))
    .execute(&mut *tx)
    .await?;
    for span in [SLOT_MS, 3 * 3_600_000, 86_400_000] {
        query("DELETE FROM report_counts WHERE kind = 'visits' AND span = $1 AND at < $2")
            .bind(span)
            .bind(before)
            .execute(&mut *tx)
            .await?;
    }
    query("DELETE FROM report_changes WHERE kind = 'visits' AND at < $1")
        .bind(before - SLOT_MS)
        .execute(tx)
        .await?;
    Ok(())
}
