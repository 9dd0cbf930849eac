//! Nodes are killed at random moments while shoppers pay, with 3-D Secure and saved cards, too. In the end every charge is
//! paid once or not at all, and all records agree about it.

use std::collections::HashSet;
use std::fmt;
use std::path::Path;

use anyhow::Result;
use harness::process::{Program, service};
use harness::random::Random;
use harness::receiver::{ReceiverBehavior, WebhookReceiver};
use harness::shop::TrialMerchant;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::books::{ChargeRecords, Contradictions, contradictions};
use crate::load::{Load, Shopping};
use crate::node::{Kills, Node};
use crate::provider::{ChosenProvider, RunningProvider};
use crate::shopper::accounts::{AccountRecords, settle_accounts};
use crate::shopper::challenge::CHALLENGE_TIMEOUT_MS;
use crate::shopper::{NodeAddresses, Purchases, SETTLED_WITHIN, settle};
use crate::webhook_events;

/// Short times, so that a drill is short: the provider's timeouts, and how often lost outcomes and due events are looked
/// for. The last setting allows the merchant's server on this machine.
const SETTINGS: &str = "--provider-timeout-ms 2000 --provider-grace-ms 1000 --reconcile-interval-ms 200 \
    --vault-key-file vault-keys --webhook-interval-ms 200 --webhook-private-networks true";
/// The file with the key of saved cards, in the drill's folder.
const VAULT_KEYS: &str = "vault-keys";
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
    /// How many nodes share it.
    pub nodes: usize,
    /// How many purchases are begun; a shopper who comes back makes one more charge.
    pub charges: usize,
    /// How many shoppers pay at once.
    pub shoppers: usize,
    /// The seed of the random choices.
    pub seed: u64,
    /// Whether nodes sometimes stand still for longer than an attempt's lease, instead of being killed.
    pub stands_still: bool,
}

/// The result of a drill whose books agree.
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

impl TrialReport {
    /// Adds the figures of another drill.
    pub fn add(&mut self, other: &Self) {
        self.paid += other.paid;
        self.unpaid += other.unpaid;
        self.kills += other.kills;
        self.lost_answers += other.lost_answers;
        self.events += other.events;
        self.challenges += other.challenges;
        self.saved_cards += other.saved_cards;
        self.paid_with_saved += other.paid_with_saved;
    }
}

impl fmt::Display for TrialReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} charges: {} paid once, {} not at all; {} challenges, {} paid with saved cards; {} faults, {} lost answers, \
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

impl Chaos {
    /// Runs the drill with this `cardform` program in `dir`.
    pub async fn run(&self, binary: &Path, dir: &Path) -> Result<TrialReport> {
        let program = Program::new(binary, dir);
        let provider = RunningProvider::start(&program, &self.provider, self.seed).await?;
        let around = Surroundings::with_provider(&program, &self.database, provider).await?;
        let mut nodes = Vec::new();
        for _ in 0..self.nodes {
            nodes.push(Node::start(&program, around.node(&self.database)).await?);
        }
        let load = Load::new(
            nodes.iter().map(Node::address).collect(),
            &around.merchant,
            Shopping::Purchases(self.charges),
            self.seed,
        );
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
            killers.spawn(node.kill_again_and_again(kills, load.front.calls(), stop.subscribe()));
        }
        let bought = load.start(self.shoppers).finish().await;
        stop.send_replace(true);
        let mut kills = 0;
        let mut living = Vec::new();
        while let Some(ended) = killers.join_next().await {
            let (count, node) = ended??;
            kills += count;
            living.push(node);
        }
        around.compare(&load.front, bought?, kills).await
    }
}

/// A provider and a merchant's server around the nodes of a drill.
pub(crate) struct Surroundings {
    provider: RunningProvider,
    receiver: WebhookReceiver,
    pub(crate) merchant: TrialMerchant,
    /// While a database fails, a card that was to be saved may be lost, but never a charge.
    pub(crate) may_lose_cards: bool,
    /// While clocks jump over a lease, two nodes may send the same event, one of them after a later event.
    pub(crate) may_repeat_events: bool,
}

