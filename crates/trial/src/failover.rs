//! The primary of a PostgreSQL cluster dies, freezes, is cut off or changed by hand while shoppers pay at two nodes: nothing
//! is lost, nothing is paid twice, and shoppers can pay again when another member has taken over.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Duration, Instant, timeout};

use crate::TrialError;
use crate::chaos::{Surroundings, TrialReport};
use crate::cluster::{Cluster, LEASE_SECONDS};
use crate::haproxy::HaProxy;
use crate::process::Program;
use crate::random::Random;
use crate::shop::TrialMerchant;
use crate::shopper::{NodeAddresses, Purchases, buy};

const NODES: usize = 2;
const SHOPPERS: usize = 8;
/// Charges that are settled before the next fault.
const CHARGES_BETWEEN: usize = 40;
/// The primary's lease, the election, a new primary's start, and a shopper's longest pause.
pub const PAYING_AGAIN_WITHIN: Duration = Duration::from_secs(LEASE_SECONDS + 22);
/// How long the trial waits for a charge before it gives up.
const GIVE_UP: Duration = Duration::from_mins(3);

/// What happens to the primary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// SIGKILL to its processes and to its Patroni.
    Killed,
    /// SIGSTOP to all of them until another one has taken over; then they go on.
    Frozen,
    /// It no longer reaches etcd, and clients still reach it.
    CutOff,
    /// `patronictl switchover`.
    SwitchedOver,
}

/// All of them, in the order of the trial.
pub const FAULTS: [Fault; 4] = [Fault::SwitchedOver, Fault::Killed, Fault::Frozen, Fault::CutOff];

/// A fault, and how long nobody could pay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outage {
    /// What happened.
    pub fault: Fault,
    /// The longest time without a paid charge.
    pub lasted: Duration,
    /// Charges that were paid between this fault and the next one.
    pub paid: usize,
}

/// Shoppers who pay until they are told to stop, and when each charge was paid.
struct LoadDuringFaults {
    front: NodeAddresses,
    merchant: TrialMerchant,
    seed: u64,
    next: AtomicUsize,
    paid: watch::Sender<Vec<Instant>>,
}

/// Runs the trial in `dir`: the outages, and the books.
pub async fn run(binary: &Path, dir: &Path, seed: u64) -> Result<(Vec<Outage>, TrialReport), TrialError> {
    let mut cluster = Cluster::start(dir).await?;
    let database = cluster.new_database("pay").await?;
    let program = Program::new(binary, dir);
    let around = Surroundings::start(&program, &database).await?.may_lose_cards();
    let proxy = HaProxy::start(dir, NODES)?;
    let mut nodes = Vec::new();
    for number in 0..NODES {
        let node = program.serve_aside(around.arguments(&database)).await?;
        proxy.point(number, &node.url).await?;
        nodes.push(node);
    }
    let (_address, known) = watch::channel(proxy.url.clone());
    let shopping = Arc::new(LoadDuringFaults {
        front: NodeAddresses::new(vec![known], watch::Sender::new(0)),
        merchant: around.merchant.clone(),
        seed,
        next: AtomicUsize::new(0),
        paid: watch::Sender::new(Vec::new()),
    });
    let (stop, stopped) = watch::channel(false);
    let mut shoppers = JoinSet::new();
    for _ in 0..SHOPPERS {
        shoppers.spawn(Arc::clone(&shopping).shop(stopped.clone()));
    }
    shopping.wait_for(CHARGES_BETWEEN).await?;
    let mut outages = Vec::new();
    for fault in FAULTS {
        outages.push(shopping.suffer(fault, &mut cluster).await?);
    }
    stop.send_replace(true);
    let mut bought = Purchases::default();
    while let Some(ended) = shoppers.join_next().await {
        bought.add(ended.map_err(|_| TrialError::Answer("a panic".to_owned()))?);
    }
    let report = around.compare(&shopping.front, bought, outages.len()).await?;
    drop(nodes);
    Ok((outages, report))
}

impl LoadDuringFaults {
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

    /// Waits until so many charges more are paid.
    async fn wait_for(&self, more: usize) -> Result<(), TrialError> {
        let mut paid = self.paid.subscribe();
        let until = paid.borrow().len() + more;
        let waited = timeout(GIVE_UP, paid.wait_for(|paid| paid.len() >= until)).await;
        waited.map(drop).map_err(|_| {
            TrialError::NotReady(
                "the cluster".to_owned(),
                "nobody could pay for minutes".to_owned(),
            )
        })
    }

    /// Lets it happen, waits until shoppers pay at another primary, and mends it.
    async fn suffer(&self, fault: Fault, cluster: &mut Cluster) -> Result<Outage, TrialError> {
        let primary = cluster.primary().await?;
        let before = self.paid.borrow().len();
        let begin = Instant::now();
        match fault {
            Fault::Killed => cluster.kill(primary),
            Fault::Frozen => cluster.freeze(primary),
            Fault::CutOff => cluster.cut_off(primary)?,
            Fault::SwitchedOver => cluster.switch_over(primary)?,
        }
        while cluster.primary().await? == primary {
            tokio::task::yield_now().await;
        }
        self.wait_for(CHARGES_BETWEEN).await?;
        match fault {
            Fault::Killed => cluster.start_again(primary)?,
            Fault::Frozen => cluster.thaw(primary),
            Fault::CutOff => cluster.reconnect(primary)?,
            Fault::SwitchedOver => {}
        }
        cluster.whole().await?;
        self.wait_for(CHARGES_BETWEEN).await?;
        let paid = self.paid.borrow();
        let mut last = begin;
        let mut lasted = Duration::ZERO;
        for at in &paid[before..] {
            lasted = lasted.max(at.duration_since(last));
            last = *at;
        }
        Ok(Outage {
            fault,
            lasted,
            paid: paid.len() - before,
        })
    }
}
