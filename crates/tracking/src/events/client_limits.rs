//! Limits how many events one client may send, so that no client can fill the log or the queue.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use protocol::AttemptLimit;

use super::produce::Refusal;
use web::{RequestLimit, count_limit, counted_network};

/// The limit, and how much of it each client has used. It counts in this process only, which is enough to limit
/// damage.
#[derive(Debug)]
pub(super) struct ClientLimits {
    limiter: DefaultKeyedRateLimiter<IpAddr>,
    window: Duration,
    clock: DefaultClock,
}

impl ClientLimits {
    /// A limit of events per window; `None` if it allows no events.
    pub(super) fn new(limit: AttemptLimit) -> Option<Self> {
        let burst = NonZeroU32::new(limit.attempts)?;
        let window = Duration::from_secs(u64::from(limit.window_seconds));
        let quota = Quota::with_period(window / burst.get())?.allow_burst(burst);
        Some(Self {
            limiter: RateLimiter::dashmap(quota),
            window,
            clock: DefaultClock::default(),
        })
    }

    /// Counts these events of the client, or refuses them and says when the client may send again.
    pub(super) fn allow(&self, client: IpAddr, events: usize) -> Result<(), Refusal> {
        let Some(client) = counted_network(client) else {
            return Ok(());
        };
        let events = u32::try_from(events).ok().and_then(NonZeroU32::new);
        let wait = match events.map(|events| self.limiter.check_key_n(&client, events)) {
            None | Some(Ok(Ok(()))) => return Ok(()),
            Some(Ok(Err(until))) => until.wait_time_from(self.clock.now()),
            // More events than the limit of a whole window.
            Some(Err(_)) => self.window,
        };
        count_limit(RequestLimit::Events);
        Err(Refusal::TooManyEvents(wait.as_secs().max(1)))
    }

    /// Removes clients that have their whole limit again.
    pub(super) fn remove_idle_clients(&self) {
        self.limiter.retain_recent();
        self.limiter.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests;
