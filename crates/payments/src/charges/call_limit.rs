//! Limits how often the provider is called for one subject by callers that need no secret or only a client secret. It
//! counts in this process only, which is enough to limit damage.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// How many calls there were in a subject's window, and when the window began, in unix milliseconds.
#[derive(Debug, Clone, Copy)]
struct Window {
    began: i64,
    calls: u32,
}

/// A limit of calls in a window of time, for each subject.
#[derive(Debug)]
pub struct CallLimit {
    calls_max: u32,
    window_ms: i64,
    windows: Mutex<HashMap<String, Window>>,
}

impl CallLimit {
    /// For shoppers who come back from a challenge, by attempt. The return address contains no secret, so anyone who knows a
    /// charge's id can open it again and again.
    pub fn of_returns() -> Self {
        Self::new(1, 3_000)
    }

    /// For sessions of device data, and for look-ups of card networks, by charge. A page needs one for each card number that is
    /// typed.
    pub fn of_card_numbers() -> Self {
        Self::new(20, 60_000)
    }

    /// For client secrets of links, by charge, and for setups of card sessions. A page needs one when it is opened and one for each
    /// press.
    pub fn of_links() -> Self {
        Self::new(60, 60_000)
    }

    fn new(calls_max: u32, window_ms: i64) -> Self {
        Self {
            calls_max,
            window_ms,
            windows: Mutex::default(),
        }
    }

    /// Whether the provider may be called for this subject now; if so, the call is counted.
    pub(crate) fn allows(&self, subject: &str, now_ms: i64) -> bool {
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        let before = windows.get(subject).filter(|window| self.is_open(window, now_ms));
        let mut window = before.copied().unwrap_or(Window {
            began: now_ms,
            calls: 0,
        });
        if window.calls >= self.calls_max {
            return false;
        }
        window.calls += 1;
        windows.insert(subject.to_owned(), window);
        true
    }

    /// Forgets the subjects whose window is over.
    pub fn remove_old_entries(&self, now_ms: i64) {
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        windows.retain(|_, window| self.is_open(window, now_ms));
        windows.shrink_to_fit();
    }

    fn is_open(&self, window: &Window, now_ms: i64) -> bool {
        // The clock may have been set back.
        (0..self.window_ms).contains(&(now_ms - window.began))
    }
}

#[cfg(test)]
mod tests;