impl Surroundings {
    /// Starts the simulator, migrates the database, and adds a merchant to it.
    pub(crate) async fn start(program: &Program, database: &str) -> Result<Self> {
        let provider = RunningProvider::start(program, &ChosenProvider::Simulator, 0).await?;
        Self::with_provider(program, database, provider).await
    }

    /// The same with this provider.
    async fn with_provider(program: &Program, database: &str, provider: RunningProvider) -> Result<Self> {
        let receiver = WebhookReceiver::start().await?;
        receiver.set(ReceiverBehavior::RefusesSome);
        let key = program.run("key generate")?;
        std::fs::write(
            program.dir.join(VAULT_KEYS),
            key["key"].as_str().unwrap_or_default(),
        )?;
        let more = format!("--webhook-url {} --webhook-private-networks true", receiver.url);
        let merchant = TrialMerchant::add(program, database, &more)?;
        Ok(Self {
            merchant: merchant.with_declined_card(provider.declined_card()),
            provider,
            receiver,
            may_lose_cards: false,
            may_repeat_events: false,
        })
    }

    /// The command line of a node.
    pub(crate) fn node(&self, database: &str) -> String {
        let (own, provider) = (service(database, self.provider.url()), self.provider.arguments());
        format!("{own} {provider} {SETTINGS} --challenge-timeout-ms {CHALLENGE_TIMEOUT_MS}")
    }

    /// Waits until all charges are settled, and compares all records of them.
    pub(crate) async fn compare(
        &self,
        front: &NodeAddresses,
        bought: Purchases,
        kills: usize,
    ) -> Result<TrialReport> {
        let mut accounts = bought.accounts;
        let mut charges = settle(front, &self.merchant, bought.charges).await;
        settle_accounts(front, &self.merchant, &charges, &mut accounts).await;
        self.receive(&mut charges).await;
        let (ledger, at_provider) = self.provider.books(&self.merchant, &accounts).await?;
        let mut found = contradictions(&charges, &ledger, &self.merchant.signer()?);
        found.extend(at_provider);
        let cards = accounts.iter();
        found.extend(cards.flat_map(|account| account.contradictions(&charges, self.may_lose_cards)));
        Contradictions::none(found)?;
        let count =
            |counts: &dyn Fn(&ChargeRecords) -> bool| charges.iter().filter(|charge| counts(charge)).count();
        let is_paid = |charge: &ChargeRecords| charge.status() == "succeeded";
        let paid = count(&is_paid);
        Ok(TrialReport {
            paid,
            unpaid: charges.len() - paid,
            kills,
            lost_answers: front.lost_answers(),
            events: self.receiver.all().len(),
            challenges: count(&|charge| {
                let mut told = charge.told.iter();
                told.any(|told| told == "waiting_for_shopper_action")
            }),
            saved_cards: accounts.iter().map(AccountRecords::saved).sum(),
            paid_with_saved: count(&|charge| charge.has_saved_card && is_paid(charge)),
        })
    }

    /// Waits until the merchant's server has the last event of every charge, and gives each charge its events.
    async fn receive(&self, charges: &mut [ChargeRecords]) {
        let mut count = self.receiver.count();
        let told_all = async {
            loop {
                // Marked as seen first, so that events that arrive during the check start another check.
                count.borrow_and_update();
                let mut arrived = self.receiver.all();
                if self.may_repeat_events {
                    let mut seen = HashSet::new();
                    arrived.retain(|event| seen.insert(event.id().to_owned()));
                }
                let mut events = webhook_events::by_charge(arrived);
                for charge in charges.iter_mut() {
                    charge.events = events.remove(&charge.charge_id).unwrap_or_default();
                }
                let is_told = |charge: &ChargeRecords| {
                    webhook_events::shows_current_status(&charge.events, &charge.merchant)
                };
                if charges.iter().all(is_told) || count.changed().await.is_err() {
                    return;
                }
            }
        };
        // Events that are still missing are found by the comparison.
        let _ = timeout(SETTLED_WITHIN, told_all).await;
    }
}
