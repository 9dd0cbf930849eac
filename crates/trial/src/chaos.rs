//! The chaos test: nodes are killed at random moments while shoppers pay. In the end every charge is paid once or not
//! at all, and all records agree about it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::TrialError;
use crate::consistency::{ChargeRecords, contradictions};
use crate::merchant_events;
use crate::node::KilledNode;
use crate::process::{CardformProcess, Program, service_arguments};
use crate::random::Random;
use crate::receiver::WebhookReceiver;
use crate::shop::TrialMerchant;
use crate::shopper::{NodeAddresses, SETTLED_WITHIN, buy, settle};

/// The provider's latency: long enough that nodes are often killed between request and answer.
const LATENCY_MS: &str = "40";
/// Short times, so that a trial is short: the provider's timeouts, and how often lost outcomes and due events are
/// looked for. The last around allows the merchant's server on this machine.
const SETTINGS: [&str; 10] = [
    "--provider-timeout-ms",
    "2000",
    "--provider-grace-ms",
    "1000",
    "--reconcile-interval-ms",
    "200",
    "--webhook-interval-ms",
    "200",
    PRIVATE_NETWORKS[0],
    PRIVATE_NETWORKS[1],
];
const PRIVATE_NETWORKS: [&str; 2] = ["--webhook-private-networks", "true"];

/// A chaos test.
#[derive(Debug, Clone)]
pub struct Chaos {
    /// `sqlite:…` or `postgres://…`, empty.
    pub database: String,
    /// How many nodes share it.
    pub nodes: usize,
    /// How many charges are made.
    pub charges: usize,
    /// How many shoppers pay at once.
    pub shoppers: usize,
    /// The seed of the random choices.
    pub seed: u64,
    /// Whether nodes sometimes stand still for longer than they may look after an attempt, instead of being killed.
    pub stands_still: bool,
}

/// The result of a trial without errors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrialReport {
    /// Charges in the end, by status.
    pub paid: usize,
    /// Charges that were not paid, also in the provider's ledger.
    pub unpaid: usize,
    /// How often a node was killed, or changed for one of another version.
    pub kills: usize,
    /// How often an answer was lost, to merchants and shoppers together.
    pub lost_answers: usize,
    /// How many events arrived at the merchant's server, including repeated ones.
    pub events: usize,
}

impl Chaos {
    /// Runs the trial with this `cardform` program in `dir`.
    pub async fn run(&self, binary: &Path, dir: &Path) -> Result<TrialReport, TrialError> {
        let program = Program::new(binary, dir);
        let around = Surroundings::start(&program, &self.database).await?;

        let (stop, stopped) = watch::channel(false);
        let (calls, counted) = watch::channel(0);
        let mut killers = JoinSet::new();
        let mut nodes = Vec::new();
        for number in 0..self.nodes {
            let life = KilledNode {
                program: program.clone(),
                arguments: around.arguments(&self.database),
                chance: Random::new(self.seed ^ (number as u64 + 1)),
                stands_still: self.stands_still,
            };
            let first = life.start().await?;
            let (address, known) = watch::channel(first.url.clone());
            nodes.push(known);
            killers.spawn(life.kill_again_and_again(first, address, counted.clone(), stopped.clone()));
        }
        let front = Arc::new(NodeAddresses::new(nodes, calls));

        let shopping = self.shop(&front, &around.merchant).await;
        stop.send_replace(true);
        let mut kills = 0;
        let mut living = Vec::new();
        while let Some(ended) = killers.join_next().await {
            let (count, node) = ended.map_err(|_| TrialError::Answer("a panic".to_owned()))??;
            kills += count;
            living.push(node);
        }
        around.compare(&front, shopping?, kills).await
    }

