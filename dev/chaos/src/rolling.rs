//! The change to another version and back, node after node, behind HAProxy and under load: no request may be lost. The same
//! program stands for both versions, unless there is an older one. An older one knows no holds, so these begin when the first node
//! is new; the old node refuses them, and no money of them is captured by itself.

use std::path::Path;
use std::sync::atomic::Ordering;

use anyhow::{Result, ensure};
use harness::haproxy::HaProxy;
use harness::process::Program;

use crate::load::Load;
use crate::node::Node;
use crate::surroundings::Surroundings;

/// How long a node still serves after SIGTERM: several times the pause between two checks of the load balancer.
const DRAIN_MS: &str = "1000";
/// Purchases between two changes, so that each happens under load.
const PURCHASES_BETWEEN: usize = 20;
/// Each of them waits often for the end of a challenge.
const SHOPPERS: usize = 8;

/// Runs the drill in `dir`, with an empty PostgreSQL database. `midway` runs after the first node has been changed. Returns the
/// result in words.
pub async fn run(
    binary: &Path,
    older: Option<&Path>,
    database: &str,
    dir: &Path,
    midway: impl AsyncFn() -> Result<()>,
) -> Result<String> {
    let around = Surroundings::start(Program::new(binary, dir), database).await?;
    let line = format!("{} --drain-ms {DRAIN_MS}", around.line);
    let new = around.program.clone();
    let old = older.map_or_else(|| new.clone(), |older| Program::new(older, dir));
    let mut nodes = [
        Node::start(&old, line.clone()).await?,
        Node::start(&old, line).await?,
    ];
    let proxy = HaProxy::start(dir, nodes.each_ref().map(|node| node.url.as_str()))?;
    let load = Load::new(&around, vec![proxy.url.clone()], None, 0);
    load.shopper.holds.store(older.is_none(), Ordering::Relaxed);
    let shoppers = load.start(SHOPPERS);
    let mut changes = 0;
    // Back to an older version, holds are over.
    let ways: &[&Program] = if older.is_some() { &[&new] } else { &[&new, &new] };
    for program in ways {
        for (number, node) in nodes.iter_mut().enumerate() {
            load.wait_for(PURCHASES_BETWEEN, "a change of version").await?;
            node.replace(program).await?;
            proxy.uses(number).await?;
            changes += 1;
            load.shopper.holds.store(true, Ordering::Relaxed);
            if changes == 1 {
                midway().await?;
            }
        }
    }
    load.wait_for(PURCHASES_BETWEEN, "a change of version").await?;
    let bought = load.stop(shoppers).await;
    let result = around.compare(&load, bought, changes).await?;
    let lost_answers = load.shopper.front.lost_answers();
    ensure!(
        older.is_some() || lost_answers == 0,
        "requests were lost: {result}"
    );
    Ok(result)
}
