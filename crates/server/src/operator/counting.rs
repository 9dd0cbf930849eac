//! Counts the time that is over for the report, in the background.

use std::time::{Duration, Instant};

use model::clock::Clock;
use store::{Store, StoreError};
use tokio::sync::watch;

/// How often. Several nodes may do it at the same time.
const INTERVAL: Duration = Duration::from_secs(5);
/// After a count that took long, the pause is so many times as long, because charges need the processor and the database.
const PAUSE_FACTOR: u32 = 30;
/// The pause after so much time, so that charges do not wait while months are counted for the first time.
const PAUSE: Duration = Duration::from_millis(50);
const AT_ONCE: Duration = Duration::from_millis(100);

/// Counts now and then every few seconds, until `stop` is true.
pub(crate) async fn run(store: Store, clock: Clock, mut stop: watch::Receiver<bool>) {
    loop {
        let begin = Instant::now();
        let pause = match count(&store, &clock).await {
            Ok(true) => PAUSE,
            Ok(false) => INTERVAL.max(begin.elapsed() * PAUSE_FACTOR),
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
    let begin = Instant::now();
    while begin.elapsed() < AT_ONCE {
        if !store.count_for_report(clock.now_ms()).await? {
            return Ok(false);
        }
    }
    Ok(true)
}
