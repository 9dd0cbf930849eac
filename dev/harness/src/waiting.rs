//! Waiting for something that another process does.

use anyhow::Result;
use tokio::time::{Duration, Instant, sleep};

/// The pause between two looks.
const PAUSE: Duration = Duration::from_millis(100);

/// Looks again and again until it has happened, for at most this time. Returns whether it has.
pub async fn happens_within(
    limit: Duration,
    mut has_happened: impl AsyncFnMut() -> Result<bool>,
) -> Result<bool> {
    let until = Instant::now() + limit;
    while !has_happened().await? {
        if Instant::now() > until {
            return Ok(false);
        }
        sleep(PAUSE).await;
    }
    Ok(true)
}
