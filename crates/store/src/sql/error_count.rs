//! Counts the errors of this process's statements and commits by kind, for the operator's metrics.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio_postgres::error::SqlState;

use super::SqlError;

/// The kinds, in the order of [`COUNTS`].
const KINDS: [&str; 5] = ["no_connection", "timeout", "conflict", "unavailable", "other"];

static COUNTS: [AtomicU64; 5] = [const { AtomicU64::new(0) }; 5];

/// How many errors of each kind there were since the start of the process. `no_connection`: none was free in time, or
/// the database cannot be reached; `timeout`: a statement or a wait for a row took too long; `conflict`: another
/// transaction was first, which is tried again; `unavailable`: the database refused, as when its disk is full.
pub fn database_errors() -> impl Iterator<Item = (&'static str, u64)> {
    let counts = COUNTS.iter().map(|count| count.load(Ordering::Relaxed));
    KINDS.into_iter().zip(counts)
}

/// Counts an error.
pub(crate) fn count_error(error: &SqlError) {
    let kind = match error {
        SqlError::Pool(_) => 0,
        SqlError::Postgres(cause) if cause.code().is_none() => 0,
        _ if is_timeout(error) => 1,
        _ if error.is_unique_violation() || error.is_serialization_failure() => 2,
        _ if error.is_outage() => 3,
        _ => 4,
    };
    if let Some(count) = COUNTS.get(kind) {
        count.fetch_add(1, Ordering::Relaxed);
    }
}

/// Counts a commit that SQLite could not make durable.
pub(crate) fn count_lost_commit() {
    if let Some(count) = COUNTS.get(3) {
        count.fetch_add(1, Ordering::Relaxed);
    }
}

fn is_timeout(error: &SqlError) -> bool {
    match error {
        SqlError::Postgres(cause) => [SqlState::QUERY_CANCELED, SqlState::LOCK_NOT_AVAILABLE]
            .iter()
            .any(|state| cause.code() == Some(state)),
        other => other.is_busy(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_counted_by_its_kind() {
        let count = || {
            database_errors()
                .find(|(kind, _)| *kind == "no_connection")
                .unwrap()
                .1
        };
        let before = count();
        count_error(&SqlError::Pool("every connection to the database is in use"));
        // Other tests of this process may count, too.
        assert!(count() > before);
    }
}
