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
pub struct Clock(Source);

#[derive(Debug, Clone)]
enum Source {
    Machine,
    /// How far it is ahead of the machine's clock, in milliseconds.
    Ahead(Arc<AtomicI64>),
    /// Milliseconds since 1970.
    Fixed(Arc<AtomicI64>),
}

impl Clock {
    /// The machine's clock.
    pub fn system() -> Self {
        Self(Source::Machine)
    }

    /// A clock that runs this many milliseconds ahead of the machine's clock. Its clones advance with it.
    pub fn ahead(by_ms: i64) -> Self {
        Self(Source::Ahead(Arc::new(AtomicI64::new(by_ms))))
    }

    /// A clock that stands still until [`Clock::advance_ms`] is called; its clones show the same time.
    pub fn fixed(at: Timestamp) -> Self {
        Self(Source::Fixed(Arc::new(AtomicI64::new(at.as_millisecond()))))
    }

    /// Advances the clock; the machine's clock ignores it.
    pub fn advance_ms(&self, by_ms: i64) {
        match &self.0 {
            Source::Machine => {}
            Source::Ahead(ms) | Source::Fixed(ms) => {
                ms.fetch_add(by_ms, Ordering::SeqCst);
            }
        }
    }

    /// How many milliseconds it is ahead of the machine's clock; 0 for a fixed clock.
    pub fn ahead_ms(&self) -> i64 {
        match &self.0 {
            Source::Ahead(by) => by.load(Ordering::SeqCst),
            Source::Machine | Source::Fixed(_) => 0,
        }
    }

    /// Milliseconds since 1970, the unit of the database.
    pub fn now_ms(&self) -> i64 {
        match &self.0 {
            Source::Machine => Timestamp::now().as_millisecond(),
            Source::Ahead(by) => Timestamp::now().as_millisecond() + by.load(Ordering::SeqCst),
            Source::Fixed(now) => now.load(Ordering::SeqCst),
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
mod tests;
