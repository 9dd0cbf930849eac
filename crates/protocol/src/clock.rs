//! The time as a parameter, so that a test can fix it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use jiff::Timestamp;

/// A duration in milliseconds, the unit of the database and the clock.
pub fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// Gives the time. All code that needs the time gets a `Clock`.
#[derive(Debug, Clone)]
pub struct Clock {
    /// The time of a fixed clock, in milliseconds since 1970.
    fixed_ms: Option<Arc<AtomicI64>>,
}

impl Clock {
    /// The machine's clock.
    pub fn system() -> Self {
        Self { fixed_ms: None }
    }

    /// A clock that stands still until [`Clock::advance_ms`] is called; its clones show the same time.
    pub fn fixed(at: Timestamp) -> Self {
        let now = AtomicI64::new(at.as_millisecond());
        Self {
            fixed_ms: Some(Arc::new(now)),
        }
    }

    /// Advances a fixed clock; the machine's clock ignores it.
    pub fn advance_ms(&self, by_ms: i64) {
        if let Some(now) = &self.fixed_ms {
            now.fetch_add(by_ms, Ordering::SeqCst);
        }
    }

    /// Milliseconds since 1970, the unit of the database.
    pub fn now_ms(&self) -> i64 {
        match &self.fixed_ms {
            None => Timestamp::now().as_millisecond(),
            Some(now) => now.load(Ordering::SeqCst),
        }
    }

    /// Seconds since 1970, the unit of a client secret.
    pub fn now_seconds(&self) -> i64 {
        self.now_ms().div_euclid(1000)
    }
}

/// The time `ms` milliseconds after 1970 as the API writes it: RFC 3339 in UTC.
pub fn rfc3339(ms: i64) -> String {
    Timestamp::from_millisecond(ms)
        .unwrap_or(Timestamp::UNIX_EPOCH)
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixed_clock_and_its_clones_advance_together() {
        let clock = Clock::fixed("2026-01-02T03:04:05Z".parse().unwrap());
        let clone = clock.clone();
        assert_eq!(rfc3339(clock.now_ms()), "2026-01-02T03:04:05Z");
        clock.advance_ms(1_500);
        assert_eq!(rfc3339(clone.now_ms()), "2026-01-02T03:04:06.5Z");
        assert_eq!(clone.now_seconds(), clock.now_ms() / 1000);
    }
}
