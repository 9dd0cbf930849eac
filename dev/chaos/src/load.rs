//! Shoppers who pay while something fails, and how long no charge was paid.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result};
use harness::random::Random;
use harness::shop::TrialMerchant;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Duration, Instant, timeout};

use crate::shopper::{NodeAddresses, Purchases, buy, buy_with_single_calls};

/// How long a drill waits for a paid charge before it gives up.
const GIVE_UP: Duration = Duration::from_mins(3);

/// How shoppers buy.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shopping {
    /// Anything that shoppers do, so many times.
    Purchases(usize),
    /// The same until they are stopped.
    UntilStopped,
    /// Each charge is created and paid by one call each, until they are stopped.
    SingleCalls,
}

/// Shoppers at some nodes, and when each charge was paid.
pub(crate) struct Load {
    pub(crate) front: NodeAddresses,
    merchant: TrialMerchant,
    shopping: Shopping,
    seed: u64,
    next: AtomicUsize,
    paid: watch::Sender<Vec<Instant>>,
    stop: watch::Sender<bool>,
}

/// The shoppers; they stop when this is dropped.
pub(crate) struct RunningShoppers(JoinSet<Purchases>);

/// A moment of the drill, from which paid charges are counted.
#[derive(Clone, Copy)]
pub(crate) struct Since {
    at: Instant,
    paid: usize,
}

impl Load {
    /// At these nodes.
    pub(crate) fn new(
        nodes: Vec<watch::Receiver<String>>,
        merchant: &TrialMerchant,
        shopping: Shopping,
        seed: u64,
    ) -> Arc<Self> {
        Arc::new(Self {
            front: NodeAddresses::new(nodes),
            merchant: merchant.clone(),
            shopping,
            seed,
            next: AtomicUsize::new(0),
            paid: watch::Sender::new(Vec::new()),
            stop: watch::Sender::new(false),
        })
    }

    /// Lets so many shoppers begin.
    pub(crate) fn start(self: &Arc<Self>, shoppers: usize) -> RunningShoppers {
        RunningShoppers((0..shoppers).map(|_| Arc::clone(self).shop()).collect())
    }

    async fn shop(self: Arc<Self>) -> Purchases {
        let mut known = Purchases::default();
        while !*self.stop.borrow() {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let chance = Random::new(self.seed.wrapping_mul(31).wrapping_add(number as u64));
            let bought = match self.shopping {
                Shopping::Purchases(count) if number >= count => break,
                Shopping::SingleCalls => buy_with_single_calls(&self.front, &self.merchant, number).await,
                _ => buy(&self.front, &self.merchant, number, chance).await,
            };
            for charge in &bought.charges {
                if charge.told.iter().any(|told| told == "succeeded") {
                    self.paid.send_modify(|paid| paid.push(Instant::now()));
                }
            }
            known.add(bought);
        }
        known
    }

    /// Waits until so many charges more are paid; `what` stands in the error.
    pub(crate) async fn wait_for(&self, more: usize, what: &str) -> Result<()> {
        let mut paid = self.paid.subscribe();
        let until = paid.borrow().len() + more;
        let waited = timeout(GIVE_UP, paid.wait_for(|paid| paid.len() >= until)).await;
        waited
            .map(drop)
            .with_context(|| format!("{what}: no shopper could pay for {} s", GIVE_UP.as_secs()))
    }

    /// Now.
    pub(crate) fn now(&self) -> Since {
        Since {
            at: Instant::now(),
            paid: self.paid.borrow().len(),
        }
    }

    /// The longest time without a paid charge since then, and how many were paid.
    pub(crate) fn longest_pause(&self, since: Since) -> (Duration, usize) {
        let paid = self.paid.borrow();
        let mut last = since.at;
        let mut longest = Duration::ZERO;
        for at in &paid[since.paid..] {
            longest = longest.max(at.duration_since(last));
            last = *at;
        }
        (longest, paid.len() - since.paid)
    }

    /// Tells the shoppers to stop, and returns what they bought.
    pub(crate) async fn stop(&self, shoppers: RunningShoppers) -> Result<Purchases> {
        self.stop.send_replace(true);
        shoppers.finish().await
    }
}

impl RunningShoppers {
    /// Lets them finish, and returns what they bought.
    pub(crate) async fn finish(mut self) -> Result<Purchases> {
        let mut bought = Purchases::default();
        while let Some(ended) = self.0.join_next().await {
            bought.add(ended?);
        }
        Ok(bought)
    }
}
