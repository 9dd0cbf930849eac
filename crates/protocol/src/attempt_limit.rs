//! How many attempts to pay there may be.

/// At most so many attempts in each window of so many seconds; written `20/3600`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttemptLimit {
    /// How many.
    pub attempts: u32,
    /// The window's length; windows begin at multiples of it since 1970.
    pub window_seconds: u32,
}

impl AttemptLimit {
    /// The window that this moment falls in: its first moment and the first one after it, all in unix milliseconds.
    pub fn window(self, now_ms: i64) -> (i64, i64) {
        let length = i64::from(self.window_seconds) * 1_000;
        let start = now_ms - now_ms.rem_euclid(length);
        (start, start + length)
    }
}
