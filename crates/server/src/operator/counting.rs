//! Counts the time that is over for the report, in the background.

use std::time::Duration;

use model::clock::Clock;
use store::{Store, StoreError};
use tokio::sync::watch;

/// How often. Several nodes may do it at the same time.
const INTERVAL: Duration = Duration::from_secs(60);
/// The pause after so many times, so that charges do not wait while months are counted for the first time.
const PAUSE: Duration = Duration::from_millis(50);
const TIMES: usize = 10;

/// Counts now and then every minute, until `stop` is true.
pub(crate) async fn run(store: Store, clock: Clock, mut stop: watch::Receiver<bool>) {
    loop {
        let pause = match count(&store, &clock).await {
            Ok(true) => PAUSE,
            Ok(false) => INTERVAL,
            Err(cause) => {
                tracing::warn!(%cause, "the report's figures cannot be counted now");
                INTERVAL
            }
        };
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return,
            () = tokio::time::sleep(pause) => {}
        }
    }
}

/// Whether there is more to count.
async fn count(store: &Store, clock: &Clock) -> Result<bool, StoreError> {
    for _ in 0..TIMES {
        if !store.count_for_report(clock.now_ms()).await? {
            return Ok(false);
        }
    }
    Ok(true)
}
