//! Counts what the database is asked to do.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a store has asked its database to do so far, in all transactions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DatabaseWork {
    /// Statements, without those that begin and end transactions.
    pub statements: u64,
    /// How often somebody waited for PostgreSQL's answer; statements that are sent together count once. Preparing a
    /// statement, which each connection does once, is left out. 0 on SQLite.
    pub round_trips: u64,
    /// Commits that were written to SQLite's disk. Transactions that share one count once. 0 on PostgreSQL.
    pub commits: u64,
}

/// The counters. Cheap to clone; all copies count together.
#[derive(Debug, Clone, Default)]
pub(crate) struct WorkCounter(Arc<[AtomicU64; 3]>);

impl WorkCounter {
    pub(crate) fn statement(&self) {
        self.add(0);
    }

    pub(crate) fn round_trip(&self) {
        self.add(1);
    }

    pub(crate) fn commit(&self) {
        self.add(2);
    }

    fn add(&self, which: usize) {
        if let Some(count) = self.0.get(which) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn so_far(&self) -> DatabaseWork {
        let [statements, round_trips, commits] = &*self.0;
        DatabaseWork {
            statements: statements.load(Ordering::Relaxed),
            round_trips: round_trips.load(Ordering::Relaxed),
            commits: commits.load(Ordering::Relaxed),
        }
    }
}
