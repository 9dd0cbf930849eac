//! Saved cards, the merchant's list of charges and the operator's report beside few and many rows, on both databases
//! (docs/budgets.md#speed). The list is also walked page by page while charges are made.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use harness::postgres::{Durability, Postgres};
use harness::process::{CardformProcess, Program};
use harness::shop::TrialMerchant;
use reqwest::RequestBuilder;
use serde_json::{Value, json};

/// The charges of the small database. Each database has as many visits, and half as many cards.
const FEW: i64 = 10_000;
const REQUESTS: i64 = 1_000;
/// How many charges are made in a second while the list is walked.
const MADE_PER_SECOND: u64 = 100;
const HOUR_MS: i64 = 3_600_000;
const OPERATOR_KEY: &str = "op_0123456789abcdefghijklmnopqrstuv";
/// The ranges of the operator's page, in milliseconds.
const RANGES: [i64; 4] = [HOUR_MS, 24 * HOUR_MS, 7 * 24 * HOUR_MS, 30 * 24 * HOUR_MS];
/// Charges of 90 days, the last one made just now: 62 of 100 are paid, the others expired after a day. `?` is the merchant,
/// `#` the number of charges, `!` the time now.
const FILL: [&str; 4] = [
    "INSERT INTO charges (id, partner_id, status, decline_code, item_code, item_name, amount_value, amount_currency, \
     partner_reference, partner_shopper_id, payment_method_country_code, partner_custom_data, shopper_id, shopper_email, \
     user_initiated, display_saved_payment_method_list, eligible_save_payment_methods, created_at, updated_at) \
     WITH RECURSIVE n (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < #) \
     SELECT 'ch_' || (1000000000 + i), '?', CASE WHEN i % 100 < 62 THEN 'succeeded' WHEN i < # * 89 / 90 THEN 'expired' \
     WHEN i % 3 = 0 THEN 'created' ELSE 'failed' END, CASE WHEN i % 3 > 0 THEN 'do_not_honor' END, 'gems', 'Gems', \
     (i % 90 + 1) || '.50', CASE i % 3 WHEN 0 THEN 'EUR' ELSE 'USD' END, 'order-' || i, '', 'US', '', '', '', 1, 1, 1, \
     ! - (# - i) * 7776000000 / #, ! - (# - i) * 7776000000 / # FROM n",
    "INSERT INTO saved_cards (id, card_id, partner_id, shopper_id, state, attempt_id, fingerprint, key_id, wrapped_key, \
     sealed_number, brand, first_six, last_four, expiration_month, expiration_year, holder_name, created_at, saved_at) \
     SELECT 'pm' || id, 'card' || id, '?', 'shopper-' || ((CAST(substr(id, 4) AS BIGINT) - 1000000000) / 6), 'saved', \
     'att' || id, id, 'key-1', id, id, 'visa', '424242', '4242', 7, 2030, 'Sam Shopper', created_at, created_at \
     FROM charges WHERE created_at > 0 AND CAST(substr(id, 4) AS BIGINT) % 2 = 0",
    "INSERT INTO visits (id, first_at, step, locale, locale_at, brand, brand_at, field, field_at, error, error_at, \
     decline, decline_at, method, method_at) SELECT 'visit' || id, created_at, 1 + created_at % 5, \
     CASE created_at % 4 WHEN 0 THEN 'de-DE' WHEN 1 THEN 'ja-JP' ELSE 'en-US' END, 1, \
     CASE created_at % 3 WHEN 0 THEN 'mastercard' ELSE 'visa' END, 1, \
     CASE created_at % 4 WHEN 0 THEN 'card-expiry' ELSE 'card-number' END, 1, \
     CASE created_at % 7 WHEN 0 THEN 'CardNumber_Invalid' ELSE '' END, 1, \
     CASE created_at % 9 WHEN 0 THEN 'do_not_honor' ELSE '' END, 1, 'new_card', 1 FROM charges WHERE created_at > 0",
    "UPDATE charge_expiry SET settled_until = ! - 86400000",
];

enum Tables<'a> {
    Sqlite(PathBuf),
    Postgres(&'a Postgres, String),
}

