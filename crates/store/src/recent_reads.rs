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
mod tests {
    use super::*;

    #[test]
    fn a_value_is_used_until_its_time_is_over() {
        let reads = RecentReads::new(10, Duration::from_secs(3_600));
        assert_eq!(reads.get("a"), None);
        reads.keep("a", 1);
        assert_eq!((reads.get("a"), reads.get("b")), (Some(1), None));
        reads.keep("a", 2);
        assert_eq!(reads.clone().get("a"), Some(2));
        let over = RecentReads::new(10, Duration::ZERO);
        over.keep("a", 1);
        assert_eq!(over.get("a"), None);
    }

    #[test]
    fn a_full_cache_has_few_more_values_than_allowed() {
        let reads = RecentReads::new(100, Duration::from_secs(3_600));
        for id in 0..1_000 {
            reads.keep(&id.to_string(), id);
        }
        let kept = (0..1_000)
            .filter(|id| reads.get(&id.to_string()).is_some())
            .count();
        assert!((1..=200).contains(&kept), "{kept}");
    }
}
