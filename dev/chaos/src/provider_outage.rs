//! The provider's answers are lost, or it cannot be reached, while shoppers pay thousands of charges. When it is back, every
//! outcome must be found, the oldest first, and all books must agree.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use anyhow::{Result, bail, ensure};
use harness::faulty_proxy::{FaultyProxy, NetworkState};
use harness::load::at_once;
use harness::postgres::{Durability, Postgres};
use harness::process::{Program, service};
use harness::shop::{CreatedTrialCharge, TrialMerchant};
use harness::test_cards::GOOD_CARD;
use tokio::time::{Duration, Instant, sleep};

use crate::books::Contradictions;

const NODES: usize = 2;
/// No limit for a merchant, and short times.
const SETTINGS: &str = "--limit-per-partner off --provider-timeout-ms 2000 --provider-grace-ms 1000";
/// How long all outcomes together may take.
const SETTLED_WITHIN: Duration = Duration::from_mins(20);
const PAUSE: Duration = Duration::from_millis(250);
const OPEN: &str = "SELECT count(*) FROM attempts WHERE state IN ('in_flight', 'outcome_unknown')";
/// Of the attempts that were settled first, how many are among the oldest: the first half of both is compared.
const OLDEST_FIRST: &str = "SELECT count(*) FROM \
     (SELECT id FROM attempts ORDER BY finished_at LIMIT (SELECT count(*) / 2 FROM attempts)) settled \
     JOIN (SELECT id FROM attempts ORDER BY created_at LIMIT (SELECT count(*) / 2 FROM attempts)) made USING (id)";

/// A drill whose books agree.
#[derive(Debug, Clone, PartialEq)]
pub struct OutageReport {
    /// All charges.
    pub charges: usize,
    /// Attempts whose outcome was unknown when the provider came back.
    pub unknown: usize,
    /// How many of them the provider had taken.
    pub taken: usize,
    /// How long it took until all were settled.
    pub settled_in: Duration,
    /// Which share of the half that was settled first belongs to the older half, in percent.
    pub oldest_first_percent: usize,
}

impl fmt::Display for OutageReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} outcomes were unknown when the provider came back, and all were settled {:.1} s later: {} paid once, {} not at \
             all. Of the half that was settled first, {} % belong to the older half. The books agree.",
            self.unknown,
            self.settled_in.as_secs_f64(),
            self.taken,
            self.charges - self.taken,
            self.oldest_first_percent
        )
    }
}

/// Runs the drill in `dir` with so many charges: half of them reach the provider, and their answers are lost.
pub async fn run(binary: &Path, dir: &Path, charges: usize) -> Result<OutageReport> {
    let postgres = Postgres::start(Durability::Full)?;
    let name = postgres.new_database_name()?;
    let database = postgres.url(&name);
    let program = Program::new(binary, dir);
    let simulator = program.serve("simulator --listen 127.0.0.1:0 --data ledger")?;
    let proxy = FaultyProxy::start(simulator.url.trim_start_matches("http://").parse()?).await?;
    let merchant = TrialMerchant::add(&program, &database, "")?;
    let provider = format!("http://{}", proxy.address);
    let line = format!("{} {SETTINGS}", service(&database, &provider));
    let nodes = [
        program.serve_aside(&line).await?,
        program.serve_aside(&line).await?,
    ];
    let urls: Vec<_> = nodes.iter().map(|node| node.url.clone()).collect();
    let made = at_once(charges, |number| {
        let (merchant, url) = (merchant.clone(), urls[number % NODES].clone());
        async move { merchant.create(&url, &format!("order-{number}")).await }
    })
    .await?;

    let (reached, unreached) = made.split_at(charges / 2);
    for (state, charges) in [
        (NetworkState::LosesAnswers, reached),
        (NetworkState::Cut, unreached),
    ] {
        proxy.set(state);
        press_all(&merchant, &urls, charges).await?;
        ensure!(proxy.set(NetworkState::Cut) > 0, "the provider was not cut off");
    }
    let unknown: usize = postgres.ask(&name, OPEN)?.parse()?;
    proxy.set(NetworkState::Carries);
    let begin = Instant::now();
    let mut shown = unknown;
    while shown > 0 {
        if begin.elapsed() > SETTLED_WITHIN {
            bail!(Contradictions::one(format!(
                "{shown} of {unknown} outcomes are still unknown"
            )));
        }
        sleep(PAUSE).await;
        shown = postgres.ask(&name, OPEN)?.parse()?;
    }
    let settled_in = begin.elapsed();
    let settled_first: usize = postgres.ask(&name, OLDEST_FIRST)?.parse()?;
    let taken = compare(&merchant, &urls[0], &simulator.url, made).await?;
    Ok(OutageReport {
        charges,
        unknown,
        taken,
        settled_in,
        oldest_first_percent: settled_first * 100 / (charges / 2).max(1),
    })
}

/// Presses for each charge once. No shopper may be told that it is paid, or that it failed.
async fn press_all(merchant: &TrialMerchant, urls: &[String], charges: &[CreatedTrialCharge]) -> Result<()> {
    let told = at_once(charges.len(), |number| {
        let (merchant, url) = (merchant.clone(), urls[number % NODES].clone());
        let charge = charges[number].clone();
        async move { merchant.press(&url, &charge, "press", GOOD_CARD).await }
    })
    .await?;
    let known = told.iter().find(|answer| {
        let status = answer.body["status_code"].as_str().unwrap_or_default();
        !["outcome_unknown", "processing"].contains(&status)
    });
    ensure!(known.is_none(), "an outcome is known too early: {known:?}");
    Ok(())
}

/// Compares each charge with the provider's ledger. Returns how many are paid.
async fn compare(
    merchant: &TrialMerchant,
    url: &str,
    simulator: &str,
    charges: Vec<CreatedTrialCharge>,
) -> Result<usize> {
    let mut approvals: HashMap<String, usize> = HashMap::new();
    for entry in merchant.ledger(simulator).await? {
        let id = entry["charge_id"].as_str().unwrap_or_default().to_owned();
        *approvals.entry(id).or_default() += usize::from(entry["outcome"] == "approved");
    }
    let views = at_once(charges.len(), |number| {
        let (merchant, url) = (merchant.clone(), url.to_owned());
        let id = charges[number].id.clone();
        async move { merchant.view(&url, &id).await }
    })
    .await?;
    let mut found = Vec::new();
    let mut paid = 0;
    for view in &views {
        let id = view.body["id"].as_str().unwrap_or_default();
        let taken = approvals.remove(id).unwrap_or_default();
        match view.body["status"].as_str().unwrap_or_default() {
            "succeeded" if taken == 1 => paid += 1,
            "failed" if taken == 0 => {}
            status => found.push(format!(
                "{id} is {status}, and the provider took it {taken} times"
            )),
        }
    }
    found.extend(
        approvals
            .keys()
            .map(|id| format!("the provider has a charge that does not exist here: {id}")),
    );
    Contradictions::none(found)?;
    Ok(paid)
}
