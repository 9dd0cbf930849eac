//! The provider's answers are lost, or it cannot be reached, while shoppers pay thousands of charges. When it is back, every
//! outcome must be found, and all books must agree.

use std::path::Path;

use anyhow::{Result, ensure};
use harness::faulty_proxy::{FaultyProxy, NetworkState};
use harness::load::at_once;
use harness::postgres::{Durability, Postgres};
use harness::process::{Program, service};
use harness::shop::{CreatedTrialCharge, TrialMerchant};
use harness::test_cards::GOOD_CARD;
use harness::waiting::happens_within;
use tokio::time::{Duration, Instant};

use crate::books::{ChargeRecords, Contradictions, contradictions};

const NODES: usize = 2;
/// No limit for a merchant, and short times.
const SETTINGS: &str = "--limit-per-partner off --provider-timeout-ms 2000 --provider-grace-ms 1000";
/// How long all outcomes together may take.
const SETTLED_WITHIN: Duration = Duration::from_mins(20);
const OPEN: &str = "SELECT count(*) FROM attempts WHERE state IN ('in_flight', 'outcome_unknown')";

/// Runs the drill in `dir` with this many charges: half of them reach the provider, and their answers are lost. Returns the
/// result in words.
pub async fn run(binary: &Path, dir: &Path, charges: usize) -> Result<String> {
    let postgres = Postgres::start(Durability::Full)?;
    let name = postgres.new_database_name()?;
    let database = postgres.url(&name);
    let program = Program::new(binary, dir);
    let simulator = program.serve("simulator --data ledger")?;
    let proxy = FaultyProxy::start(simulator.url.trim_start_matches("http://").parse()?).await?;
    let merchant = TrialMerchant::add(&program, &database, "")?;
    let provider = format!("http://{}", proxy.address);
    let line = format!("{} {SETTINGS}", service(&database, &provider));
    let nodes = [program.serve(&line)?, program.serve(&line)?];
    let urls = nodes.each_ref().map(|node| node.url.clone());
    let made = merchant.create_many(&urls[0], charges).await?;
    let (reached, unreached) = made.split_at(charges / 2);
    let mut records = Vec::new();
    for (state, charges) in [
        (NetworkState::LosesAnswers, reached),
        (NetworkState::Cut, unreached),
    ] {
        proxy.set(state);
        records.extend(press_all(&merchant, &urls, charges).await?);
        ensure!(proxy.set(NetworkState::Cut) > 0, "the provider was not cut off");
    }
    let count_open = || -> Result<usize> { Ok(postgres.ask(&name, OPEN)?.parse()?) };
    let unknown = count_open()?;
    ensure!(unknown > charges * 9 / 10, "only {unknown} outcomes are unknown");
    proxy.set(NetworkState::Carries);
    let begin = Instant::now();
    let are_settled = happens_within(SETTLED_WITHIN, async || Ok(count_open()? == 0)).await?;
    ensure!(are_settled, "some of {unknown} outcomes are still unknown");
    let settled_in = begin.elapsed();
    for charge in &mut records {
        let view = merchant.view(&urls[0], &charge.charge_id).await;
        charge.merchant = view.map(|view| view.body).unwrap_or_default();
    }
    let ledger = merchant.ledger(&simulator.url).await?;
    Contradictions::none(contradictions(&records, &ledger))?;
    let is_paid = |charge: &&ChargeRecords| charge.status() == "succeeded";
    let paid = records.iter().filter(is_paid).count();
    ensure!(paid == reached.len(), "{paid} charges are paid");
    Ok(format!(
        "{unknown} outcomes were unknown when the provider came back, and all were settled {:.1} s later: {paid} paid once, {} \
         not at all. The books agree.",
        settled_in.as_secs_f64(),
        unreached.len()
    ))
}

/// Presses for each charge once. No shopper may be told that it is paid, or that it failed.
async fn press_all(
    merchant: &TrialMerchant,
    urls: &[String; NODES],
    charges: &[CreatedTrialCharge],
) -> Result<Vec<ChargeRecords>> {
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
    let records = charges.iter().map(|charge| ChargeRecords {
        could_pay: true,
        ..ChargeRecords::of(charge)
    });
    Ok(records.collect())
}
