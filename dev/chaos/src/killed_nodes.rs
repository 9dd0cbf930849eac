//! Nodes are killed at random moments while shoppers pay, with 3-D Secure and saved cards, too. In the end every charge is
//! paid once or not at all, and all records agree about it.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use harness::process::Program;
use harness::random::Random;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Duration, sleep};

use crate::load::{Load, finish};
use crate::node::Node;
use crate::provider::ChosenProvider;
use crate::surroundings::Surroundings;

/// Seeds with which this drill failed once. Each drill begins with them.
pub const FAILED_SEEDS: [u64; 1] = [16_678_056_215_799_909_471];

/// How many calls pass before a node is killed.
const CALLS_BEFORE_KILL: (u64, u64) = (3, 40);
/// The same with Stripe's connector, which calls Stripe up to six times for a payment.
const CALLS_BEFORE_KILL_WITH_STRIPE: (u64, u64) = (6, 60);
/// How long a node lives after the call before its death, in milliseconds.
const REST_MS_MAX: u64 = 100;
/// How long a node is stopped: longer than an attempt's lease (ten seconds), so that other nodes take its attempts over.
const STANDSTILL: Duration = Duration::from_secs(12);
/// One fault out of this many is a standstill, if the drill has them.
const STANDSTILL_ONE_IN: u64 = 12;

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

/// What happened while nodes were killed.
pub(crate) struct Died<T> {
    pub(crate) result: T,
    pub(crate) load: Arc<Load>,
    pub(crate) kills: usize,
    /// They end when this is dropped.
    _living: Vec<Node>,
}

impl Chaos {
    /// Two nodes on this database, for a drill that brings its own work.
    pub(crate) fn of_two_nodes(database: String, provider: &ChosenProvider, seed: u64) -> Self {
        Self {
            database,
            provider: provider.clone(),
            nodes: 2,
            charges: 0,
            shoppers: 0,
            seed,
            stands_still: false,
        }
    }

    /// Runs the drill with this `cardform` program in `dir`. Returns the result in words.
    pub async fn run(&self, binary: &Path, dir: &Path) -> Result<String> {
        let program = Program::new(binary, dir);
        let around =
            Surroundings::with_provider(program, &self.database, &self.provider, Some(self.seed)).await?;
        let died = self
            .while_nodes_die(&around, async |load| finish(load.start(self.shoppers)).await)
            .await?;
        around.compare(&died.load, died.result, died.kills).await
    }

    /// Starts the nodes, and kills them while `work` runs.
    pub(crate) async fn while_nodes_die<T>(
        &self,
        around: &Surroundings,
        work: impl AsyncFnOnce(&Arc<Load>) -> T,
    ) -> Result<Died<T>> {
        let mut nodes = Vec::new();
        for _ in 0..self.nodes {
            nodes.push(around.node().await?);
        }
        let addresses = nodes.iter().map(|node| node.url.clone()).collect();
        let load = Load::new(around, addresses, Some(self.charges), self.seed);
        let stop = watch::Sender::new(false);
        let mut killers = JoinSet::new();
        for (number, node) in nodes.into_iter().enumerate() {
            let (calls, stopped) = (load.shopper.front.calls.subscribe(), stop.subscribe());
            killers.spawn(self.clone().kill_again_and_again(number, node, calls, stopped));
        }
        let result = work(&load).await;
        stop.send_replace(true);
        let killed = killers.join_all().await.into_iter();
        let (kills, living): (Vec<usize>, Vec<Node>) = killed.collect::<Result<_>>()?;
        Ok(Died {
            result,
            load,
            kills: kills.iter().sum(),
            _living: living,
        })
    }

    /// Kills the node at random moments and starts it again, until `stopped`. Returns how often, and the running node.
    async fn kill_again_and_again(
        self,
        number: usize,
        mut node: Node,
        mut calls: watch::Receiver<usize>,
        mut stopped: watch::Receiver<bool>,
    ) -> Result<(usize, Node)> {
        let mut chance = Random::new(self.seed ^ (number as u64 + 1));
        let (least, end) = match self.provider {
            ChosenProvider::Simulator => CALLS_BEFORE_KILL,
            ChosenProvider::Localstripe(_) => CALLS_BEFORE_KILL_WITH_STRIPE,
        };
        let mut count = 0;
        loop {
            let more = usize::try_from(chance.between(least, end))?;
            let rest = Duration::from_millis(chance.between(0, REST_MS_MAX));
            let until = *calls.borrow() + more;
            let life = async {
                // The sender exists until the end.
                let _ = calls.wait_for(|count| *count >= until).await;
                sleep(rest).await;
            };
            tokio::select! {
                _ = stopped.wait_for(|stop| *stop) => return Ok((count, node)),
                () = life => {}
            }
            count += 1;
            if self.stands_still && chance.between(0, STANDSTILL_ONE_IN) == 0 {
                node.stand_still(STANDSTILL).await;
            } else {
                node.die(Duration::ZERO, Duration::ZERO).await?;
            }
        }
    }
}