    /// Creates and pays all charges, with several shoppers at the same time.
    async fn shop(
        &self,
        front: &Arc<NodeAddresses>,
        merchant: &TrialMerchant,
    ) -> Result<Vec<ChargeRecords>, TrialError> {
        let mut shoppers = JoinSet::new();
        let next = Arc::new(AtomicUsize::new(0));
        for _ in 0..self.shoppers {
            let (front, merchant, next) = (Arc::clone(front), merchant.clone(), Arc::clone(&next));
            let (charges, seed) = (self.charges, self.seed);
            shoppers.spawn(async move {
                let mut known = Vec::new();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= charges {
                        return known;
                    }
                    let chance = Random::new(seed.wrapping_mul(31).wrapping_add(number as u64));
                    known.push(buy(&front, &merchant, number, chance).await);
                }
            });
        }
        let mut all = Vec::new();
        while let Some(known) = shoppers.join_next().await {
            all.extend(known.map_err(|_| TrialError::Answer("a panic".to_owned()))?);
        }
        Ok(all)
    }
}

/// What a trial has around the nodes: a provider, and a merchant's server.
pub(crate) struct Surroundings {
    simulator: CardformProcess,
    receiver: WebhookReceiver,
    pub(crate) merchant: TrialMerchant,
}

impl Surroundings {
    /// Migrates the database, and adds a merchant to it.
    pub(crate) async fn start(program: &Program, database: &str) -> Result<Self, TrialError> {
        let simulator = program.serve(&[
            "simulator",
            "--listen",
            "127.0.0.1:0",
            "--data",
            "ledger",
            "--latency",
            LATENCY_MS,
        ])?;
        let receiver = WebhookReceiver::start().await?;
        program.run(&["migrate", "--database", database])?;
        let add = [
            "merchant",
            "add",
            "--name",
            "Shop",
            "--database",
            database,
            "--webhook-url",
            &receiver.url,
        ];
        let merchant = TrialMerchant::new(&program.run(&[&add[..], &PRIVATE_NETWORKS].concat())?)?;
        Ok(Self {
            simulator,
            receiver,
            merchant,
        })
    }

    /// The arguments of a node.
    pub(crate) fn arguments(&self, database: &str) -> Vec<String> {
        let own = service_arguments(database, &self.simulator.url);
        own.into_iter().chain(SETTINGS).map(str::to_owned).collect()
    }

    /// Waits until all charges are settled, and compares what everybody knows of them.
    pub(crate) async fn compare(
        &self,
        front: &NodeAddresses,
        charges: Vec<ChargeRecords>,
        kills: usize,
    ) -> Result<TrialReport, TrialError> {
        let mut charges = settle(front, &self.merchant, charges).await;
        receive(&self.receiver, &mut charges).await;
        let ledger = self.merchant.ledger(&self.simulator.url).await?;
        let found = contradictions(&charges, &ledger, &self.merchant.signer()?);
        if !found.is_empty() {
            return Err(TrialError::Books(found));
        }
        let paid = charges
            .iter()
            .filter(|charge| charge.status() == "succeeded")
            .count();
        Ok(TrialReport {
            paid,
            unpaid: charges.len() - paid,
            kills,
            lost_answers: front.lost_answers(),
            events: self.receiver.arrived().len(),
        })
    }
}

/// Waits until the merchant's server has the last event of every charge, and gives each charge its events.
async fn receive(receiver: &WebhookReceiver, charges: &mut [ChargeRecords]) {
    let mut count = receiver.count();
    let told_all = async {
        loop {
            // Marked as seen first, so that events that arrive during the check start another check.
            count.borrow_and_update();
            let mut events = merchant_events::by_charge(receiver.arrived());
            for charge in charges.iter_mut() {
                charge.events = events.remove(&charge.charge_id).unwrap_or_default();
            }
            let is_told = |charge: &ChargeRecords| {
                merchant_events::shows_current_status(&charge.events, &charge.merchant)
            };
            if charges.iter().all(is_told) || count.changed().await.is_err() {
                return;
            }
        }
    };
    // Events that are still missing are reported as errors.
    let _ = timeout(SETTLED_WITHIN, told_all).await;
}
