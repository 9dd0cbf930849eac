//! Chaos: nodes are killed at random moments while shoppers pay; in the end every charge is paid once or not at all,
//! and everybody says the same of it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::TrialError;
use crate::chance::Chance;
use crate::process::{Process, Program};
use crate::shop::{Answer, Created, Merchant};
use crate::test_cards::{BAD_CARD, GOOD_CARD};
use crate::verdict::{Witnesses, complaints};

/// The provider's latency: long enough for many a kill to fall between question and answer.
const LATENCY_MS: &str = "40";
/// Short, so that a trial is: how long the provider may take, how long it may be late, and how often lost outcomes are
/// asked for.
const SETTINGS: [&str; 6] = [
    "--provider-timeout-ms",
    "2000",
    "--provider-grace-ms",
    "1000",
    "--reconcile-interval-ms",
    "200",
];
/// How many calls go by before a node is killed, and then how many milliseconds: less or more than one payment takes.
const CALLS_BEFORE_KILL: (u64, u64) = (3, 40);
const LAST_MS: (u64, u64) = (0, 100);
/// The page's own pauses before it sends the same press again (form/src/payments/charges.ts).
const RETRY_PAUSES_MS: [u64; 4] = [0, 500, 1_500, 4_000];
/// Answers at which the page sends again.
const RETRIED_STATUSES: [u16; 3] = [502, 503, 504];
/// How often somebody who waits for a charge looks.
const LOOK_AGAIN: Duration = Duration::from_millis(250);
/// A charge that nobody can settle in this time is a complaint.
const SETTLED_WITHIN: Duration = Duration::from_secs(60);

/// A trial.
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
    /// Where chance begins.
    pub seed: u64,
}

/// How a trial went that found nothing to complain about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Charges in the end, by status.
    pub paid: usize,
    /// Charges that are not paid, and that the provider did not take.
    pub unpaid: usize,
    /// How often a node was killed.
    pub kills: usize,
    /// How often an answer was lost, to merchants and shoppers together.
    pub lost_answers: usize,
}

/// The nodes' addresses now; a load balancer would know them.
struct Front {
    nodes: Vec<watch::Receiver<String>>,
    calls: watch::Sender<usize>,
    lost_answers: AtomicUsize,
}

impl Front {
    /// The next node's address, alive or not, for one call.
    fn node(&self) -> String {
        let mut call = 0;
        self.calls.send_modify(|calls| {
            call = *calls;
            *calls += 1;
        });
        self.nodes[call % self.nodes.len()].borrow().clone()
    }

    fn lost(&self) {
        self.lost_answers.fetch_add(1, Ordering::Relaxed);
    }
}

impl Chaos {
    /// Holds the trial with this `cardform`, in `dir`.
    pub async fn run(&self, binary: &Path, dir: &Path) -> Result<Report, TrialError> {
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
        let added = program.run(&["merchant", "add", "--name", "Shop", "--database", &self.database])?;
        let merchant = Merchant::new(&added)?;

        let (stop, stopped) = watch::channel(false);
        let (calls, counted) = watch::channel(0);
        let mut killers = JoinSet::new();
        let mut nodes = Vec::new();
        for number in 0..self.nodes {
            let life = Life {
                program: program.clone(),
                arguments: self.arguments(&simulator.url),
                chance: Chance::new(self.seed ^ (number as u64 + 1)),
            };
            let first = life.start().await?;
            let (address, known) = watch::channel(first.url.clone());
            nodes.push(known);
            killers.spawn(life.kill_again_and_again(first, address, counted.clone(), stopped.clone()));
        }
        let front = Arc::new(Front {
            nodes,
            calls,
            lost_answers: AtomicUsize::new(0),
        });

        let shopping = self.shop(&front, &merchant).await;
        stop.send_replace(true);
        let mut kills = 0;
        let mut living = Vec::new();
        while let Some(ended) = killers.join_next().await {
            let (count, node) = ended.map_err(|_| TrialError::Answer("a panic".to_owned()))??;
            kills += count;
            living.push(node);
        }
        let charges = settle(&front, &merchant, shopping?).await;
        let found = complaints(&charges, &merchant.ledger(&simulator.url).await?);
        if !found.is_empty() {
            return Err(TrialError::Books(found));
        }
        let paid = charges
            .iter()
            .filter(|charge| charge.merchant == "succeeded")
            .count();
        Ok(Report {
            paid,
            unpaid: charges.len() - paid,
            kills,
            lost_answers: front.lost_answers.load(Ordering::Relaxed),
        })
    }

