//! Limits how often the provider is asked because a shopper came back from a challenge. The return address contains no
//! secret, so anyone who knows a charge's id can open it again and again.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// How long the provider is not asked about the same attempt again, in milliseconds.
const PAUSE_MS: i64 = 3_000;

/// When this process last asked the provider about an attempt, by the attempt's id, in unix milliseconds.
#[derive(Debug, Default)]
pub struct ReturnLookupLimit(Mutex<HashMap<String, i64>>);

impl ReturnLookupLimit {
    /// Whether the provider may be asked about this attempt now; if so, the pause begins.
    pub(super) fn may_ask_provider(&self, attempt_id: &str, now_ms: i64) -> bool {
        let mut asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let waits = asked.get(attempt_id).is_some_and(|at| now_ms - at < PAUSE_MS);
        if !waits {
            asked.insert(attempt_id.to_owned(), now_ms);
        }
        !waits
    }

    /// Forgets the attempts whose pause is over.
    pub(crate) fn remove_old_entries(&self, now_ms: i64) {
        let mut asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        asked.retain(|_, at| now_ms - *at < PAUSE_MS);
        asked.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_is_asked_about_once_in_three_seconds() {
        let limit = ReturnLookupLimit::default();
        assert!(limit.may_ask_provider("att_1", 0));
        assert!(!limit.may_ask_provider("att_1", PAUSE_MS - 1));
        assert!(limit.may_ask_provider("att_2", 1));
        assert!(limit.may_ask_provider("att_1", PAUSE_MS));
        limit.remove_old_entries(PAUSE_MS + 1);
        assert!(!limit.may_ask_provider("att_1", PAUSE_MS + 1));
    }
}
