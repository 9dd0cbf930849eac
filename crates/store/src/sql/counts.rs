//! The database in the operator's metrics: its work, its errors by kind, and how busy the connections are.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use deadpool::Status;
use tokio_postgres::error::SqlState;

use super::SqlError;

/// The work of a database so far, in all transactions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DatabaseWork {
    /// Statements, without those that begin and end transactions.
    pub statements: u64,
    /// How often a caller waited for PostgreSQL's answer. Statements that are sent together count once. Preparing a
    /// statement does not count, because each connection does it once. 0 on SQLite.
    pub round_trips: u64,
    /// Commits that were written to SQLite's disk. Transactions that share one count once. 0 on PostgreSQL.
    pub commits: u64,
}

/// The counters. Cheap to clone; all copies count together.
#[derive(Debug, Clone, Default)]
pub(crate) struct WorkCounter(Arc<WorkCounts>);

#[derive(Debug, Default)]
struct WorkCounts {
    statements: AtomicU64,
    round_trips: AtomicU64,
    commits: AtomicU64,
}

impl WorkCounter {
    pub(crate) fn statement(&self) {
        self.0.statements.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn round_trip(&self) {
        self.0.round_trips.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn commit(&self) {
        self.0.commits.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn so_far(&self) -> DatabaseWork {
        DatabaseWork {
            statements: self.0.statements.load(Ordering::Relaxed),
            round_trips: self.0.round_trips.load(Ordering::Relaxed),
            commits: self.0.commits.load(Ordering::Relaxed),
        }
    }
}

/// The connections of one process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PoolState {
    /// How many there may be.
    pub max: usize,
    /// How many are in use.
    pub in_use: usize,
    /// How many are open and free.
    pub idle: usize,
    /// How many statements and transactions wait for one.
    pub waiting: usize,
}

impl From<Status> for PoolState {
    fn from(status: Status) -> Self {
        Self {
            max: status.max_size,
            in_use: status.size.saturating_sub(status.available),
            idle: status.available,
            waiting: status.waiting,
        }
    }
}

/// How many errors of each kind there were.
static ERRORS: [(&str, AtomicU64); 5] = [
    ("no_connection", AtomicU64::new(0)),
    ("timeout", AtomicU64::new(0)),
    ("conflict", AtomicU64::new(0)),
    ("unavailable", AtomicU64::new(0)),
    ("other", AtomicU64::new(0)),
];

/// How many errors of each kind there were since the start of the process. `no_connection`: none was free in time, or
/// the database cannot be reached; `timeout`: a statement or a wait for a row took too long; `conflict`: another
/// transaction was first, which is retried; `unavailable`: the database refused, as when its disk is full.
pub fn database_errors() -> impl Iterator<Item = (&'static str, u64)> {
    let count = |(kind, count): &'static (&str, AtomicU64)| (*kind, count.load(Ordering::Relaxed));
    ERRORS.iter().map(count)
}

/// Counts an error.
pub(crate) fn count_error(error: &SqlError) {
    count_kind(match error {
        SqlError::Pool(_) => "no_connection",
        SqlError::Postgres(cause) if cause.code().is_none() => "no_connection",
        _ if error.is_busy() || error.has_code(&[SqlState::QUERY_CANCELED, SqlState::LOCK_NOT_AVAILABLE]) => {
            "timeout"
        }
        _ if error.is_unique_violation() || error.is_serialization_failure() => "conflict",
        _ if error.is_outage() => "unavailable",
        _ => "other",
    });
}

/// Counts a commit that SQLite could not make durable.
pub(crate) fn count_lost_commit() {
    count_kind("unavailable");
}

fn count_kind(kind: &str) {
    if let Some((_, count)) = ERRORS.iter().find(|(known, _)| *known == kind) {
        count.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
