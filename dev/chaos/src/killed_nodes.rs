//! Nodes are killed at random moments while shoppers pay, with 3-D Secure and saved cards, too. In the end every charge is
//! paid once or not at all, and all records agree about it.

use std::path::Path;

use anyhow::Result;
use harness::process::Program;
use harness::random::Random;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::load::finish;
use crate::node::{Kills, Node};
use crate::provider::ChosenProvider;
use crate::surroundings::Surroundings;
pub use crate::surroundings::TrialReport;

/// Seeds with which this drill failed once. Each drill begins with them.
pub const FAILED_SEEDS: [u64; 1] = [16_678_056_215_799_909_471];

/// How many calls pass before a node is killed.
const CALLS_BEFORE_KILL: (u64, u64) = (3, 40);
/// The same with Stripe's connector, which calls Stripe up to six times for a payment.
const CALLS_BEFORE_KILL_WITH_STRIPE: (u64, u64) = (6, 60);

/// A drill with killed nodes.
#[derive(Debug, Clone)]
pub struct Chaos {
    /// `sqlite:…` or `postgres://…`, empty.
    pub database: String,
    /// Which provider takes the cards.
    pub provider: ChosenProvider,
    /// How many nodes share the database.
    pub nodes: usize,
    /// How many purchases are begun; a shopper who comes back makes one more charge.
    pub charges: usize,
    /// How many shoppers pay at once.
    pub shoppers: usize,
    /// The seed of the random choices.
    pub seed: u64,
    /// Whether a node is sometimes stopped for longer than an attempt's lease, instead of being killed.
    pub stands_still: bool,
}

impl Chaos {
    /// Runs the drill with this `cardform` program in `dir`.
    pub async fn run(&self, binary: &Path, dir: &Path) -> Result<TrialReport> {
        let program = Program::new(binary, dir);
        let around = Surroundings::with_provider(program, &self.database, &self.provider, self.seed).await?;
        let mut nodes = Vec::new();
        for _ in 0..self.nodes {
            nodes.push(around.node().await?);
        }
        let addresses = nodes.iter().map(Node::address).collect();
        let load = around.load(addresses, Some(self.charges), self.seed);
        let stop = watch::Sender::new(false);
        let mut killers = JoinSet::new();
        for (number, node) in nodes.into_iter().enumerate() {
            let kills = Kills {
                chance: Random::new(self.seed ^ (number as u64 + 1)),
                stands_still: self.stands_still,
                calls: match self.provider {
                    ChosenProvider::Simulator => CALLS_BEFORE_KILL,
                    ChosenProvider::Localstripe(_) => CALLS_BEFORE_KILL_WITH_STRIPE,
                },
            };
            killers.spawn(node.kill_again_and_again(kills, load.shopper.front.calls(), stop.subscribe()));
        }
        let bought = finish(load.start(self.shoppers)).await;
        stop.send_replace(true);
        let mut kills = 0;
        let mut living = Vec::new();
        while let Some(ended) = killers.join_next().await {
            let (count, node) = ended??;
            kills += count;
            living.push(node);
        }
        around.compare(&load, bought?, kills).await
    }
}
