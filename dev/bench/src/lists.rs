//! Whether a list stays as quick when its table grows: saved cards and the operator's report with few and with many rows
//! (docs/budgets.md#speed).

mod filling;

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};

use self::filling::{Dialect, Filled, all_counted, fill};
use harness::postgres::{Durability, Postgres};
use harness::process::{CardformProcess, Program};

/// The charges of the small database; there are half as many cards.
const FEW: i64 = 10_000;
/// How many shoppers ask for their cards.
const SHOPPERS: usize = 100;
/// How often each list is asked for in each database, in turns of so many.
const REQUESTS: usize = 10_000;
const TURN: usize = 50;
/// The budget: how much slower 99 of 100 answers may be.
const RATIO_MAX: f64 = 1.3;
/// How long the service may take to count the rows that it finds.
const COUNTING_TIME_MAX: Duration = Duration::from_mins(15);
const OPERATOR_KEY: &str = "op_0123456789abcdefghijklmnopqrstuv";
/// The ranges of the operator's page that have many rows, in milliseconds.
const RANGES: [(&str, i64); 4] = [
    ("an hour", 3_600_000),
    ("a day", 86_400_000),
    ("a week", 7 * 86_400_000),
    ("30 days", 30 * 86_400_000),
];

/// The rows of the bench's table, for this many charges and half as many cards beside the small databases.
pub(crate) async fn rows(binary: &Path, charges: usize) -> Result<Vec<Value>> {
    let many = i64::try_from(charges).unwrap_or(i64::MAX);
    // Next to the program, because a folder for temporary files may be in memory.
    let beside = binary.parent().unwrap_or(binary);
    let folder = || tempfile::tempdir_in(beside);
    let mut rows = {
        let (few_dir, many_dir) = (folder()?, folder()?);
        let dialect = |dir: &Path| Dialect::Sqlite(dir.join("cardform.db"));
        let few = Lists::start(binary, few_dir.path(), &dialect(few_dir.path()), FEW).await?;
        let many = Lists::start(binary, many_dir.path(), &dialect(many_dir.path()), many).await?;
        compared("SQLite", &few, &many).await?
    };
    let postgres = Postgres::start(Durability::None)?;
    let (few_dir, many_dir) = (folder()?, folder()?);
    let dialect = || Ok::<_, anyhow::Error>(Dialect::Postgres(&postgres, postgres.new_database_name()?));
    let few = Lists::start(binary, few_dir.path(), &dialect()?, FEW).await?;
    let many = Lists::start(binary, many_dir.path(), &dialect()?, many).await?;
    rows.extend(compared("PostgreSQL", &few, &many).await?);
    Ok(rows)
}

/// A service with a database of so many rows.
struct Lists {
    service: CardformProcess,
    http: Client,
    /// Each shopper's id, and the client secret of a charge that waits for a card.
    shoppers: Vec<(String, String)>,
    filled: Filled,
}

