//! A press of the pay button: what it asks for, what it is answered with, and those that this process has under way.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use providers::{Authentication, ProviderCard};
use store::Charge;
use tokio::sync::{Semaphore, broadcast};
use wire::{ChargeStatus, DeclineCode, ShopperAction};

/// For how long a request says that it looks after its attempt; it says so again while it lives. A dead one is taken
/// over after this.
pub const LEASE: Duration = Duration::from_secs(10);
/// How many outcomes a waiting request may lag behind before it looks for itself.
const NEWS_MAX: usize = 1_024;
/// How many presses may be with the provider at once in this process.
const PRESSES_MAX: u32 = 1_024;

/// A card for a charge.
#[derive(Debug)]
pub struct Press {
    /// The charge to pay.
    pub charge: Charge,
    /// The page's key of this press; absent, it is a press of its own.
    pub press_key: Option<String>,
    /// The card, which has passed the rules.
    pub card: ProviderCard,
    /// Where the shopper's browser called from.
    pub address: IpAddr,
    /// Whether to save it once it has paid.
    pub save_card: bool,
    /// How 3-D Secure is to be done.
    pub authentication: Authentication,
}

/// The answer to a press.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PressAnswer {
    /// 201: `succeeded`, `outcome_unknown`, or `processing` when the attempt of a dead process is not resolved yet.
    Taken(ChargeStatus),
    /// 201: `waiting_for_shopper_action`, with what the shopper must do.
    ActionRequired(ShopperAction),
    /// 402.
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
            finished: broadcast::channel(NEWS_MAX).0,
        }
    }
}

impl Presses {
    /// Waits until no press is with the provider any more, for at most `limit`.
    pub async fn drained(&self, limit: Duration) {
        // The semaphore is never closed, and a press that takes too long is the next start's reconciler's.
        let _ = tokio::time::timeout(limit, self.permits.acquire_many(PRESSES_MAX)).await;
    }

    /// How many presses are with the provider, or about to find out whether they may be.
    pub fn under_way(&self) -> usize {
        (PRESSES_MAX as usize).saturating_sub(self.permits.available_permits())
    }

    /// How many presses are not answered yet: those under way, and those that wait for another's outcome.
    pub fn unanswered(&self) -> usize {
        self.finished.receiver_count()
    }

    /// Tells those who wait for this attempt to look at it.
    pub fn announce(&self, attempt_id: &str) {
        // Nobody may be waiting.
        let _ = self.finished.send(attempt_id.to_owned());
    }
}
