//! Tallies hours for the report, in the background.

use std::time::{Duration, Instant};

use protocol::clock::Clock;
use store::Store;
use tokio::sync::watch;

/// The time between two rounds. Several nodes may tally at the same time.
const INTERVAL: Duration = Duration::from_secs(5);
/// The pause is at least this many times as long as the work before it, because charges need processor and database.
const PAUSE_FACTOR: u32 = 50;
/// The pause while some hours were never tallied, as after an upgrade.
const SHORT_PAUSE: Duration = Duration::from_millis(100);

/// Tallies every few seconds until `stop` is true.
pub async fn run(store: Store, clock: Clock, mut stop: watch::Receiver<bool>) {
    loop {
        let begin = Instant::now();
        let pause = match store.tally_hours(clock.now_ms()).await {
            Ok(true) => SHORT_PAUSE,
            Ok(false) => INTERVAL.max(begin.elapsed() * PAUSE_FACTOR),
            Err(cause) => {
                tracing::warn!(%cause, "the report's hours could not be tallied; retrying");
                INTERVAL
            }
        };
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return,
            () = tokio::time::sleep(pause) => {}
        }
    }
}