impl Lists {
    async fn start(binary: &Path, dir: &Path, dialect: &Dialect<'_>, charges: i64) -> Result<Self> {
        let program = Program::new(binary, dir);
        let database = dialect.url();
        program.run(&format!("migrate --database {database}"))?;
        let added = program.run(&format!("merchant add --name Shop --database {database}"))?;
        let text = |name: &str| {
            let found = added[name].as_str().map(str::to_owned);
            found.context("no merchant")
        };
        let begun = Instant::now();
        let filled = fill(dialect, &text("partner_id")?, charges)?;
        eprintln!(
            "{charges} charges filled in after {} s",
            begun.elapsed().as_secs()
        );
        let vault_key = program.run("key generate")?;
        let key_file = dir.join("vault-keys");
        let line = vault_key["key"].as_str().unwrap_or_default();
        std::fs::write(&key_file, line)?;
        let key_file = key_file.display().to_string();
        let service = program.serve(&format!(
            "serve --listen 127.0.0.1:0 --provider-url http://127.0.0.1:9 --operator-key {OPERATOR_KEY} \
             --vault-key-file {key_file} --database {database}"
        ))?;
        let http = Client::builder().no_proxy().build();
        let mut lists = Self {
            service,
            http: http?,
            shoppers: Vec::new(),
            filled,
        };
        for number in 0..SHOPPERS {
            lists
                .shoppers
                .push(lists.shopper(&text("secret_key")?, number).await?);
        }
        let begun = Instant::now();
        while !all_counted(dialect)? {
            ensure!(begun.elapsed() < COUNTING_TIME_MAX, "rows are not counted");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        eprintln!("rows counted after {} s", begun.elapsed().as_secs());
        filling::clean_up(dialect)?;
        Ok(lists)
    }

    /// A charge of one of the shoppers with cards.
    async fn shopper(&self, secret_key: &str, number: usize) -> Result<(String, String)> {
        let id = self.filled.shopper(number).to_owned();
        let request = self.http.post(format!("{}/v1/charges", self.service.url));
        let request = request.bearer_auth(secret_key).json(&json!({
            "item_code": "gems-100", "item_name": "100 gems", "amount_value": "12.50", "amount_currency": "USD",
            "partner_reference": format!("order-{number}"), "shopper_id": id, "enable_save_payment_method": true,
            "display_saved_payment_method_list": true, "eligible_save_payment_methods": true,
        }));
        let (_, made) = timed(request).await?;
        let secret = made["client_secret"].as_str().unwrap_or_default().to_owned();
        Ok((id, secret))
    }

    /// Asks for saved cards. In milliseconds.
    async fn cards(&self, number: usize) -> Result<f64> {
        let (id, secret) = &self.shoppers[number % self.shoppers.len()];
        let url = format!("{}/v1/pub/shoppers/{id}/payment-methods", self.service.url);
        let (ms, answer) = timed(self.http.get(url).bearer_auth(secret)).await?;
        match answer["items"].as_array() {
            Some(cards) if !cards.is_empty() => Ok(ms),
            _ => bail!("no cards: {answer}"),
        }
    }

    /// Asks for the report of this range, which ends now. In milliseconds.
    async fn report(&self, range_ms: i64) -> Result<f64> {
        let to = filling::now_ms()?;
        let url = format!(
            "{}/v1/operator/report?from={}&to={to}",
            self.service.url,
            to - range_ms
        );
        let (ms, answer) = timed(self.http.get(url).bearer_auth(OPERATOR_KEY)).await?;
        if answer["charges"]["total"].is_object() {
            Ok(ms)
        } else {
            bail!("no report: {answer}")
        }
    }
}

/// Sends the request. How long the answer took in milliseconds, and its body.
async fn timed(request: RequestBuilder) -> Result<(f64, Value)> {
    let begun = Instant::now();
    let answer = request.send().await?;
    let bytes = answer.bytes().await?;
    let ms = begun.elapsed().as_secs_f64() * 1_000.0;
    Ok((ms, serde_json::from_slice(&bytes).unwrap_or_default()))
}

/// The rows of one kind of database.
async fn compared(database: &str, few: &Lists, many: &Lists) -> Result<Vec<Value>> {
    let (mut of_few, mut of_many) = (Vec::new(), Vec::new());
    for turn in 0..=REQUESTS / TURN {
        for (lists, times) in [(few, &mut of_few), (many, &mut of_many)] {
            for number in turn * TURN..(turn + 1) * TURN {
                times.push(lists.cards(number).await?);
            }
        }
    }
    let cards = format!("saved cards on {database}, {} in the table", many.filled.cards());
    let mut rows = vec![row(
        &cards,
        of_many,
        &format!("{} cards", few.filled.cards()),
        of_few,
    )];
    for (name, range_ms) in RANGES {
        let (mut of_few, mut of_many) = (Vec::new(), Vec::new());
        for _ in 0..=REQUESTS / TURN {
            for (lists, times) in [(few, &mut of_few), (many, &mut of_many)] {
                for _ in 0..TURN {
                    times.push(lists.report(range_ms).await?);
                }
            }
        }
        let report = format!("report of {name} on {database}, {} charges", many.filled.charges);
        rows.push(row(
            &report,
            of_many,
            &format!("{} charges", few.filled.charges),
            of_few,
        ));
    }
    Ok(rows)
}

/// The first turn warmed connections and caches.
fn row(name: &str, many: Vec<f64>, of_few: &str, few: Vec<f64>) -> Value {
    json!({
        "name": format!("{name}, p99"), "measured": p99(many), "unit": "ms", "ratio_max": RATIO_MAX,
        "yardstick": {"name": of_few, "measured": p99(few)},
    })
}

fn p99(mut times: Vec<f64>) -> f64 {
    times.drain(..TURN);
    times.sort_by(f64::total_cmp);
    times[(times.len() * 99 / 100).min(times.len() - 1)]
}
