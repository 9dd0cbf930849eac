//! Shoppers who pay while something fails, and how long no charge was paid.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use anyhow::{Context, Result};
use harness::random::Random;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Duration, Instant, timeout};

use crate::books::ChargeRecords;
use crate::shopper::{NodeAddresses, Purchases, TrialShopper};
use crate::surroundings::Surroundings;

/// How long a drill waits for a paid charge before it gives up.
const GIVE_UP: Duration = Duration::from_mins(3);

/// Shoppers, and when each charge was paid.
pub(crate) struct Load {
    pub(crate) shopper: TrialShopper,
    /// How many purchases are begun; without a number shoppers buy until they are stopped.
    purchases: Option<usize>,
    seed: u64,
    next: AtomicUsize,
    paid: watch::Sender<Vec<Instant>>,
    stop: watch::Sender<bool>,
}

impl Load {
    /// Shoppers who will make this many purchases at these addresses, or buy until they are stopped.
    pub(crate) fn new(
        around: &Surroundings,
        addresses: Vec<String>,
        purchases: Option<usize>,
        seed: u64,
    ) -> Arc<Self> {
        Arc::new(Self {
            shopper: TrialShopper {
                front: NodeAddresses::new(addresses),
                merchant: around.merchant.clone(),
                declined_card: around.provider.declined_card,
                captures_parts: around.provider.captures_parts,
                holds: AtomicBool::new(true),
            },
            purchases,
            seed,
            next: AtomicUsize::default(),
            paid: watch::Sender::default(),
            stop: watch::Sender::default(),
        })
    }

    /// This many shoppers begin. They stop when the set is dropped.
    pub(crate) fn start(self: &Arc<Self>, shoppers: usize) -> JoinSet<Purchases> {
        (0..shoppers).map(|_| Arc::clone(self).shop()).collect()
    }

    async fn shop(self: Arc<Self>) -> Purchases {
        let mut known = Purchases::default();
        while !*self.stop.borrow() {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if self.purchases.is_some_and(|count| number >= count) {
                break;
            }
            let chance = Random::new(self.seed.wrapping_mul(31).wrapping_add(number as u64));
            let bought = self.shopper.buy(number, chance).await;
            let is_paid = |charge: &&ChargeRecords| charge.was_told("succeeded");
            let paid = bought.charges.iter().filter(is_paid).map(|_| Instant::now());
            self.paid.send_modify(|all| all.extend(paid));
            known.add(bought);
        }
        known
    }

    /// Waits until this many charges more are paid; the error names `what`.
    pub(crate) async fn wait_for(&self, more: usize, what: &str) -> Result<()> {
        let mut paid = self.paid.subscribe();
        let until = paid.borrow().len() + more;
        let waited = timeout(GIVE_UP, paid.wait_for(|paid| paid.len() >= until)).await;
        waited.with_context(|| format!("{what}: no shopper could pay for {GIVE_UP:?}"))??;
        Ok(())
    }

    /// The longest time without a paid charge since then, and how many were paid.
    pub(crate) fn longest_pause(&self, since: Instant) -> (Duration, usize) {
        let paid = self.paid.borrow();
        let mut last = since;
        let (mut longest, mut count) = (Duration::ZERO, 0);
        for at in paid.iter().filter(|at| **at >= since) {
            longest = longest.max(at.duration_since(last));
            last = *at;
            count += 1;
        }
        (longest, count)
    }

    /// Tells the shoppers to stop, and returns what they bought.
    pub(crate) async fn stop(&self, shoppers: JoinSet<Purchases>) -> Purchases {
        self.stop.send_replace(true);
        finish(shoppers).await
    }
}

/// Waits until the shoppers have finished, and returns what they bought.
pub(crate) async fn finish(shoppers: JoinSet<Purchases>) -> Purchases {
    let mut bought = Purchases::default();
    for more in shoppers.join_all().await {
        bought.add(more);
    }
    bought
}
