//! The change to another version, node after node, behind HAProxy and under load: no request may be lost.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::consistency::ChargeRecords;
use crate::killed_nodes::{Surroundings, TrialReport};
use crate::shopper::{NodeAddresses, Purchases};
use harness::TrialError;
use harness::haproxy::HaProxy;
use harness::process::{CardformProcess, Program};
use harness::shop::TrialMerchant;
use harness::test_cards::GOOD_CARD;

/// Nodes behind the load balancer.
const NODES: usize = 2;
/// How long a node serves on after SIGTERM: several times what the load balancer needs to notice.
const DRAIN_MS: &str = "1000";
/// Purchases between two changes, so that each happens under load.
const PURCHASES_BETWEEN: usize = 20;
const SHOPPERS: usize = 4;

/// A change from version to version.
#[derive(Debug, Clone)]
pub struct Rolling {
    /// `postgres://…`, empty.
    pub database: String,
    /// The programs of the versions, in the order in which they replace each other.
    pub versions: Vec<PathBuf>,
}

/// What shoppers do until they are told to stop.
struct LoadDuringChange {
    url: String,
    merchant: TrialMerchant,
    bought: watch::Sender<usize>,
    next: AtomicUsize,
}

impl Rolling {
    /// Runs the trial in `dir`. When the first node has been changed, `midway` is run.
    pub async fn run(
        &self,
        dir: &Path,
        midway: impl AsyncFnOnce() -> Result<(), TrialError>,
    ) -> Result<TrialReport, TrialError> {
        let [first, later @ ..] = &self.versions[..] else {
            return Err(TrialError::Answer("no version".to_owned()));
        };
        let around = Surroundings::start(&Program::new(first, dir), &self.database).await?;
        let proxy = HaProxy::start(dir, NODES)?;
        let mut nodes = Vec::new();
        for number in 0..NODES {
            let node = self.node(first, dir, &around).await?;
            proxy.point(number, &node.url).await?;
            nodes.push(node);
        }
        let shopping = Arc::new(LoadDuringChange {
            url: proxy.url.clone(),
            merchant: around.merchant.clone(),
            bought: watch::Sender::new(0),
            next: AtomicUsize::new(0),
        });
        let (stop, stopped) = watch::channel(false);
        let mut shoppers = JoinSet::new();
        for _ in 0..SHOPPERS {
            shoppers.spawn(Arc::clone(&shopping).shop(stopped.clone()));
        }

        let mut midway = Some(midway);
        let mut changes = 0;
        for version in later {
            for number in 0..NODES {
                shopping.wait_for(PURCHASES_BETWEEN).await;
                nodes.remove(0).end().await?;
                let node = self.node(version, dir, &around).await?;
                proxy.point(number, &node.url).await?;
                nodes.push(node);
                changes += 1;
                if let Some(midway) = midway.take() {
                    midway().await?;
                }
            }
        }
        shopping.wait_for(PURCHASES_BETWEEN).await;
        stop.send_replace(true);
        let mut purchases = Vec::new();
        let mut lost = Vec::new();
        while let Some(ended) = shoppers.join_next().await {
            let (bought, problems) = ended.map_err(|_| TrialError::Answer("a panic".to_owned()))?;
            purchases.extend(bought);
            lost.extend(problems);
        }
        if !lost.is_empty() {
            return Err(TrialError::Books(lost));
        }
        let (address, known) = watch::channel(proxy.url.clone());
        let front = NodeAddresses::new(vec![known], watch::Sender::new(0));
        let bought = Purchases {
            charges: purchases,
            ..Purchases::default()
        };
        let report = around.compare(&front, bought, changes).await;
        drop(address);
        report
    }

    async fn node(
        &self,
        binary: &Path,
        dir: &Path,
        around: &Surroundings,
    ) -> Result<CardformProcess, TrialError> {
        let mut arguments = around.arguments(&self.database);
        arguments.extend(["--drain-ms".to_owned(), DRAIN_MS.to_owned()]);
        Program::new(binary, dir).serve_aside(arguments).await
    }
}

impl LoadDuringChange {
    /// Buys until it is stopped: what was bought, and which answers were lost.
    async fn shop(self: Arc<Self>, stopped: watch::Receiver<bool>) -> (Vec<ChargeRecords>, Vec<String>) {
        let mut bought = Vec::new();
        let mut lost = Vec::new();
        while !*stopped.borrow() {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            match self.buy(number).await {
                Ok(charge) => bought.push(charge),
                Err(problem) => lost.push(problem),
            }
            self.bought.send_modify(|count| *count += 1);
        }
        (bought, lost)
    }

    /// Creates a charge and pays it, each with one call that nobody repeats.
    async fn buy(&self, number: usize) -> Result<ChargeRecords, String> {
        let created = self.merchant.create(&self.url, &format!("order-{number}")).await;
        let charge = created.ok_or_else(|| format!("the charge of order {number} was not created"))?;
        let answer = self.merchant.press(&self.url, &charge, "press", GOOD_CARD).await;
        let answer = answer.ok_or_else(|| format!("{} got no answer", charge.id))?;
        if answer.status != 201 {
            return Err(format!("{} was answered {}", charge.id, answer.status));
        }
        let told = answer.body["status_code"].as_str().unwrap_or_default();
        Ok(ChargeRecords {
            told: vec![told.to_owned()],
            could_pay: true,
            ..ChargeRecords::of(&charge)
        })
    }

    /// Waits until so many purchases more have ended.
    async fn wait_for(&self, more: usize) {
        let mut bought = self.bought.subscribe();
        let until = *bought.borrow() + more;
        // The sender exists until the end.
        let _ = bought.wait_for(|count| *count >= until).await;
    }
}
