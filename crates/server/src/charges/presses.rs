//! A press of the pay button, its answer, and the presses that this process has under way.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use providers::{Authentication, ProviderCard};
use store::Charge;
use tokio::sync::{Semaphore, broadcast};
use wire::{ChargeStatus, DeclineCode, ShopperAction};

/// How long a request's lease of its attempt is valid. The request renews it while it runs; after the lease another
/// process may take the attempt over.
pub const LEASE: Duration = Duration::from_secs(10);
/// How many announced outcomes are kept for a waiting request; if it misses more, it reads its attempt.
const ANNOUNCEMENTS_MAX: usize = 1_024;
/// How many presses may be under way at once in this process.
const PRESSES_MAX: u32 = 1_024;

/// A press of the pay button: a card to pay a charge with.
#[derive(Debug)]
pub struct Press {
    /// The charge to pay.
    pub charge: Charge,
    /// The page's idempotency key of this press; without one it is a separate press.
    pub press_key: Option<String>,
    /// The card, which has passed the rules.
    pub card: ProviderCard,
    /// The address of the shopper's browser.
    pub address: IpAddr,
    /// Whether to save it once it has paid.
    pub save_card: bool,
    /// What the provider needs for 3-D Secure.
    pub authentication: Authentication,
}

/// The answer to a press.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PressAnswer {
    /// 201: `succeeded`, `outcome_unknown`, or `processing` if another request's attempt takes too long.
    Taken(ChargeStatus),
    /// 201: `waiting_for_shopper_action`, with what the shopper must do.
    ActionRequired(ShopperAction),
    /// 402: why the card was declined.
    Declined(DeclineCode),
}

/// The presses under way in this process.
#[derive(Debug)]
pub struct Presses {
    pub(super) permits: Arc<Semaphore>,
    pub(super) finished: broadcast::Sender<String>,
}

impl Default for Presses {
    fn default() -> Self {
        Self {
            permits: Arc::new(Semaphore::new(PRESSES_MAX as usize)),
            finished: broadcast::channel(ANNOUNCEMENTS_MAX).0,
        }
    }
}

impl Presses {
    /// Waits until no press is under way any more, for at most `limit`.
    pub async fn wait_until_drained(&self, limit: Duration) {
        // The semaphore is never closed. A press that takes longer is left to the reconciler.
        let _ = tokio::time::timeout(limit, self.permits.acquire_many(PRESSES_MAX)).await;
    }

    /// How many presses are with the provider or about to begin an attempt.
    pub fn under_way(&self) -> usize {
        (PRESSES_MAX as usize).saturating_sub(self.permits.available_permits())
    }

    /// How many presses are not answered yet: those under way and those that wait for another one's outcome.
    pub fn unanswered(&self) -> usize {
        self.finished.receiver_count()
    }

    /// Tells the requests that wait for this attempt to read it again.
    pub fn announce(&self, attempt_id: &str) {
        // It fails when no request waits.
        let _ = self.finished.send(attempt_id.to_owned());
    }
}
