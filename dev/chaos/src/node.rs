//! A node that is killed and started again. Its address changes with each start.

use std::time::Duration;

use anyhow::{Context, Result};
use harness::companion::signal;
use harness::process::{CardformProcess, Program};
use harness::random::Random;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

/// How long a node lives after the call before its death, in milliseconds.
const LAST_MS: (u64, u64) = (0, 100);
/// How long a node is stopped: longer than an attempt's lease (ten seconds), so that other nodes take its attempts over.
const STANDSTILL: Duration = Duration::from_secs(12);
/// One fault out of this many is a standstill, if the drill has them.
const STANDSTILL_ONE_IN: u64 = 12;
/// The pause before a node that does not start is started again.
const PAUSE: Duration = Duration::from_millis(250);

/// A node.
pub(crate) struct Node {
    program: Program,
    line: String,
    address: watch::Sender<String>,
    process: Option<CardformProcess>,
}

/// When a node is killed again and again.
pub(crate) struct Kills {
    /// After how many calls to all nodes: from, and up to.
    pub(crate) calls: (u64, u64),
    /// Whether it is sometimes stopped (SIGSTOP) instead of killed, and continued later as if no time had passed.
    pub(crate) stands_still: bool,
    pub(crate) chance: Random,
}

impl Node {
    pub(crate) async fn start(program: &Program, line: String) -> Result<Self> {
        let mut node = Self {
            program: program.clone(),
            line,
            address: watch::Sender::default(),
            process: None,
        };
        node.start_within(Duration::ZERO).await?;
        Ok(node)
    }

    /// Starts it, again and again for this time, as a supervisor does.
    async fn start_within(&mut self, limit: Duration) -> Result<()> {
        let begin = Instant::now();
        let process = loop {
            match self.program.serve_aside(&self.line).await {
                Err(_) if begin.elapsed() < limit => sleep(PAUSE).await,
                ended => break ended?,
            }
        };
        self.address.send_replace(process.url.clone());
        self.process = Some(process);
        Ok(())
    }

    /// Its address, which changes with each start.
    pub(crate) fn address(&self) -> watch::Receiver<String> {
        self.address.subscribe()
    }

    /// Its current address.
    pub(crate) fn url(&self) -> String {
        self.address.borrow().clone()
    }

    /// SIGKILL after this time; then it must start again within `limit`. Returns how long both took together.
    pub(crate) async fn die(&mut self, after: Duration, limit: Duration) -> Result<Duration> {
        let begin = Instant::now();
        sleep(after).await;
        self.process = None;
        self.start_within(limit).await?;
        Ok(begin.elapsed())
    }

    /// Ends it with SIGTERM, and starts this program in its place.
    pub(crate) async fn replace(&mut self, program: &Program) -> Result<()> {
        self.process.take().context("no process")?.end().await?;
        self.program = program.clone();
        self.start_within(Duration::ZERO).await
    }

    async fn stand_still(&self) {
        let id = self.process.iter().map(CardformProcess::id);
        let id: Vec<_> = id.collect();
        signal("STOP", &id);
        sleep(STANDSTILL).await;
        signal("CONT", &id);
    }

    /// Kills the node at random moments and starts it again, until `stopped`. Returns how often, and the running node.
    pub(crate) async fn kill_again_and_again(
        mut self,
        mut kills: Kills,
        mut calls: watch::Receiver<usize>,
        mut stopped: watch::Receiver<bool>,
    ) -> Result<(usize, Self)> {
        let mut count = 0;
        loop {
            let more = usize::try_from(kills.chance.between(kills.calls.0, kills.calls.1))?;
            let last = Duration::from_millis(kills.chance.between(LAST_MS.0, LAST_MS.1));
            let until = *calls.borrow() + more;
            let life = async {
                // The sender exists until the end.
                let _ = calls.wait_for(|count| *count >= until).await;
                sleep(last).await;
            };
            tokio::select! {
                _ = stopped.wait_for(|stop| *stop) => return Ok((count, self)),
                () = life => {}
            }
            count += 1;
            if kills.stands_still && kills.chance.between(0, STANDSTILL_ONE_IN) == 0 {
                self.stand_still().await;
            } else {
                self.die(Duration::ZERO, Duration::ZERO).await?;
            }
        }
    }
}
