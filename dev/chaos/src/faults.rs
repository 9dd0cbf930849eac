//! A database that is restarted, cut off, silent, read-only, locked or full, and nodes with a log that is not read, used up
//! descriptors and clocks that jump, while shoppers pay. Nodes are also killed while a database fails. Each fault must be
//! seen to happen; in the end all books agree.

mod killed_node;
mod node;
mod postgres;
mod sqlite;

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, bail};
use tokio::time::{Duration, sleep};

use crate::books::Contradictions;
use crate::killed_nodes::{Surroundings, TrialReport};
use crate::load::{Load, RunningShoppers, Shopping};
use crate::node::Node;

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

/// The faults of a drill as rows of a table in Markdown, the faults that this machine cannot have, and the books.
#[derive(Debug, Default)]
pub struct SufferedFaults {
    /// In order.
    pub rows: Vec<String>,
    /// Why, too.
    pub left_out: Vec<&'static str>,
    /// The sum of all drills.
    pub books: TrialReport,
}

/// Runs each drill in a folder of its own below `dir`.
pub async fn run(binary: &Path, dir: &Path, seed: u64) -> Result<SufferedFaults> {
    let mut all = SufferedFaults::default();
    let folder = |name: &str| -> Result<_> {
        let folder = dir.join(name);
        std::fs::create_dir(&folder)?;
        Ok(folder)
    };
    harness::companion::open_to_all(dir)?;
    postgres::drill(binary, &folder("postgres")?, seed, &mut all).await?;
    sqlite::drill(binary, &folder("sqlite")?, seed, &mut all).await?;
    node::drill(binary, &folder("node")?, seed, &mut all).await?;
    killed_node::drill(binary, &folder("killed-node")?, seed, &mut all).await?;
    Ok(all)
}

/// The service that suffers.
struct SufferingService<'a> {
    around: Surroundings,
    load: Arc<Load>,
    shoppers: RunningShoppers,
    /// Their metrics are read.
    nodes: Vec<String>,
    all: &'a mut SufferedFaults,
}

impl<'a> SufferingService<'a> {
    /// Lets shoppers pay at these nodes.
    async fn start(
        mut around: Surroundings,
        nodes: &[Node],
        seed: u64,
        all: &'a mut SufferedFaults,
    ) -> Result<Self> {
        around.may_lose_cards = true;
        let known = nodes.iter().map(Node::address).collect();
        let load = Load::new(known, &around.merchant, Shopping::UntilStopped, seed);
        let shoppers = load.start(SHOPPERS);
        load.wait_for(CHARGES_BETWEEN, "the beginning").await?;
        Ok(Self {
            around,
            load,
            shoppers,
            nodes: nodes.iter().map(Node::url).collect(),
            all,
        })
    }

    /// Lets a fault of the database happen and end; `happens` returns how it was seen. The nodes must have noticed.
    async fn suffer_database(
        &mut self,
        what: &str,
        happens: impl AsyncFnOnce() -> Result<String>,
    ) -> Result<()> {
        let before = self.database_errors().await?;
        let (seen, lasted) = self.happen(what, happens).await?;
        let errors = self.database_errors().await? - before;
        if errors == 0 {
            bail!(not_seen(what, "no node had an error of the database"));
        }
        let seen = format!("{seen}; {errors} errors of the database at the nodes");
        self.all.rows.push(format!("| {what} | {seen} | {lasted} |"));
        Ok(())
    }

    /// Lets a fault happen and end; `happens` returns how it was seen. Then shoppers must be able to pay again.
    async fn suffer(&mut self, what: &str, happens: impl AsyncFnOnce() -> Result<String>) -> Result<()> {
        let (seen, lasted) = self.happen(what, happens).await?;
        self.all.rows.push(format!("| {what} | {seen} | {lasted} |"));
        Ok(())
    }

    /// Returns how the fault was seen, and the cells with the longest time without a paid charge and the paid charges.
    async fn happen(
        &self,
        what: &str,
        happens: impl AsyncFnOnce() -> Result<String>,
    ) -> Result<(String, String)> {
        eprintln!("{what}");
        let since = self.load.now();
        let seen = happens().await?;
        self.load.wait_for(CHARGES_BETWEEN, what).await?;
        let (lasted, paid) = self.load.longest_pause(since);
        Ok((seen, format!("{:.1} s | {paid}", lasted.as_secs_f64())))
    }

    /// The sum of a metric's values at all nodes: of its lines that begin like this.
    async fn count(&self, metric: &str) -> Result<u64> {
        let mut sum = 0;
        for url in &self.nodes {
            sum += sum_of(
                &self.around.merchant.text(&format!("{url}/metrics")).await?,
                metric,
            );
        }
        Ok(sum)
    }

    async fn database_errors(&self) -> Result<u64> {
        Ok(self.count(ERRORS).await? - self.count(CONFLICTS).await?)
    }

    /// The end of the drill: the shoppers stop, and all books are compared.
    async fn end(self, faults: usize) -> Result<()> {
        let bought = self.load.stop(self.shoppers).await?;
        let books = self.around.compare(&self.load.front, bought, faults).await?;
        self.all.books.add(&books);
        Ok(())
    }
}

fn sum_of(text: &str, metric: &str) -> u64 {
    let lines = text.lines().filter(|line| line.starts_with(metric));
    lines
        .filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok())
        .sum()
}

fn not_seen(what: &str, lack: &str) -> Contradictions {
    Contradictions::one(format!("{what}: it did not happen: {lack}"))
}

/// Waits until this count is above zero, for at most so long. Returns the count.
async fn seen_within(limit: Duration, mut count: impl AsyncFnMut() -> Result<u64>) -> Result<u64> {
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
