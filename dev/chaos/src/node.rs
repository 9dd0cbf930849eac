//! A node that is killed and started again at the same address.

use std::time::Duration;

use anyhow::{Context, Result};
use harness::companion::signal;
use harness::own_address::own_address;
use harness::process::{CardformProcess, Program};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep};

/// The pause before a node that does not start is started again.
const PAUSE: Duration = Duration::from_millis(250);

/// A node.
pub(crate) struct Node {
    program: Program,
    line: String,
    pub(crate) url: String,
    process: Option<CardformProcess>,
}

impl Node {
    pub(crate) async fn start(program: &Program, line: String) -> Result<Self> {
        let mut node = Self {
            program: program.clone(),
            line,
            url: format!("http://{}", own_address()?),
            process: None,
        };
        node.start_within(Duration::ZERO).await?;
        Ok(node)
    }

    /// Starts it, again and again for this time, as a supervisor does.
    async fn start_within(&mut self, limit: Duration) -> Result<()> {
        let begin = Instant::now();
        loop {
            let (program, line) = (self.program.clone(), self.line.clone());
            let address = self.url.trim_start_matches("http://").to_owned();
            match spawn_blocking(move || program.serve_at(&address, &line)).await? {
                Err(_) if begin.elapsed() < limit => sleep(PAUSE).await,
                ended => break self.process = Some(ended?),
            }
        }
        Ok(())
    }

    /// SIGKILL after this time; then it must start again within `limit`. Returns how long both took together.
    pub(crate) async fn die(&mut self, after: Duration, limit: Duration) -> Result<Duration> {
        let begin = Instant::now();
        sleep(after).await;
        self.process = None;
        self.start_within(limit).await?;
        Ok(begin.elapsed())
    }

    /// Ends it with SIGTERM, and starts one of this program in its place.
    pub(crate) async fn replace(&mut self, program: &Program) -> Result<()> {
        self.process.take().context("no process")?.end().await?;
        self.program = program.clone();
        self.start_within(Duration::ZERO).await
    }

    /// Stops it (SIGSTOP) for this time, and continues it as if no time had passed.
    pub(crate) async fn stand_still(&self, time: Duration) {
        let id: Vec<_> = self.process.iter().map(CardformProcess::id).collect();
        signal("STOP", &id);
        sleep(time).await;
        signal("CONT", &id);
    }
}
