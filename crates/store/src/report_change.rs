//! Notes that charges and visits have changed after their minute was over, so that the report counts it again.

use uuid::Uuid;

use super::StoreError;
use super::sql::query;
use super::write::Tx;

/// The shortest span that is counted, in milliseconds.
pub(super) const MINUTE_MS: i64 = 60_000;
/// A charge or a visit that changes when it is older than this notes that its minute must be counted again.
pub(super) const NOTED_AFTER_MS: i64 = 30_000;

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

/// The begin of the span of this length that has this time in it.
pub(super) fn span_begin(at: i64, span: i64) -> i64 {
    at - at.rem_euclid(span)
}

/// If what began at `began` is so old that its change must be noted: its minute.
pub(super) fn noted_minute(began: i64, now_ms: i64) -> Option<i64> {
    (now_ms - began >= NOTED_AFTER_MS).then(|| span_begin(began, MINUTE_MS))
}

/// Notes, in the transaction that changes something of this minute, that it must be counted again.
pub(super) async fn note_change(tx: &mut Tx, kind: CountedKind, minute: i64) -> Result<(), StoreError> {
    query("INSERT INTO report_notes (kind, at, id) VALUES ($1, $2, $3)")
        .bind(kind.as_str())
        .bind(minute)
        .bind(Uuid::now_v7().to_string())
        .execute(tx)
        .await?;
    Ok(())
}
