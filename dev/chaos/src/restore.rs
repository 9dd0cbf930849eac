//! The drill of docs/backup.md: an earlier moment of the database is restored, so that the provider knows later payments.
//! Payments are closed until both agree, and afterwards no shopper pays twice.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use harness::postgres::Postgres;
use harness::process::{CardformProcess, Program, service};
use harness::shop::{CreatedTrialCharge, TrialMerchant};
use harness::test_cards::{BAD_CARD, GOOD_CARD};
use harness::waiting::happens_within;

use crate::books::{ChargeRecords, Contradictions, HeardStatuses, contradictions};

/// How many charges are paid before the moment, and as many after it.
const CHARGES: usize = 20;
/// How many of the later ones exist at the moment.
const OPEN_CHARGES: usize = 10;
/// Nodes look every second whether payments are open.
const OPEN_WITHIN: Duration = Duration::from_secs(20);

/// The drill on a SQLite file in `dir`. Returns the result in words.
pub async fn on_sqlite(binary: &Path, dir: &Path) -> Result<String> {
    let database = "sqlite:cardform.db";
    let mut drill = Drill::begin(binary, dir, database).await?;
    drill
        .program
        .run(&format!("backup copy.db --database {database}"))?;
    drill.pay_later().await?;
    let restored = "sqlite:restored.db";
    drill
        .program
        .run(&format!("restore copy.db --database {restored}"))?;
    drill.end("SQLite", restored).await
}

/// The same on PostgreSQL and pgBackRest.
pub async fn on_postgres(binary: &Path, dir: &Path) -> Result<String> {
    let postgres = Postgres::start_archived()?;
    let database = postgres.new_database()?;
    let mut drill = Drill::begin(binary, dir, &database).await?;
    let moment = postgres.ask("postgres", "SELECT clock_timestamp()")?;
    drill.pay_later().await?;
    postgres.restore_to(&moment).await?;
    drill
        .program
        .run(&format!("payments close --database {database}"))?;
    drill.end("PostgreSQL with pgBackRest", &database).await
}

struct Drill {
    program: Program,
    simulator: CardformProcess,
    /// None while the database is restored.
    node: Option<CardformProcess>,
    merchant: TrialMerchant,
    all: Vec<CreatedTrialCharge>,
}

impl Drill {
    /// Starts a service, and pays until the moment.
    async fn begin(binary: &Path, dir: &Path, database: &str) -> Result<Self> {
        let program = Program::new(binary, dir);
        let simulator = program.serve("simulator --data ledger")?;
        let merchant = TrialMerchant::add(&program, database, "")?;
        let mut drill = Self {
            node: Some(program.serve(&service(database, &simulator.url))?),
            program,
            simulator,
            merchant,
            all: Vec::new(),
        };
        for number in 0..CHARGES {
            drill.create().await?;
            drill.pay(number, "first", GOOD_CARD, "succeeded").await?;
        }
        for number in CHARGES..CHARGES + OPEN_CHARGES {
            drill.create().await?;
            if number % 2 == 0 {
                drill.pay(number, "first", BAD_CARD, "failed").await?;
            }
        }
        Ok(drill)
    }

    /// Pays after the moment, so that the restored database does not know of it, and kills the service.
    async fn pay_later(&mut self) -> Result<()> {
        for number in CHARGES..self.all.len() {
            self.pay(number, "second", GOOD_CARD, "succeeded").await?;
        }
        for number in self.all.len()..2 * CHARGES {
            self.create().await?;
            self.pay(number, "first", BAD_CARD, "failed").await?;
            self.pay(number, "second", GOOD_CARD, "succeeded").await?;
        }
        self.node = None;
        Ok(())
    }

    /// On the restored database payments are closed, `reconcile` opens them, and every pay button can be pressed again.
    async fn end(mut self, name: &str, database: &str) -> Result<String> {
        self.node = Some(self.program.serve(&service(database, &self.simulator.url))?);
        let mut found = Vec::new();
        for charge in &self.all {
            let answer = self.merchant.press(self.url(), charge, "again", GOOD_CARD).await;
            if answer.as_ref().map(|answer| answer.status) != Some(503) {
                found.push(format!("{} before reconciling: {answer:?}", charge.id));
            }
        }
        let provider = &self.simulator.url;
        let reconcile = format!("reconcile --database {database} --provider-url {provider}");
        let reconciled = self.program.run(&reconcile)?;
        let are_open = async || {
            // The first charge was paid before the moment, so this press changes nothing.
            let answer = self
                .merchant
                .press(self.url(), &self.all[0], "open", GOOD_CARD)
                .await;
            Ok(answer.is_some_and(|answer| answer.status != 503))
        };
        let are_open = happens_within(OPEN_WITHIN, are_open).await?;
        ensure!(are_open, "payments stay closed on the restored database");
        let mut records = Vec::new();
        for charge in &self.all {
            let answer = self.merchant.press(self.url(), charge, "again", GOOD_CARD).await;
            let view = self.merchant.view(self.url(), &charge.id).await;
            let mut heard = HeardStatuses::default();
            heard.hear(&answer.map(|answer| answer.body).unwrap_or_default());
            let mut charge = ChargeRecords::of(charge);
            charge.could_pay = true;
            charge.merchant = view.map(|view| view.body).unwrap_or_default();
            charge.hear(heard);
            if !charge.was_told("succeeded") || charge.status() != "succeeded" {
                found.push(format!("after reconciling: {charge:?}"));
            }
            records.push(charge);
        }
        let ledger = self.merchant.ledger(provider).await?;
        found.extend(contradictions(&records, &ledger));
        Contradictions::none(found)?;
        Ok(format!(
            "{name}: {} charges paid, each once.\n  reconciled: {}",
            self.all.len(),
            reconciled["reconciled"]
        ))
    }

    fn url(&self) -> &str {
        self.node.as_ref().map_or("", |node| &node.url)
    }

    async fn create(&mut self) -> Result<()> {
        let order = format!("order-{}", self.all.len());
        let created = self.merchant.create(self.url(), &order).await;
        self.all.push(created.context("no charge")?);
        Ok(())
    }

    async fn pay(&self, number: usize, key: &str, card: &str, expected: &str) -> Result<()> {
        let answer = self
            .merchant
            .press(self.url(), &self.all[number], key, card)
            .await;
        let status = answer.as_ref().map(|answer| &answer.body["status_code"]);
        ensure!(
            status.is_some_and(|status| status == expected),
            "{answer:?} instead of {expected}"
        );
        Ok(())
    }
}
