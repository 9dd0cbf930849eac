//! A node's lives: started, killed at a random moment, started again.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

use crate::TrialError;
use crate::chance::Chance;
use crate::process::{Process, Program};

/// How many calls go by before a node is killed, and then how many milliseconds: less or more than one payment takes.
const CALLS_BEFORE_KILL: (u64, u64) = (3, 40);
const LAST_MS: (u64, u64) = (0, 100);

/// A node's lives.
pub(crate) struct Life {
    pub(crate) program: Program,
    pub(crate) arguments: Vec<String>,
    pub(crate) chance: Chance,
}

impl Life {
    pub(crate) async fn start(&self) -> Result<Process, TrialError> {
        let (program, arguments) = (self.program.clone(), self.arguments.clone());
        let started = tokio::task::spawn_blocking(move || {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            program.serve(&arguments)
        });
        started
            .await
            .map_err(|_| TrialError::Answer("a panic".to_owned()))?
    }

    /// Kills the node at random moments and starts it again, until told to stop; then one is left alive.
    pub(crate) async fn kill_again_and_again(
        mut self,
        mut node: Process,
        address: watch::Sender<String>,
        mut calls: watch::Receiver<usize>,
        mut stopped: watch::Receiver<bool>,
    ) -> Result<(usize, Process), TrialError> {
        let mut kills = 0;
        loop {
            let (fewest, end) = CALLS_BEFORE_KILL;
            let more = usize::try_from(self.chance.between(fewest, end)).unwrap_or_default();
            let last = Duration::from_millis(self.chance.between(LAST_MS.0, LAST_MS.1));
            let until = *calls.borrow() + more;
            let life = async {
                // The one who counts is there until the end.
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
