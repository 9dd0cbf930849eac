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
use crate::process::{Program, service_arguments};
use crate::random::Random;
use crate::receiver::WebhookReceiver;
use crate::shop::TrialMerchant;
use crate::shopper::{NodeAddresses, SETTLED_WITHIN, buy, settle};

/// The provider's latency: long enough that nodes are often killed between request and answer.
const LATENCY_MS: &str = "40";
/// Short times, so that a trial is short: the provider's timeouts, and how often lost outcomes and due events are
/// looked for. The last setting allows the merchant's server on this machine.
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
}

/// The result of a trial without errors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrialReport {
    /// Charges in the end, by status.
    pub paid: usize,
    /// Charges that were not paid, also in the provider's ledger.
    pub unpaid: usize,
    /// How often a node was killed.
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
        let merchant = self.merchant(&program, &receiver)?;

        let (stop, stopped) = watch::channel(false);
        let (calls, counted) = watch::channel(0);
        let mut killers = JoinSet::new();
        let mut nodes = Vec::new();
        for number in 0..self.nodes {
            let life = KilledNode {
                program: program.clone(),
                arguments: self.arguments(&simulator.url),
                chance: Random::new(self.seed ^ (number as u64 + 1)),
            };
            let first = life.start().await?;
            let (address, known) = watch::channel(first.url.clone());
            nodes.push(known);
            killers.spawn(life.kill_again_and_again(first, address, counted.clone(), stopped.clone()));
        }
        let front = Arc::new(NodeAddresses::new(nodes, calls));

        let shopping = self.shop(&front, &merchant).await;
        stop.send_replace(true);
        let mut kills = 0;
        let mut living = Vec::new();
        while let Some(ended) = killers.join_next().await {
            let (count, node) = ended.map_err(|_| TrialError::Answer("a panic".to_owned()))??;
            kills += count;
            living.push(node);
        }
        let mut charges = settle(&front, &merchant, shopping?).await;
        receive(&receiver, &mut charges).await;
        let ledger = merchant.ledger(&simulator.url).await?;
        let found = contradictions(&charges, &ledger, &merchant.signer()?);
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
            events: receiver.arrived().len(),
        })
    }

    fn merchant(&self, program: &Program, receiver: &WebhookReceiver) -> Result<TrialMerchant, TrialError> {
        program.run(&["migrate", "--database", &self.database])?;
        let add = [
            "merchant",
            "add",
            "--name",
            "Shop",
            "--database",
            &self.database,
            "--webhook-url",
            &receiver.url,
        ];
        TrialMerchant::new(&program.run(&[&add[..], &PRIVATE_NETWORKS].concat())?)
    }

    fn arguments(&self, provider: &str) -> Vec<String> {
        let own = service_arguments(&self.database, provider);
        own.into_iter().chain(SETTINGS).map(str::to_owned).collect()
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
