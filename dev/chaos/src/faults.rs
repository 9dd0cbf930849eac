//! A database that is restarted, cut off, silent, read-only, locked or full, and nodes whose log nobody reads, whose
//! descriptors are used up and whose clocks jump, while shoppers pay. Nodes are also killed while a database fails. Each
//! fault must be seen to happen; in the end all books agree.

mod killed_node;
mod node;
mod postgres;
mod sqlite;

pub use killed_node::on_killed_nodes;
pub use node::on_nodes;
pub use postgres::on_postgres;
pub use sqlite::on_sqlite;

use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::{Duration, sleep};

use crate::killed_nodes::{Surroundings, TrialReport};
use crate::load_during_faults::{LoadDuringFaults, RunningShoppers};
use harness::TrialError;
use harness::process::CardformProcess;

const SHOPPERS: usize = 8;
/// Charges that are paid before the next fault.
const CHARGES_BETWEEN: usize = 15;
/// How long a fault lasts that does not end by itself: longer than the service waits for a locked row or file.
const LASTS: Duration = Duration::from_secs(12);
/// The pause between two looks at a fault.
const PAUSE: Duration = Duration::from_millis(250);
/// The nodes' count of errors of the database; a conflict of two transactions is none.
const ERRORS: &str = "cardform_database_errors_total{kind=";
const CONFLICTS: &str = "cardform_database_errors_total{kind=\"conflict\"}";

/// A fault that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SufferedFault {
    /// What happened.
    pub what: &'static str,
    /// By what it was seen.
    pub seen: String,
    /// The longest time without a paid charge.
    pub lasted: Duration,
    /// Charges that were paid meanwhile.
    pub paid: usize,
}

/// A trial without errors.
#[derive(Debug)]
pub struct SufferedFaults {
    /// In order.
    pub faults: Vec<SufferedFault>,
    /// The faults that cannot be had on this machine, and why.
    pub left_out: Vec<String>,
    /// The books.
    pub books: TrialReport,
}

/// The service that suffers.
struct SufferingService {
    around: Surroundings,
    load: Arc<LoadDuringFaults>,
    shoppers: RunningShoppers,
    nodes: Vec<CardformProcess>,
    faults: Vec<SufferedFault>,
    left_out: Vec<String>,
}

impl SufferingService {
    /// Lets shoppers pay at these nodes.
    async fn start(around: Surroundings, nodes: Vec<CardformProcess>, seed: u64) -> Result<Self, TrialError> {
        let known = nodes
            .iter()
            .map(|node| watch::channel(node.url.clone()).1)
            .collect();
        Self::start_at(known, around, nodes, seed).await
    }

    /// The same with nodes whose addresses change. Of `nodes` the metrics are read.
    async fn start_at(
        known: Vec<watch::Receiver<String>>,
        around: Surroundings,
        nodes: Vec<CardformProcess>,
        seed: u64,
    ) -> Result<Self, TrialError> {
        let load = LoadDuringFaults::new(known, around.merchant.clone(), seed);
        let shoppers = load.start(SHOPPERS);
        load.wait_for(CHARGES_BETWEEN, "the beginning").await?;
        Ok(Self {
            around,
            load,
            shoppers,
            nodes,
            faults: Vec::new(),
            left_out: Vec::new(),
        })
    }

    /// Lets a fault of the database happen, which returns by what it was seen, and ends it. The nodes must have noticed.
    async fn suffer_database(
        &mut self,
        what: &'static str,
        happens: impl AsyncFnOnce() -> Result<String, TrialError>,
    ) -> Result<(), TrialError> {
        let before = self.database_errors().await?;
        self.suffer(what, happens).await?;
        let errors = self.database_errors().await? - before;
        if errors == 0 {
            return Err(not_seen(what, "no node had an error of the database"));
        }
        if let Some(fault) = self.faults.last_mut() {
            fault.seen = format!("{}; {errors} errors of the database at the nodes", fault.seen);
        }
        Ok(())
    }

    /// Lets a fault happen, which returns by what it was seen, and ends it. Then shoppers must be able to pay again.
    async fn suffer(
        &mut self,
        what: &'static str,
        happens: impl AsyncFnOnce() -> Result<String, TrialError>,
    ) -> Result<(), TrialError> {
        eprintln!("{what}");
        let since = self.load.now();
        let seen = happens().await?;
        self.load.wait_for(CHARGES_BETWEEN, what).await?;
        let (lasted, paid) = self.load.longest_pause(since);
        self.faults.push(SufferedFault {
            what,
            seen,
            lasted,
            paid,
        });
        Ok(())
    }

    /// The sum of a metric's values at all nodes: of its lines that begin like this.
    async fn count(&self, metric: &str) -> Result<u64, TrialError> {
        let mut sum = 0;
        for node in &self.nodes {
            let text = self
                .around
                .merchant
                .text(&format!("{}/metrics", node.url))
                .await?;
            sum += sum_of(&text, metric);
        }
        Ok(sum)
    }

    async fn database_errors(&self) -> Result<u64, TrialError> {
        Ok(self.count(ERRORS).await? - self.count(CONFLICTS).await?)
    }

    /// The end of the trial: the shoppers stop, and all books are compared.
    async fn end(self) -> Result<SufferedFaults, TrialError> {
        let bought = self.shoppers.end().await?;
        let around = self.around.may_lose_cards();
        let books = around
            .compare(&self.load.front, bought, self.faults.len())
            .await?;
        Ok(SufferedFaults {
            faults: self.faults,
            left_out: self.left_out,
            books,
        })
    }
}

fn sum_of(text: &str, metric: &str) -> u64 {
    let lines = text.lines().filter(|line| line.starts_with(metric));
    lines
        .filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok())
        .sum()
}

fn not_seen(what: &str, lack: &str) -> TrialError {
    TrialError::Books(vec![format!("{what}: it did not happen: {lack}")])
}

/// Waits until this count is above zero, for at most so long; how much it was.
async fn seen_within(
    limit: Duration,
    mut count: impl AsyncFnMut() -> Result<u64, TrialError>,
) -> Result<u64, TrialError> {
    let until = tokio::time::Instant::now() + limit;
    loop {
        let now = count().await?;
        if now > 0 || tokio::time::Instant::now() > until {
            return Ok(now);
        }
        sleep(PAUSE).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metrics_lines_are_added_up() {
        let text = "errors{kind=\"a\"} 2\nerrors{kind=\"b\"} 3\nerrors_of_others 7\n";
        assert_eq!(sum_of(text, "errors{kind="), 5);
        assert_eq!(sum_of(text, "errors{kind=\"b\"}"), 3);
        assert_eq!(sum_of(text, "nothing"), 0);
    }
}
