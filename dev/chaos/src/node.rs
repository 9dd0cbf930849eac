//! A node that is started, killed at a random moment, and started again.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

use harness::TrialError;
use harness::companion::signal;
use harness::process::{CardformProcess, Program};
use harness::random::Random;

/// How many calls pass before a node is killed, and then how many milliseconds: less or more than one payment takes.
pub(crate) const CALLS_BEFORE_KILL: (u64, u64) = (3, 40);
/// The same with Stripe's connector, which calls Stripe up to six times for a payment.
pub(crate) const CALLS_BEFORE_KILL_WITH_STRIPE: (u64, u64) = (6, 60);
const LAST_MS: (u64, u64) = (0, 100);

/// A node that stands still does so for longer than it may look after an attempt (ten seconds), so that other nodes
/// take its attempts over.
const STANDSTILL: Duration = Duration::from_secs(12);
/// One fault out of this many is a standstill, where there are any.
const STANDSTILL_ONE_IN: u64 = 12;

/// A node that is killed again and again.
pub(crate) struct KilledNode {
    /// Whether it is sometimes stopped (SIGSTOP) instead of killed, and goes on later as if no time had passed.
    pub(crate) stands_still: bool,
    /// After how many calls to all nodes it is killed: from, and up to.
    pub(crate) calls_before_kill: (u64, u64),
    pub(crate) program: Program,
    pub(crate) arguments: Vec<String>,
    pub(crate) chance: Random,
}

impl KilledNode {
    pub(crate) async fn start(&self) -> Result<CardformProcess, TrialError> {
        self.program.serve_aside(self.arguments.clone()).await
    }

    /// Kills the node at random moments and starts it again, until `stopped`; the last one keeps running.
    pub(crate) async fn kill_again_and_again(
        mut self,
        mut node: CardformProcess,
        address: watch::Sender<String>,
        mut calls: watch::Receiver<usize>,
        mut stopped: watch::Receiver<bool>,
    ) -> Result<(usize, CardformProcess), TrialError> {
        let mut kills = 0;
        loop {
            let (fewest, end) = self.calls_before_kill;
            let more = usize::try_from(self.chance.between(fewest, end)).unwrap_or_default();
            let last = Duration::from_millis(self.chance.between(LAST_MS.0, LAST_MS.1));
            let until = *calls.borrow() + more;
            let life = async {
                // The sender exists until the end.
                let _ = calls.wait_for(|count| *count >= until).await;
                sleep(last).await;
            };
            tokio::select! {
                _ = stopped.wait_for(|stop| *stop) => return Ok((kills, node)),
                () = life => {}
            }
            kills += 1;
            if self.stands_still && self.chance.between(0, STANDSTILL_ONE_IN) == 0 {
                signal("STOP", &[node.id()]);
                sleep(STANDSTILL).await;
                signal("CONT", &[node.id()]);
                continue;
            }
            node.kill();
            node = self.start().await?;
            address.send_replace(node.url.clone());
        }
    }
}
