//! Values that were read from the database lately, and are used again for a short time.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use quick_cache::sync::Cache;

/// Values by the id of their subject. Each one is used for a limited time after it was read. Cheap to clone; all copies
/// share the values.
#[derive(Clone)]
pub struct RecentReads<V> {
    values: Arc<Cache<String, (Instant, V)>>,
    used_for: Duration,
}

impl<V: Clone> RecentReads<V> {
    /// At most about `max` values, each used for `used_for`: a change in the database is noticed within this time.
    pub fn new(max: usize, used_for: Duration) -> Self {
        Self {
            values: Arc::new(Cache::new(max)),
            used_for,
        }
    }

    /// The value that was read lately; `None` if there is none, or if it is too old.
    pub fn get(&self, id: &str) -> Option<V> {
        let (read_at, value) = self.values.get(id)?;
        (read_at.elapsed() < self.used_for).then_some(value)
    }

    /// Keeps a value that was read now.
    pub fn keep(&self, id: &str, value: V) {
        self.values.insert(id.to_owned(), (Instant::now(), value));
    }
}

impl<V> fmt::Debug for RecentReads<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecentReads").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
