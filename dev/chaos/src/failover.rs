//! The primary of a PostgreSQL cluster dies, freezes, is cut off or changed by hand while shoppers pay at two nodes: nothing
//! is lost, nothing is paid twice, and shoppers can pay again when another member has taken over.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, ensure};
use harness::faulty_proxy::NetworkState;
use harness::haproxy::HaProxy;
use harness::process::Program;
use tokio::time::{Duration, Instant, sleep};

use crate::cluster::{Cluster, LEASE_SECONDS};
use crate::suffering::{CHARGES_BETWEEN, SufferingService};
use crate::surroundings::Surroundings;

/// The pause between two looks who the primary is.
const PAUSE: Duration = Duration::from_millis(250);
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

/// Runs the drill in `dir`.
pub async fn run(binary: &Path, dir: &Path, seed: u64) -> Result<()> {
    let mut cluster = Cluster::start(dir).await?;
    let around = Surroundings::start(Program::new(binary, dir), &cluster.database).await?;
    let nodes = [around.node().await?, around.node().await?];
    let proxy = HaProxy::start(dir, nodes.each_ref().map(|node| node.url.as_str()))?;
    let mut service = SufferingService::start(around, vec![proxy.url.clone()], seed).await?;
    let load = Arc::clone(&service.load);
    for (fault, what) in [
        (
            Fault::SwitchedOver,
            "the primary is changed by hand (`patronictl switchover`)",
        ),
        (Fault::Killed, "it is killed with its Patroni (SIGKILL)"),
        (
            Fault::Frozen,
            "it stands still with its Patroni (SIGSTOP), and continues when another one has taken over",
        ),
        (
            Fault::CutOff,
            "it no longer reaches etcd, while clients still reach it",
        ),
    ] {
        let suffered = async {
            let begin = Instant::now();
            let primary = cluster.primary().await?;
            match fault {
                Fault::Killed => cluster.members[primary].kill(),
                Fault::Frozen => cluster.members[primary].signal_all("STOP"),
                Fault::CutOff => {
                    cluster.members[primary].etcd.set(NetworkState::Cut);
                }
                Fault::SwitchedOver => cluster.switch_over(primary)?,
            }
            while cluster.primary().await? == primary {
                sleep(PAUSE).await;
            }
            let took = begin.elapsed().as_secs_f64();
            load.wait_for(CHARGES_BETWEEN, what).await?;
            match fault {
                Fault::Killed => cluster.members[primary].start()?,
                Fault::Frozen => cluster.members[primary].signal_all("CONT"),
                Fault::CutOff => {
                    cluster.members[primary].etcd.set(NetworkState::Carries);
                }
                Fault::SwitchedOver => {}
            }
            cluster.whole().await?;
            Ok(format!("another member was the primary after {took:.1} s"))
        };
        service.suffer(what, suffered).await?;
    }
    let longest = service.longest;
    service.end().await?;
    ensure!(
        longest <= PAYING_AGAIN_WITHIN,
        "no shopper could pay for {longest:?}, and {PAYING_AGAIN_WITHIN:?} are allowed"
    );
    Ok(())
}
