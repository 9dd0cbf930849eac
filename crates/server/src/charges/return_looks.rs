//! How often the provider is asked because somebody came back from a challenge. The address has no secret in it, so
//! whoever knows a charge's id can ask again and again; the provider hears of it once in a while.

use std::time::Duration;

use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

/// A shopper who comes back twice waits for no longer than this.
const PAUSE: Duration = Duration::from_secs(3);

/// The attempts that the provider was asked about in the last seconds, by this process.
#[derive(Debug)]
pub(crate) struct ReturnLooks(DefaultKeyedRateLimiter<String>);

impl Default for ReturnLooks {
    fn default() -> Self {
        let quota = Quota::with_period(PAUSE).expect("the pause is not zero");
        Self(RateLimiter::dashmap(quota))
    }
}

impl ReturnLooks {
    /// Whether the provider may be asked about this attempt now.
    pub(super) fn may_look(&self, attempt_id: &str) -> bool {
        self.0.check_key(&attempt_id.to_owned()).is_ok()
    }

    /// Forgets the attempts of some seconds ago.
    pub(crate) fn forget_quiet(&self) {
        self.0.retain_recent();
        self.0.shrink_to_fit();
    }
}
