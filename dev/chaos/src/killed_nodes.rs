//! The chaos test: nodes are killed at random moments while shoppers pay, with 3-D Secure and saved cards, too. In the
//! end every charge is paid once or not at all, and all records agree about it.

use std::collections::HashSet;
use std::fmt;
use std::iter::Sum;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::consistency::{ChargeRecords, contradictions};
use crate::merchant_events;
use crate::node::{CALLS_BEFORE_KILL, CALLS_BEFORE_KILL_WITH_STRIPE, KilledNode};
use crate::provider::{ChosenProvider, RunningProvider};
use crate::shopper::accounts::{AccountRecords, settle_accounts};
use crate::shopper::challenge::CHALLENGE_TIMEOUT_MS;
use crate::shopper::{NodeAddresses, Purchases, SETTLED_WITHIN, buy, settle};
use harness::TrialError;
use harness::process::{Program, service_arguments};
use harness::random::Random;
use harness::receiver::WebhookReceiver;
use harness::shop::TrialMerchant;

/// Short times, so that a trial is short: the provider's timeouts, and how often lost outcomes and due events are
/// looked for. The last around allows the merchant's server on this machine.
const SETTINGS: [&str; 14] = [
    "--provider-timeout-ms",
    "2000",
    "--provider-grace-ms",
    "1000",
    "--reconcile-interval-ms",
    "200",
    "--challenge-timeout-ms",
    CHALLENGE_TIMEOUT_MS,
    "--vault-key-file",
    VAULT_KEYS,
    "--webhook-interval-ms",
    "200",
    PRIVATE_NETWORKS[0],
    PRIVATE_NETWORKS[1],
];
/// The file with the key of saved cards, in the trial's folder.
const VAULT_KEYS: &str = "vault-keys";
const PRIVATE_NETWORKS: [&str; 2] = ["--webhook-private-networks", "true"];

/// A chaos test.
#[derive(Debug, Clone)]
pub struct Chaos {
    /// `sqlite:…` or `postgres://…`, empty.
    pub database: String,
    /// Who takes the cards.
    pub provider: ChosenProvider,
    /// How many nodes share it.
    pub nodes: usize,
    /// How many purchases are begun; a shopper who comes back makes one more charge.
    pub charges: usize,
    /// How many shoppers pay at once.
    pub shoppers: usize,
    /// The seed of the random choices.
    pub seed: u64,
    /// Whether nodes sometimes stand still for longer than they may look after an attempt, instead of being killed.
    pub stands_still: bool,
}

/// The result of a trial without errors.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
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
    /// Charges that waited for a 3-D Secure challenge.
    pub challenges: usize,
    /// Cards that are saved in the end.
    pub saved_cards: usize,
    /// Charges that were paid with a saved card.
    pub paid_with_saved: usize,
}

impl fmt::Display for TrialReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} charges: {} paid once, {} not at all; {} challenges, {} paid with saved cards; {} kills, {} lost answers, \
             {} events. The books agree.",
            self.paid + self.unpaid,
            self.paid,
            self.unpaid,
            self.challenges,
            self.paid_with_saved,
            self.kills,
            self.lost_answers,
            self.events
        )
    }
}

impl<'a> Sum<&'a TrialReport> for TrialReport {
    fn sum<I: Iterator<Item = &'a Self>>(reports: I) -> Self {
        reports.fold(Self::default(), |sum, report| Self {
            paid: sum.paid + report.paid,
            unpaid: sum.unpaid + report.unpaid,
            kills: sum.kills + report.kills,
            lost_answers: sum.lost_answers + report.lost_answers,
            events: sum.events + report.events,
            challenges: sum.challenges + report.challenges,
            saved_cards: sum.saved_cards + report.saved_cards,
            paid_with_saved: sum.paid_with_saved + report.paid_with_saved,
        })
    }
}

impl Chaos {
    /// Runs the trial with this `cardform` program in `dir`.
    pub async fn run(&self, binary: &Path, dir: &Path) -> Result<TrialReport, TrialError> {
        let program = Program::new(binary, dir);
        let provider = RunningProvider::start(&program, &self.provider, self.seed).await?;
        let around = Surroundings::with_provider(&program, &self.database, provider).await?;

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
                calls_before_kill: match self.provider {
                    ChosenProvider::Simulator => CALLS_BEFORE_KILL,
                    ChosenProvider::Localstripe(_) => CALLS_BEFORE_KILL_WITH_STRIPE,
                },
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
    ) -> Result<Purchases, TrialError> {
        let mut shoppers = JoinSet::new();
        let next = Arc::new(AtomicUsize::new(0));
        for _ in 0..self.shoppers {
            let (front, merchant, next) = (Arc::clone(front), merchant.clone(), Arc::clone(&next));
            let (charges, seed) = (self.charges, self.seed);
            shoppers.spawn(async move {
                let mut known = Purchases::default();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= charges {
                        return known;
                    }
                    let chance = Random::new(seed.wrapping_mul(31).wrapping_add(number as u64));
                    known.add(buy(&front, &merchant, number, chance).await);
                }
            });
        }
        let mut all = Purchases::default();
        while let Some(known) = shoppers.join_next().await {
            all.add(known.map_err(|_| TrialError::Answer("a panic".to_owned()))?);
        }
        Ok(all)
    }
}