impl Tables<'_> {
    /// Runs a statement, and returns the text that it selects.
    fn run(&self, sql: &str) -> Result<String> {
        let connection = match self {
            Self::Postgres(postgres, name) if sql.starts_with("INSERT") => {
                return postgres.ask(name, &format!("SET session_replication_role = replica; {sql}"));
            }
            Self::Postgres(postgres, name) => return postgres.ask(name, sql),
            Self::Sqlite(file) => rusqlite::Connection::open(file)?,
        };
        connection.execute_batch("PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF")?;
        if sql.starts_with("SELECT") {
            return Ok(connection.query_row(sql, [], |row| row.get(0))?);
        }
        connection.execute_batch(sql)?;
        Ok(String::new())
    }
}

/// A service with a database of so many charges.
struct Lists {
    service: CardformProcess,
    merchant: TrialMerchant,
    charges: i64,
}

impl Lists {
    async fn start(binary: &Path, dir: &Path, tables: &Tables<'_>, charges: i64) -> Result<Self> {
        let program = Program::new(binary, dir);
        let database = match tables {
            Tables::Sqlite(file) => format!("sqlite:{}", file.display()),
            Tables::Postgres(postgres, name) => postgres.url(name),
        };
        let merchant = TrialMerchant::add(&program, &database, "")?;
        for sql in FILL {
            let sql = sql
                .replace('?', &merchant.partner_id)
                .replace('#', &charges.to_string());
            tables.run(&sql.replace('!', &now_ms()?.to_string()))?;
        }
        program.write_vault_key("vault-key")?;
        let lists = Self {
            service: program.serve(&format!(
                "serve --provider-url http://127.0.0.1:9 --operator-key {OPERATOR_KEY} \
                 --vault-key-file vault-key --database {database}"
            ))?,
            merchant,
            charges,
        };
        let tallied =
            "SELECT CAST(COUNT(*) AS TEXT) FROM report_tallied WHERE tallied_from = 0 AND tallied_until > 0";
        while tables.run(tallied)?.trim() != "2" {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        if matches!(tables, Tables::Postgres(..)) {
            tables.run("VACUUM ANALYZE")?;
        }
        Ok(lists)
    }

    /// How long a shopper waits for their cards, in milliseconds.
    async fn cards(&self, number: i64) -> Result<f64> {
        let shopper = format!("shopper-{}", 1 + number * 7_919 % (self.charges / 6 - 1));
        let order = format!("cards-{number}");
        let charge = self
            .merchant
            .create_for(&self.service.url, &order, &shopper, "automatic")
            .await;
        let charge = charge.context("no charge")?;
        let url = format!("{}/v1/pub/shoppers/{shopper}/payment-methods", self.service.url);
        let (ms, cards) = timed(self.merchant.http.get(url).bearer_auth(&charge.client_secret)).await?;
        ensure!(
            cards["items"].as_array().is_some_and(|cards| cards.len() == 3),
            "no cards: {cards}"
        );
        Ok(ms)
    }

    /// How long a merchant waits for a page of charges, in milliseconds. Each number is another place and another filter.
    async fn found(&self, number: i64) -> Result<f64> {
        let (now, at) = (now_ms()?, number * 7_919 % self.charges);
        let age = at * (90 * 24 * HOUR_MS / self.charges);
        let query = match number % 5 {
            0 => String::new(),
            1 => format!("after={}.ch_9", now - age),
            2 => format!("partner_reference=order-{}", 1 + at),
            3 => format!("status=failed&after={}.ch_9", now - age),
            _ => format!("decline_code=do_not_honor&after={}.ch_9", now - age),
        };
        let (ms, page) = timed(self.merchant.listed(&self.service.url, &query)).await?;
        ensure!(page["items"].is_array(), "no charges: {page}");
        Ok(ms)
    }

    /// Reads every charge page by page while others are made. Returns how many there were, and how many pages a second.
    async fn walked(&self) -> Result<(i64, f64)> {
        let begun = Instant::now();
        let (merchant, node) = (self.merchant.clone(), self.service.url.clone());
        let making = tokio::spawn(async move {
            let mut tick = tokio::time::interval(Duration::from_millis(1_000 / MADE_PER_SECOND));
            for number in 0.. {
                tick.tick().await;
                let (merchant, node) = (merchant.clone(), node.clone());
                tokio::spawn(async move { merchant.create(&node, &format!("meanwhile-{number}")).await });
            }
        });
        let (mut pages, mut old, mut last, mut after) = (0.0, 0, None, String::new());
        loop {
            let query = format!("limit=100{after}");
            let (_, page) = timed(self.merchant.listed(&self.service.url, &query)).await?;
            pages += 1.0;
            for charge in page["items"]
                .as_array()
                .with_context(|| format!("no charges: {page}"))?
            {
                let reference = charge["partner_reference"].as_str().unwrap_or_default();
                let Some(number) = reference
                    .strip_prefix("order-")
                    .and_then(|number| number.parse::<i64>().ok())
                else {
                    continue;
                };
                ensure!(
                    last.is_none_or(|last| number == last - 1),
                    "{number} came after {last:?}"
                );
                last = Some(number);
                old += 1;
            }
            match page["next"].as_str() {
                Some(next) => after = format!("&after={next}"),
                None => break,
            }
        }
        making.abort();
        ensure!(old == self.charges, "{old} charges instead of {}", self.charges);
        Ok((old, pages / begun.elapsed().as_secs_f64()))
    }

    /// How long a report takes, in milliseconds.
    async fn report(&self, range_ms: i64) -> Result<f64> {
        let to = now_ms()?;
        let url = format!(
            "{}/v1/operator/report?from={}&to={to}",
            self.service.url,
            to - range_ms
        );
        let (ms, report) = timed(self.merchant.http.get(url).bearer_auth(OPERATOR_KEY)).await?;
        ensure!(report["charges"]["total"].is_object(), "no report: {report}");
        Ok(ms)
    }
}

/// The rows of the bench's table.
pub(crate) async fn rows(binary: &Path, charges: usize) -> Result<Vec<Value>> {
    let charges = i64::try_from(charges)?;
    // Beside the program, because a folder for temporary files may be in memory.
    let folder = tempfile::tempdir_in(binary.parent().unwrap_or(binary))?;
    let file = |name: &str| Tables::Sqlite(folder.path().join(name));
    let postgres = Postgres::start(Durability::None)?;
    let (few, many) = (postgres.new_database_name()?, postgres.new_database_name()?);
    let server = [few, many].map(|name| Tables::Postgres(&postgres, name));
    let mut rows = Vec::new();
    for (database, [few, many]) in [
        ("SQLite", [file("few.db"), file("many.db")]),
        ("PostgreSQL", server),
    ] {
        let few = Lists::start(binary, folder.path(), &few, FEW).await?;
        let many = Lists::start(binary, folder.path(), &many, charges).await?;
        let (mut found_few, mut found_many) = (Vec::new(), Vec::new());
        let (mut of_few, mut of_many, mut reports) = (Vec::new(), Vec::new(), RANGES.map(|_| Vec::new()));
        for number in 0..REQUESTS {
            of_few.push(few.cards(number).await?);
            of_many.push(many.cards(number).await?);
            found_few.push(few.found(number).await?);
            found_many.push(many.found(number).await?);
            for (range, times) in RANGES.into_iter().zip(&mut reports) {
                times.push(many.report(range).await?);
            }
        }
        rows.push(json!({
            "name": format!("saved cards on {database}, {} in the table, p99", charges / 2), "measured": p99(of_many),
            "unit": "ms", "ratio_max": 1.3, "yardstick": {"name": format!("{} cards", FEW / 2), "measured": p99(of_few)},
        }));
        rows.push(json!({
            "name": format!("charges found on {database}, {charges} in the table, p99"), "measured": p99(found_many),
            "unit": "ms", "ratio_max": 1.5, "yardstick": {"name": format!("{FEW} charges"), "measured": p99(found_few)},
        }));
        let (walked, pages) = many.walked().await?;
        eprintln!(
            "{database}: {walked} charges were walked while {MADE_PER_SECOND} a second were made, {pages:.0} pages a second"
        );
        for (range, times) in RANGES.into_iter().zip(reports) {
            let name = format!(
                "report of {} h on {database}, {charges} charges, p99",
                range / HOUR_MS
            );
            rows.push(json!({"name": name, "measured": p99(times), "unit": "ms", "measured_max": 300}));
        }
    }
    Ok(rows)
}

fn p99(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() * 99 / 100]
}

/// Sends the request. How long the answer took in milliseconds, and its body.
async fn timed(request: RequestBuilder) -> Result<(f64, Value)> {
    let begun = Instant::now();
    let bytes = request.send().await?.bytes().await?;
    Ok((
        begun.elapsed().as_secs_f64() * 1_000.0,
        serde_json::from_slice(&bytes)?,
    ))
}

#[expect(
    clippy::disallowed_methods,
    reason = "rows must be as old as another process sees them"
)]
fn now_ms() -> Result<i64> {
    Ok(i64::try_from(
        SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis(),
    )?)
}
