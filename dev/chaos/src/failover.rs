//! The primary of a PostgreSQL cluster dies, freezes, is cut off or changed by hand while shoppers pay at two nodes: nothing
//! is lost, nothing is paid twice, and shoppers can pay again when another member has taken over.

use std::path::Path;

use tokio::sync::watch;
use tokio::time::Duration;

use crate::cluster::{Cluster, LEASE_SECONDS};
use crate::killed_nodes::{Surroundings, TrialReport};
use crate::load_during_faults::LoadDuringFaults;
use harness::TrialError;
use harness::haproxy::HaProxy;
use harness::process::Program;

const NODES: usize = 2;
const SHOPPERS: usize = 8;
/// Charges that are settled before the next fault.
const CHARGES_BETWEEN: usize = 40;
/// The primary's lease, the election, a new primary's start, and a shopper's longest pause.
pub const PAYING_AGAIN_WITHIN: Duration = Duration::from_secs(LEASE_SECONDS + 22);
/// Its name in errors.
const NAME: &str = "the cluster";

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
    let load = LoadDuringFaults::new(vec![known], around.merchant.clone(), seed);
    let shoppers = load.start(SHOPPERS);
    load.wait_for(CHARGES_BETWEEN, NAME).await?;
    let mut outages = Vec::new();
    for fault in FAULTS {
        outages.push(suffer(&load, fault, &mut cluster).await?);
    }
    let bought = shoppers.end().await?;
    let report = around.compare(&load.front, bought, outages.len()).await?;
    drop(nodes);
    Ok((outages, report))
}

/// Lets it happen, waits until shoppers pay at another primary, and mends it.
async fn suffer(load: &LoadDuringFaults, fault: Fault, cluster: &mut Cluster) -> Result<Outage, TrialError> {
    let primary = cluster.primary().await?;
    let since = load.now();
    match fault {
        Fault::Killed => cluster.kill(primary),
        Fault::Frozen => cluster.freeze(primary),
        Fault::CutOff => cluster.cut_off(primary)?,
        Fault::SwitchedOver => cluster.switch_over(primary)?,
    }
    while cluster.primary().await? == primary {
        tokio::task::yield_now().await;
    }
    load.wait_for(CHARGES_BETWEEN, NAME).await?;
    match fault {
        Fault::Killed => cluster.start_again(primary)?,
        Fault::Frozen => cluster.thaw(primary),
        Fault::CutOff => cluster.reconnect(primary)?,
        Fault::SwitchedOver => {}
    }
    cluster.whole().await?;
    load.wait_for(CHARGES_BETWEEN, NAME).await?;
    let (lasted, paid) = load.longest_pause(since);
    Ok(Outage { fault, lasted, paid })
}