    fn arguments(&self, provider: &str) -> Vec<String> {
        let own = [
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--render-time-ms",
            "0",
            "--database",
            &self.database,
            "--provider-url",
            provider,
        ];
        own.into_iter().chain(SETTINGS).map(str::to_owned).collect()
    }

    /// All charges are made and pressed, by so many shoppers at once.
    async fn shop(&self, front: &Arc<Front>, merchant: &Merchant) -> Result<Vec<Witnesses>, TrialError> {
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
                    let chance = Chance::new(seed.wrapping_mul(31).wrapping_add(number as u64));
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

/// A node's lives.
struct Life {
    program: Program,
    arguments: Vec<String>,
    chance: Chance,
}

impl Life {
    async fn start(&self) -> Result<Process, TrialError> {
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
    async fn kill_again_and_again(
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

/// A shopper buys once: the merchant makes a charge, the shopper presses, perhaps in two tabs at once, perhaps with a
/// card that is declined first; now and then the merchant cancels meanwhile.
async fn buy(front: &Front, merchant: &Merchant, number: usize, mut chance: Chance) -> Witnesses {
    let charge = loop {
        if let Some(created) = merchant.create(&front.node(), &format!("order-{number}")).await {
            break created;
        }
        front.lost();
        sleep(LOOK_AGAIN).await;
    };
    let first_card = *chance.one_of(&[GOOD_CARD, GOOD_CARD, BAD_CARD]);
    let mut told = match chance.between(0, 10) {
        0..=1 => {
            let (here, there) = tokio::join!(
                press(front, merchant, &charge, "tab-1", first_card),
                press(front, merchant, &charge, "tab-2", GOOD_CARD),
            );
            [here, there].concat()
        }
        2 => {
            let node = front.node();
            let (mut told, answer) = tokio::join!(
                press(front, merchant, &charge, "press-1", first_card),
                merchant.cancel(&node, &charge.id),
            );
            told.extend(
                answer
                    .filter(|answer| answer.status == 200)
                    .and_then(|answer| status_of(&answer)),
            );
            told
        }
        _ => press(front, merchant, &charge, "press-1", first_card).await,
    };
    if told.last().is_some_and(|told| told == "failed") {
        told.extend(press(front, merchant, &charge, "press-2", GOOD_CARD).await);
    }
    Witnesses {
        charge_id: charge.id,
        told,
        merchant: String::new(),
    }
}

/// A press as the page makes it: sent again with the same key while no answer comes. Returns what the page was told.
async fn press(front: &Front, merchant: &Merchant, charge: &Created, key: &str, card: &str) -> Vec<String> {
    for pause in RETRY_PAUSES_MS {
        sleep(Duration::from_millis(pause)).await;
        match merchant.press(&front.node(), charge, key, card).await {
            Some(answer) if !RETRIED_STATUSES.contains(&answer.status) => {
                return answer.body["status_code"]
                    .as_str()
                    .map(str::to_owned)
                    .into_iter()
                    .collect();
            }
            _ => front.lost(),
        }
    }
    Vec::new()
}

fn status_of(answer: &Answer) -> Option<String> {
    answer.body["status"].as_str().map(str::to_owned)
}

/// Waits until every charge stands where it will stay, and asks the merchant's API for it.
async fn settle(front: &Front, merchant: &Merchant, mut charges: Vec<Witnesses>) -> Vec<Witnesses> {
    let give_up = Instant::now() + SETTLED_WITHIN;
    for charge in &mut charges {
        loop {
            let view = merchant.view(&front.node(), &charge.charge_id).await;
            charge.merchant = view.as_ref().and_then(status_of).unwrap_or_default();
            let is_open = matches!(charge.merchant.as_str(), "" | "processing" | "outcome_unknown");
            if !is_open || Instant::now() > give_up {
                break;
            }
            sleep(LOOK_AGAIN).await;
        }
    }
    charges
}
