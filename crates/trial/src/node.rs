//! A node that is started, killed at a random moment, and started again.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

use crate::TrialError;
use crate::process::{CardformProcess, Program};
use crate::random::Random;

/// How many calls pass before a node is killed, and then how many milliseconds: less or more than one payment takes.
const CALLS_BEFORE_KILL: (u64, u64) = (3, 40);
const LAST_MS: (u64, u64) = (0, 100);

/// A node that is killed again and again.
pub(crate) struct KilledNode {
    pub(crate) program: Program,
    pub(crate) arguments: Vec<String>,
    pub(crate) chance: Random,
}

impl KilledNode {
    pub(crate) async fn start(&self) -> Result<CardformProcess, TrialError> {
        let (program, arguments) = (self.program.clone(), self.arguments.clone());
        let started = tokio::task::spawn_blocking(move || {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            program.serve(&arguments)
        });
        started
            .await
            .map_err(|_| TrialError::Answer("a panic".to_owned()))?
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
            let (fewest, end) = CALLS_BEFORE_KILL;
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
                () = life => node.kill(),
            }
            kills += 1;
            node = self.start().await?;
            address.send_replace(node.url.clone());
        }
    }
}
