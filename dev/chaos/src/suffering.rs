//! A service whose shoppers pay while something fails. Each fault is printed as a row of a table in Markdown, and at the end
//! all books are compared.

use std::sync::Arc;

use anyhow::{Result, ensure};
use tokio::task::JoinSet;
use tokio::time::{Duration, Instant};

use crate::load::Load;
use crate::shopper::Purchases;
use crate::surroundings::Surroundings;

const SHOPPERS: usize = 8;
/// Charges that are paid before the next fault.
pub(crate) const CHARGES_BETWEEN: usize = 15;
/// How long a fault lasts that does not end by itself: longer than the service waits for a locked row or file.
pub(crate) const LASTS: Duration = Duration::from_secs(12);
/// The nodes' count of errors of the database; a conflict of two transactions is none.
const ERRORS: &str = "cardform_database_errors_total{kind=";
const CONFLICTS: &str = "cardform_database_errors_total{kind=\"conflict\"}";

/// The service that suffers.
pub(crate) struct SufferingService {
    pub(crate) around: Surroundings,
    pub(crate) load: Arc<Load>,
    shoppers: JoinSet<Purchases>,
    faults: usize,
    /// The longest time without a paid charge.
    pub(crate) longest: Duration,
}

impl SufferingService {
    /// Shoppers begin to pay at these addresses.
    pub(crate) async fn start(mut around: Surroundings, addresses: Vec<String>, seed: u64) -> Result<Self> {
        around.may_lose_cards = true;
        let load = Load::new(&around, addresses, None, seed);
        let shoppers = load.start(SHOPPERS);
        load.wait_for(CHARGES_BETWEEN, "the beginning").await?;
        println!(
            "\n| what happens | seen by | longest time without a paid charge | paid until the next fault |\n\
             |---|---|---|---|"
        );
        Ok(Self {
            around,
            load,
            shoppers,
            faults: 0,
            longest: Duration::ZERO,
        })
    }

    /// A fault happens and ends, and returns how it was seen. Then shoppers must be able to pay again.
    pub(crate) async fn suffer(
        &mut self,
        what: &str,
        fault: impl Future<Output = Result<String>>,
    ) -> Result<()> {
        let since = Instant::now();
        let seen = fault.await?;
        self.load.wait_for(CHARGES_BETWEEN, what).await?;
        let (lasted, paid) = self.load.longest_pause(since);
        println!("| {what} | {seen} | {:.1} s | {paid} |", lasted.as_secs_f64());
        self.longest = self.longest.max(lasted);
        self.faults += 1;
        Ok(())
    }

    /// The same with a fault of the database, which the nodes must notice.
    pub(crate) async fn suffer_database(
        &mut self,
        what: &str,
        fault: impl Future<Output = Result<String>>,
    ) -> Result<()> {
        let before = self.database_errors().await?;
        self.suffer(what, fault).await?;
        let is_noticed = self.database_errors().await? > before;
        ensure!(is_noticed, "{what}: no node had an error of the database");
        Ok(())
    }

    async fn database_errors(&self) -> Result<u64> {
        let mut errors = 0;
        for address in &self.load.shopper.front.nodes {
            let metrics = self.around.merchant.text(&format!("{address}/metrics")).await?;
            errors += sum_of(&metrics, ERRORS) - sum_of(&metrics, CONFLICTS);
        }
        Ok(errors)
    }

    /// The shoppers stop, and all books are compared.
    pub(crate) async fn end(self) -> Result<()> {
        let bought = self.load.stop(self.shoppers).await;
        let books = self.around.compare(&self.load, bought, self.faults).await?;
        println!("\n{books}");
        Ok(())
    }
}

/// The sum of the metrics whose lines begin like this.
pub(crate) fn sum_of(metrics: &str, begin: &str) -> u64 {
    let lines = metrics.lines().filter(|line| line.starts_with(begin));
    lines
        .filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok())
        .sum()
}

#[cfg(test)]
mod tests;
