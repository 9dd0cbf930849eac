//! Notes that old charges and visits have changed, so that the report counts their time again.

use model::ids::time_of;

use super::StoreError;
use super::sql::query;
use super::write::Tx;

/// The shortest span that is counted, in milliseconds. It is as long as the report's buckets of a few hours.
pub(super) const SLOT_MS: i64 = 900_000;
/// A charge or a visit that changes when it is older than this notes that its span must be counted again.
pub(super) const NOTED_AFTER_MS: i64 = 600_000;

/// An id and its row get their times one after the other.
const ID_AGE_ERROR_MS: i64 = 60_000;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CountedKind {
    Charges,
    Visits,
}

impl CountedKind {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Charges => "charges",
            Self::Visits => "visits",
        }
    }
}

/// If what began at `began` is so old that its change must be noted: the begin of its span.
pub(super) fn noted_span(began: i64, now_ms: i64) -> Option<i64> {
    (now_ms - began >= NOTED_AFTER_MS).then(|| span_begin(began, SLOT_MS))
}

/// Whether what has this id can be so old; ids begin with the time when they were made. It saves looking up the charges
/// that are not, which are nearly all.
fn may_be_old(id: &str, now_ms: i64) -> bool {
    time_of(id).is_none_or(|made| now_ms - made >= NOTED_AFTER_MS - ID_AGE_ERROR_MS)
}

/// The begin of the span of this length that has this time in it.
pub(super) fn span_begin(at: i64, span: i64) -> i64 {
    at - at.rem_euclid(span)
}

/// Notes, in the transaction that changes an old charge or visit, that its span must be counted again.
pub(super) async fn note_change(tx: &mut Tx, kind: CountedKind, span: i64) -> Result<(), StoreError> {
    query("INSERT INTO report_changes (id, kind, at) VALUES ($1, $2, $3)")
        .bind(uuid::Uuid::now_v7().to_string())
        .bind(kind.as_str())
        .bind(span)
        .execute(tx)
        .await?;
    Ok(())
}

/// Notes, in the transaction that changes a charge, that the time in which it was made must be counted again, if it is
/// old.
pub(super) async fn note_old_charge(tx: &mut Tx, id: &str, now_ms: i64) -> Result<(), StoreError> {
    if !may_be_old(id, now_ms) {
        return Ok(());
    }
    let made: i64 = query("SELECT created_at FROM charges WHERE id = $1")
        .bind(id)
        .fetch_one(&mut *tx)
        .await?;
    match noted_span(made, now_ms) {
        Some(span) => note_change(tx, CountedKind::Charges, span).await,
        None => Ok(()),
    }
}

/// The same for a statement that changes charges, with a table `held` of them and their attempts. An attempt changes its
/// charge once in each of these ways.
pub(super) fn noted_table(change: &str) -> String {
    format!(
        "noted AS (INSERT INTO report_changes (id, kind, at) SELECT '{change}' || attempt, 'charges', \
         created_at - created_at % {SLOT_MS} FROM held WHERE created_at <= now - {NOTED_AFTER_MS})"
    )
}
