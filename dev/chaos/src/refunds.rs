//! Two hundred refunds of a paid charge at once, from two nodes on PostgreSQL that are killed meanwhile. More is wished than was
//! captured; no more is given back, and the provider, the API, the CSV, the webhooks and the desk agree to the cent.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use harness::postgres::{Durability, Postgres};
use harness::process::Program;
use harness::shop::direct_charge::CardToPay;
use harness::test_cards::GOOD_CARD;
use serde_json::Value;
use tokio::time::Instant;

use crate::books::{ChargeRecords, Money, cents};
use crate::killed_nodes::Chaos;
use crate::provider::ChosenProvider;
use crate::shopper::challenge::ChallengeBehaviour;
use crate::shopper::{Purchases, TrialShopper};
use crate::surroundings::{OPERATOR_KEY, Surroundings};

/// How many refunds are wished at once, and how much each.
const REFUNDS: usize = 200;
const EACH: &str = "0.10";
/// How many of them fit into the charge of 12.50.
const FIT: usize = 125;

/// Runs the drill. Returns the result in words.
pub async fn run(binary: &Path, dir: &Path, provider: &ChosenProvider, seed: u64) -> Result<String> {
    let postgres = Postgres::start(Durability::Full)?;
    let chaos = Chaos::of_two_nodes(postgres.new_database()?, provider, seed);
    let program = Program::new(binary, dir);
    let around = Surroundings::with_provider(program, &chaos.database, provider, Some(seed)).await?;
    let begin = Instant::now();
    let died = chaos
        .while_nodes_die(&around, async |load| {
            let mut paid = pay(&load.shopper).await;
            load.shopper.refund(&mut paid, &[EACH; REFUNDS]).await;
            paid
        })
        .await?;
    let took = begin.elapsed();
    let (shopper, mut bought) = (&died.load.shopper, Purchases::default());
    bought.charges.push(died.result);
    let agreed = around.agreeing(shopper, bought).await?;
    let charge = agreed.charges.first().context("no charge")?;
    let refunded = Money::of(&charge.merchant).refunded;
    ensure!(
        refunded <= 1_250,
        "more was given back than was captured: {refunded} cents"
    );
    let others = [
        ("the CSV", in_csv(shopper, &charge.charge_id).await?),
        ("the webhooks", in_events(charge)),
        ("the desk", at_desk(shopper, &charge.charge_id).await?),
    ];
    for (name, sum) in others {
        ensure!(sum == refunded, "{name}: {sum} cents, and the API: {refunded}");
    }
    let told = charge.refunds.len();
    ensure!(told + charge.refused_refunds == REFUNDS, "a refund had no answer");
    ensure!(told == FIT, "{told} refunds were accepted, and {FIT} fit");
    ensure!(died.kills > 0, "no node was killed");
    Ok(format!(
        "{REFUNDS} refunds at once in {:.1} s: {told} accepted, {} refused, {refunded} cents given back; {} kills, {} lost \
         answers. The provider, the API, the CSV, the webhooks and the desk agree.",
        took.as_secs_f64(),
        charge.refused_refunds,
        died.kills,
        shopper.front.lost_answers()
    ))
}

/// A charge that is paid, whatever dies.
async fn pay(shopper: &TrialShopper) -> ChargeRecords {
    let charge = shopper.create("order-1", "", "automatic").await;
    let mut records = ChargeRecords::of(&charge);
    records.could_pay = true;
    let card = CardToPay::New {
        number: GOOD_CARD,
        save: false,
    };
    let mut press = 0;
    while !records.was_told("succeeded") {
        press += 1;
        let key = format!("press-{press}");
        records.hear(
            shopper
                .press(&charge, &key, &card, ChallengeBehaviour::Pass)
                .await,
        );
    }
    records
}

/// What the CSV says was given back, in cents.
async fn in_csv(shopper: &TrialShopper, charge_id: &str) -> Result<u64> {
    let csv = shopper.merchant.charges_csv(shopper.front.node_to_ask()).await?;
    let mut lines = csv.lines();
    let names = lines.next().context("no header")?;
    let column = names
        .split(',')
        .position(|name| name.trim_matches('"') == "amount_refunded");
    let line = lines
        .find(|line| line.contains(charge_id))
        .context("the charge is not in the CSV")?;
    let cell = line.split(',').nth(column.context("no such column")?);
    Ok(cents(cell.unwrap_or_default().trim_matches('"')))
}

/// What the events of refunds say was given back, in cents.
fn in_events(charge: &ChargeRecords) -> u64 {
    let mut ids = std::collections::BTreeMap::new();
    for event in charge
        .events
        .iter()
        .filter(|event| event.kind() == "refund.succeeded")
    {
        let data = &event.body["data"];
        ids.insert(
            data["id"].to_string(),
            cents(data["amount_value"].as_str().unwrap_or_default()),
        );
    }
    ids.values().sum()
}

/// What the operator's desk says was given back, in cents.
async fn at_desk(shopper: &TrialShopper, charge_id: &str) -> Result<u64> {
    let node = shopper.front.node_to_ask();
    let request = shopper
        .merchant
        .http
        .get(format!("{node}/v1/operator/charges/{charge_id}"));
    let answer = request.bearer_auth(OPERATOR_KEY).send().await?;
    let story: Value = answer.error_for_status()?.json().await?;
    let given_back = story["operations"].as_array().context("no operations")?.iter();
    let given_back = given_back.filter(|operation| operation["status"] == "succeeded");
    Ok(given_back
        .filter_map(|operation| operation["amount_value"].as_str())
        .map(cents)
        .sum())
}
