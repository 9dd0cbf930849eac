//! Counts the time that is over for the report, in the background.

use std::sync::Arc;
use std::time::{Duration, Instant};

use model::clock::Clock;
use store::{Store, StoreError};
use tokio::sync::{Notify, watch};
use tokio::time::{sleep, timeout};

/// How often, and when charges have expired. Several nodes may do it at the same time.
const INTERVAL: Duration = Duration::from_secs(5);
/// After a count that took long, the pause is so many times as long, because charges need the processor and the database.
const PAUSE_FACTOR: u32 = 30;
/// The pause after so much time, so that charges do not wait while months are counted for the first time.
const PAUSE: Duration = Duration::from_millis(50);
const AT_ONCE: Duration = Duration::from_millis(100);

/// Counts every few seconds, and at once when charges have `expired`, until `stop` is true.
///
/// A charge expires when its minute was counted a day before, and until it is counted again a report reads that minute's
/// charges. Where many charges are made, some expire every few seconds.
pub async fn run(store: Store, clock: Clock, expired: Arc<Notify>, mut stop: watch::Receiver<bool>) {
    loop {
        let begin = Instant::now();
        let (shortest, longest) = match count(&store, &clock).await {
            Ok(true) => (PAUSE, PAUSE),
            Ok(false) => {
                let shortest = begin.elapsed() * PAUSE_FACTOR;
                (shortest, INTERVAL.max(shortest))
            }
            Err(cause) => {
                tracing::warn!(%cause, "the report's figures cannot be counted now");
                (INTERVAL, INTERVAL)
            }
        };
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return,
            () = pause(shortest, longest, &expired) => {}
        }
    }
}

/// Waits for the longest time, or until charges have expired and the shortest time is over.
async fn pause(shortest: Duration, longest: Duration, expired: &Notify) {
    sleep(shortest).await;
    let _ = timeout(longest.saturating_sub(shortest), expired.notified()).await;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn when_charges_expire_the_pause_ends_early() {
        let (shortest, longest) = (Duration::from_millis(100), Duration::from_secs(5));
        let expired = Notify::new();
        let paused = async || {
            let begin = tokio::time::Instant::now();
            pause(shortest, longest, &expired).await;
            begin.elapsed()
        };
        assert_eq!(paused().await, longest);
        expired.notify_one();
        assert_eq!(paused().await, shortest);
        assert_eq!(paused().await, longest, "it is told once");
        let while_it_waits = async {
            tokio::time::advance(Duration::from_secs(2)).await;
            expired.notify_one();
        };
        let (took, ()) = tokio::join!(paused(), while_it_waits);
        assert_eq!(took, Duration::from_secs(2));
    }
}
