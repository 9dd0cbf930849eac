//! What tests of several files use.

use std::sync::{Arc, Mutex, PoisonError};

/// One test at a time, because tests without a subscriber share the knowledge of which lines are logged at all.
static ALONE: Mutex<()> = Mutex::new(());

/// The log that `act` writes.
pub(crate) fn logged(act: impl FnOnce()) -> String {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let file = tempfile::NamedTempFile::new().unwrap();
    let lines = Arc::new(file.reopen().unwrap());
    let subscriber = tracing_subscriber::fmt().with_writer(lines).finish();
    tracing::subscriber::with_default(subscriber, || {
        // Another test may have met a line before, when nobody wanted it.
        tracing::callsite::rebuild_interest_cache();
        act();
    });
    std::fs::read_to_string(file.path()).unwrap()
}
