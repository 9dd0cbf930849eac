//! The primary of a PostgreSQL cluster dies, freezes, is cut off or changed by hand while shoppers pay at two nodes: nothing
//! is lost, nothing is paid twice, and shoppers can pay again when another member has taken over.

use std::path::Path;

use anyhow::{Result, bail};
use harness::haproxy::HaProxy;
use harness::process::Program;
use tokio::sync::watch;
use tokio::time::Duration;

use crate::books::Contradictions;
use crate::cluster::{Cluster, LEASE_SECONDS};
use crate::killed_nodes::{Surroundings, TrialReport};
use crate::load::{Load, Shopping};

const NODES: usize = 2;
const SHOPPERS: usize = 8;
/// Charges that are settled before the next fault.
const CHARGES_BETWEEN: usize = 40;
/// The primary's lease, the election, a new primary's start, and a shopper's longest pause.
const PAYING_AGAIN_WITHIN: Duration = Duration::from_secs(LEASE_SECONDS + 22);

/// A fault of the primary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    SwitchedOver,
    Killed,
    /// SIGSTOP to all of its processes until another member has taken over; then SIGCONT.
    Frozen,
    /// It no longer reaches etcd, and clients still reach it.
    CutOff,
}

/// All of them, in the order of the drill.
const FAULTS: [(Fault, &str); 4] = [
    (
        Fault::SwitchedOver,
        "is changed by hand (`patronictl switchover`)",
    ),
    (Fault::Killed, "is killed with its Patroni (SIGKILL)"),
    (
        Fault::Frozen,
        "stands still with its Patroni (SIGSTOP), and continues when another one has taken over",
    ),
    (
        Fault::CutOff,
        "no longer reaches etcd, while clients still reach it",
    ),
];

/// Runs the drill in `dir`. Returns a row of a table in Markdown for each fault, and the books.
pub async fn run(binary: &Path, dir: &Path, seed: u64) -> Result<(Vec<String>, TrialReport)> {
    let mut cluster = Cluster::start(dir).await?;
    let database = cluster.new_database("pay").await?;
    let program = Program::new(binary, dir);
    let mut around = Surroundings::start(&program, &database).await?;
    around.may_lose_cards = true;
    let proxy = HaProxy::start(dir, NODES)?;
    let mut nodes = Vec::new();
    for number in 0..NODES {
        let node = program.serve_aside(&around.node(&database)).await?;
        proxy.point(number, &node.url).await?;
        nodes.push(node);
    }
    let (_address, known) = watch::channel(proxy.url.clone());
    let load = Load::new(vec![known], &around.merchant, Shopping::UntilStopped, seed);
    let shoppers = load.start(SHOPPERS);
    load.wait_for(CHARGES_BETWEEN, "the beginning").await?;
    let mut rows = Vec::new();
    let mut longest = Duration::ZERO;
    for (fault, what) in FAULTS {
        let (lasted, paid) = suffer(&load, fault, what, &mut cluster).await?;
        rows.push(format!("| {what} | {:.1} s | {paid} |", lasted.as_secs_f64()));
        longest = longest.max(lasted);
    }
    let bought = load.stop(shoppers).await?;
    let report = around.compare(&load.front, bought, FAULTS.len()).await?;
    if longest > PAYING_AGAIN_WITHIN {
        let allowed = PAYING_AGAIN_WITHIN.as_secs();
        bail!(Contradictions::one(format!(
            "no shopper could pay for {} s, and {allowed} s are allowed:\n{}",
            longest.as_secs(),
            rows.join("\n")
        )));
    }
    Ok((rows, report))
}

/// Lets it happen, waits until shoppers pay at another primary, and mends it. Returns the longest time without a paid
/// charge, and how many were paid.
async fn suffer(load: &Load, fault: Fault, what: &str, cluster: &mut Cluster) -> Result<(Duration, usize)> {
    let primary = cluster.primary().await?;
    let since = load.now();
    match fault {
        Fault::Killed => cluster.member(primary).kill(),
        Fault::Frozen => cluster.member(primary).signal_all("STOP"),
        Fault::CutOff => cluster.cut_off(primary)?,
        Fault::SwitchedOver => cluster.switch_over(primary)?,
    }
    while cluster.primary().await? == primary {
        tokio::task::yield_now().await;
    }
    load.wait_for(CHARGES_BETWEEN, what).await?;
    match fault {
        Fault::Killed => cluster.member(primary).start()?,
        Fault::Frozen => cluster.member(primary).signal_all("CONT"),
        Fault::CutOff => cluster.reconnect(primary)?,
        Fault::SwitchedOver => {}
    }
    cluster.whole().await?;
    load.wait_for(CHARGES_BETWEEN, what).await?;
    Ok(load.longest_pause(since))
}
