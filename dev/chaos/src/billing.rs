//! A thousand shoppers save a card without a payment, and a script bills each of them once while two nodes on PostgreSQL are
//! killed again and again.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use harness::load::at_once;
use harness::postgres::{Durability, Postgres};
use harness::process::Program;
use harness::shop::CreatedTrialCharge;
use harness::shop::direct_charge::CardToPay;
use harness::test_cards::GOOD_CARD;
use serde_json::{Value, json};
use tokio::time::{Duration, Instant, sleep};

use crate::killed_nodes::Chaos;
use crate::load::Load;
use crate::provider::ChosenProvider;
use crate::shopper::TrialShopper;
use crate::surroundings::Surroundings;

/// What each shopper pays.
const PRICE: &str = "9.99";
/// How long the script waits before it asks again.
const PAUSE: Duration = Duration::from_millis(200);
/// How often it asks for one answer before it gives up.
const TRIES_MAX: usize = 600;

/// Runs the drill with this many shoppers. Returns the result in words.
pub async fn run(binary: &Path, dir: &Path, shoppers: usize, seed: u64) -> Result<String> {
    let postgres = Postgres::start(Durability::Full)?;
    let provider = ChosenProvider::Simulator;
    let chaos = Chaos::of_two_nodes(postgres.new_database()?, &provider, seed);
    let program = Program::new(binary, dir);
    let around = Surroundings::with_provider(program, &chaos.database, &provider, Some(seed)).await?;
    let begin = Instant::now();
    let died = chaos
        .while_nodes_die(&around, async |load| {
            at_once(shoppers, |number| {
                let load = Arc::clone(load);
                async move { billed(&load, number).await }
            })
            .await
        })
        .await?;
    let took = begin.elapsed();
    let charges = died.result?;
    ensure!(died.kills > 0, "no node was killed");
    let (ledger, _) = around.provider.books(&around.merchant, &[]).await?;
    let mut bills: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in ledger.iter().filter(|entry| entry["outcome"] == "approved") {
        if entry["amount_value"] == "0" {
            continue;
        }
        ensure!(entry["amount_value"] == PRICE, "another amount: {entry}");
        ensure!(entry["initiated_by"] == "merchant", "no mark: {entry}");
        ensure!(
            entry["network_transaction_id"].is_string(),
            "no network id: {entry}"
        );
        *bills
            .entry(entry["charge_id"].as_str().context("no charge")?)
            .or_default() += 1;
    }
    for charge in &charges {
        let times = bills.remove(charge.as_str()).unwrap_or_default();
        ensure!(times == 1, "{charge} was paid {times} times");
    }
    ensure!(bills.is_empty(), "unknown payments: {bills:?}");
    Ok(format!(
        "{shoppers} shoppers saved a card and were billed {PRICE} once each in {:.1} s: {} kills, {} lost answers",
        took.as_secs_f64(),
        died.kills,
        died.load.shopper.front.lost_answers()
    ))
}

/// A shopper saves a card, and the script bills it. Returns the charge's id.
async fn billed(load: &Load, number: usize) -> Option<String> {
    let shopper = &load.shopper;
    let id = format!("subscriber-{number}");
    let setup =
        json!({"mode": "setup", "amount_value": "0", "shopper_id": id, "save_card_usage": "off_session"});
    let setup = created(shopper, &format!("setup-{number}"), setup).await?;
    let card = saved_card(shopper, &setup).await?;
    let bill = json!({"amount_value": PRICE, "shopper_id": id});
    let bill = created(shopper, &format!("month-1-{number}"), bill).await?;
    let path = format!("{}/pay", bill.id);
    let pays = json!({"payment_method_id": card, "initiated_by": "merchant", "reason": "recurring"});
    let mut declines = 0;
    for _ in 0..TRIES_MAX {
        let key = format!("pay-{number}-{declines}");
        let answer = shopper
            .merchant
            .act(shopper.front.node(), &path, &key, &pays)
            .await;
        let answer = answer.map(|mut answer| (answer.status, answer.body["status"].take()));
        match &answer {
            Some((200, Value::String(status))) if status == "succeeded" => return Some(bill.id),
            // Its payment never reached the provider, so that another try is right.
            Some((200, Value::String(status))) if status == "failed" => declines += 1,
            Some((202 | 503, _)) => {}
            None => shopper.front.lost(),
            Some(_) => return None,
        }
        sleep(PAUSE).await;
    }
    None
}

async fn created(shopper: &TrialShopper, key: &str, more: Value) -> Option<CreatedTrialCharge> {
    for _ in 0..TRIES_MAX {
        let made = shopper
            .merchant
            .create_with(shopper.front.node(), key, more.clone())
            .await;
        if made.is_some() {
            return made;
        }
        shopper.front.lost();
        sleep(PAUSE).await;
    }
    None
}

/// Presses "Save card" until the card is saved. Returns its id.
async fn saved_card(shopper: &TrialShopper, setup: &CreatedTrialCharge) -> Option<String> {
    let card = CardToPay::New {
        number: GOOD_CARD,
        save: true,
    };
    for press in 0..TRIES_MAX {
        let key = format!("press-{press}");
        if shopper
            .merchant
            .press_with(shopper.front.node(), setup, &key, &card)
            .await
            .is_none()
        {
            shopper.front.lost();
        }
        let view = shopper
            .merchant
            .view(shopper.front.node_to_ask(), &setup.id)
            .await;
        if let Some(view) = view.filter(|view| view.body["status"] == "succeeded") {
            return Some(view.body["paid_with"]["payment_method_id"].as_str()?.to_owned());
        }
        sleep(PAUSE).await;
    }
    None
}
