//! The limit of attempts to pay.

/// At most `attempts` attempts in each window of `window_seconds` seconds; a setting writes it as `20/3600`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttemptLimit {
    /// The most attempts in a window.
    pub attempts: u32,
    /// The window's length; windows begin at multiples of it since 1970.
    pub window_seconds: u32,
}

impl AttemptLimit {
    /// The window that contains the time `now_ms`: its start and its end, which is not in it. All in unix milliseconds.
    pub fn window(self, now_ms: i64) -> (i64, i64) {
        let length = i64::from(self.window_seconds) * 1_000;
        let start = now_ms - now_ms.rem_euclid(length);
        (start, start + length)
    }
}