/// What a trial has around the nodes: a provider, and a merchant's server.
pub(crate) struct Surroundings {
    provider: RunningProvider,
    receiver: WebhookReceiver,
    pub(crate) merchant: TrialMerchant,
    may_lose_cards: bool,
    may_repeat_events: bool,
}

impl Surroundings {
    /// Starts the simulator, migrates the database, and adds a merchant to it.
    pub(crate) async fn start(program: &Program, database: &str) -> Result<Self, TrialError> {
        let provider = RunningProvider::start(program, &ChosenProvider::Simulator, 0).await?;
        Self::with_provider(program, database, provider).await
    }

    /// The same with this provider.
    async fn with_provider(
        program: &Program,
        database: &str,
        provider: RunningProvider,
    ) -> Result<Self, TrialError> {
        let receiver = WebhookReceiver::start().await?;
        let key = program.run(&["key", "generate"])?;
        let key_file = program.dir.join(VAULT_KEYS);
        std::fs::write(&key_file, key["key"].as_str().unwrap_or_default())
            .map_err(|cause| TrialError::Start(key_file.display().to_string(), cause))?;
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
        let merchant = merchant.with_declined_card(provider.declined_card());
        Ok(Self {
            provider,
            receiver,
            merchant,
            may_lose_cards: false,
            may_repeat_events: false,
        })
    }

    /// The same for a database that fails: then a card that was to be saved may be lost, never a charge.
    #[must_use]
    pub(crate) fn may_lose_cards(self) -> Self {
        Self {
            may_lose_cards: true,
            ..self
        }
    }

    /// The same for clocks that jump over a lease: two nodes may then send the same event, one of them after a later event.
    #[must_use]
    pub(crate) fn may_repeat_events(self) -> Self {
        Self {
            may_repeat_events: true,
            ..self
        }
    }

    /// The arguments of a node.
    pub(crate) fn arguments(&self, database: &str) -> Vec<String> {
        let own = service_arguments(database, self.provider.url());
        let provider = self.provider.arguments().iter().copied();
        let all = own.into_iter().chain(provider).chain(SETTINGS);
        all.map(str::to_owned).collect()
    }

    /// Waits until all charges are settled, and compares what everybody knows of them.
    pub(crate) async fn compare(
        &self,
        front: &NodeAddresses,
        bought: Purchases,
        kills: usize,
    ) -> Result<TrialReport, TrialError> {
        let mut accounts = bought.accounts;
        let mut charges = settle(front, &self.merchant, bought.charges).await;
        settle_accounts(front, &self.merchant, &charges, &mut accounts).await;
        receive(&self.receiver, &mut charges, self.may_repeat_events).await;
        let (ledger, at_provider) = self.provider.books(&self.merchant, &accounts).await?;
        let mut found = contradictions(&charges, &ledger, &self.merchant.signer()?);
        found.extend(at_provider);
        let cards = accounts.iter();
        found.extend(cards.flat_map(|account| account.contradictions(&charges, self.may_lose_cards)));
        if !found.is_empty() {
            return Err(TrialError::Books(found));
        }
        let count =
            |counts: &dyn Fn(&ChargeRecords) -> bool| charges.iter().filter(|charge| counts(charge)).count();
        let is_paid = |charge: &ChargeRecords| charge.status() == "succeeded";
        let paid = count(&is_paid);
        Ok(TrialReport {
            paid,
            unpaid: charges.len() - paid,
            kills,
            lost_answers: front.lost_answers(),
            events: self.receiver.arrived().len(),
            challenges: count(&|charge| {
                charge
                    .told
                    .iter()
                    .any(|told| told == "waiting_for_shopper_action")
            }),
            saved_cards: accounts.iter().map(AccountRecords::saved).sum(),
            paid_with_saved: count(&|charge| charge.has_saved_card && is_paid(charge)),
        })
    }
}

/// Waits until the merchant's server has the last event of every charge, and gives each charge its events.
async fn receive(receiver: &WebhookReceiver, charges: &mut [ChargeRecords], may_repeat_events: bool) {
    let mut count = receiver.count();
    let told_all = async {
        loop {
            // Marked as seen first, so that events that arrive during the check start another check.
            count.borrow_and_update();
            let mut arrived = receiver.arrived();
            if may_repeat_events {
                let mut seen = HashSet::new();
                arrived.retain(|event| seen.insert(event.id.clone()));
            }
            let mut events = merchant_events::by_charge(arrived);
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
