//! Shoppers who pay while one fault after another happens, and how long nobody could pay.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Duration, Instant, timeout};

use crate::shopper::{NodeAddresses, Purchases, buy};
use harness::TrialError;
use harness::random::Random;
use harness::shop::TrialMerchant;

/// How long the trial waits for a paid charge before it gives up.
const GIVE_UP: Duration = Duration::from_mins(3);

/// Shoppers who pay until they are told to stop, and when each charge was paid.
pub(crate) struct LoadDuringFaults {
    pub(crate) front: NodeAddresses,
    pub(crate) merchant: TrialMerchant,
    seed: u64,
    next: AtomicUsize,
    paid: watch::Sender<Vec<Instant>>,
}

/// The shoppers; they stop when this is dropped.
pub(crate) struct RunningShoppers {
    stop: watch::Sender<bool>,
    running: JoinSet<Purchases>,
}

/// A moment of the trial, from which paid charges are counted.
#[derive(Clone, Copy)]
pub(crate) struct Since {
    at: Instant,
    paid: usize,
}

impl LoadDuringFaults {
    /// At these nodes.
    pub(crate) fn new(nodes: Vec<watch::Receiver<String>>, merchant: TrialMerchant, seed: u64) -> Arc<Self> {
        Arc::new(Self {
            front: NodeAddresses::new(nodes, watch::Sender::new(0)),
            merchant,
            seed,
            next: AtomicUsize::new(0),
            paid: watch::Sender::new(Vec::new()),
        })
    }

    /// Lets so many shoppers begin.
    pub(crate) fn start(self: &Arc<Self>, shoppers: usize) -> RunningShoppers {
        let (stop, stopped) = watch::channel(false);
        let mut running = JoinSet::new();
        for _ in 0..shoppers {
            running.spawn(Arc::clone(self).shop(stopped.clone()));
        }
        RunningShoppers { stop, running }
    }

    async fn shop(self: Arc<Self>, stopped: watch::Receiver<bool>) -> Purchases {
        let mut known = Purchases::default();
        while !*stopped.borrow() {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let chance = Random::new(self.seed.wrapping_mul(31).wrapping_add(number as u64));
            let bought = buy(&self.front, &self.merchant, number, chance).await;
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
    pub(crate) async fn wait_for(&self, more: usize, what: &str) -> Result<(), TrialError> {
        let mut paid = self.paid.subscribe();
        let until = paid.borrow().len() + more;
        let waited = timeout(GIVE_UP, paid.wait_for(|paid| paid.len() >= until)).await;
        waited.map(drop).map_err(|_| {
            let lack = format!("nobody could pay for {} s", GIVE_UP.as_secs());
            TrialError::NotReady(what.to_owned(), lack)
        })
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
}

impl RunningShoppers {
    /// Lets them finish, and returns what they bought.
    pub(crate) async fn end(mut self) -> Result<Purchases, TrialError> {
        self.stop.send_replace(true);
        let mut bought = Purchases::default();
        while let Some(ended) = self.running.join_next().await {
            bought.add(ended.map_err(|_| TrialError::Answer("a panic".to_owned()))?);
        }
        Ok(bought)
    }
}
