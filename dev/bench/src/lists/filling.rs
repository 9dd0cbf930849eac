//! Fills a migrated database with rows as months of business leave them. Only SQL is quick enough for millions.

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Result, ensure};
use harness::companion::output_of;
use harness::postgres::Postgres;
use rusqlite::Connection;

/// The time in which the charges were made, in milliseconds: as long as visits are kept.
const BUSINESS_MS: i64 = 90 * 86_400_000;
/// How long a charge waits for a card.
const CHARGE_WAITS_MS: i64 = 86_400_000;
/// How many merchants there are; those beside the first are filled in.
const MERCHANTS: i64 = 200;
/// A shopper of a merchant comes again after so many hundreds of charges of all merchants, and has about three cards.
const CARDS_PER_SHOPPER: i64 = 3;
/// Of a merchant's charges one in four hundred has saved a card.
const HUNDREDS_PER_CARD: i64 = 4;
/// How many rows one statement inserts.
const ROWS_AT_ONCE: i64 = 500_000;
/// The tables, whose indexes are made when the rows are there.
const TABLES: &str = "'charges', 'attempts', 'saved_cards', 'visits', 'visit_experiments', 'webhook_events'";

/// Which database, and where.
pub(super) enum Dialect<'a> {
    /// A file.
    Sqlite(PathBuf),
    /// A server, and the name of a database.
    Postgres(&'a Postgres, String),
}

/// What a database was filled with.
pub(super) struct Filled {
    pub(super) charges: i64,
    /// The shoppers of the first merchant who have the usual number of cards.
    pub(super) shoppers: Vec<String>,
}

impl Filled {
    pub(super) fn cards(&self) -> i64 {
        self.charges / 2
    }

    /// One of these shoppers, far from the one before.
    pub(super) fn shopper(&self, number: usize) -> &str {
        &self.shoppers[number * 7_919 % self.shoppers.len()]
    }
}

impl Dialect<'_> {
    /// The value of the setting `database`.
    pub(super) fn url(&self) -> String {
        match self {
            Self::Sqlite(file) => format!("sqlite:{}", file.display()),
            Self::Postgres(postgres, name) => postgres.url(name),
        }
    }

    /// A number of 32 digits.
    fn padded(&self, number: &str) -> String {
        match self {
            Self::Sqlite(_) => format!("printf('%032d', {number})"),
            Self::Postgres(..) => format!("lpad(CAST({number} AS TEXT), 32, '0')"),
        }
    }

    /// The table `n (i)` of the numbers from `first` to `last`.
    fn numbers(&self, first: i64, last: i64) -> String {
        match self {
            Self::Sqlite(_) => format!(
                "WITH RECURSIVE n (i) AS (SELECT {first} UNION ALL SELECT i + 1 FROM n WHERE i < {last})"
            ),
            Self::Postgres(..) => {
                format!(
                    "WITH n (i) AS (SELECT CAST(i AS BIGINT) FROM generate_series({first}, {last}) g (i))"
                )
            }
        }
    }

    /// Runs statements, and gives the first column of their rows.
    fn run(&self, sql: &str) -> Result<Vec<String>> {
        match self {
            Self::Sqlite(file) => Ok(run_on_sqlite(file, sql)?),
            Self::Postgres(postgres, name) => {
                let mut psql = postgres.program("psql");
                psql.args(["-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", name]);
                psql.args([
                    "-c",
                    "SET session_replication_role = replica; SET maintenance_work_mem = '512MB'",
                ]);
                let rows = output_of(psql.args(["-c", sql]))?;
                Ok(rows.lines().map(str::to_owned).collect())
            }
        }
    }

    /// The statements that make the tables' indexes, except those of keys, and those that remove them.
    fn indexes(&self) -> Result<(Vec<String>, Vec<String>)> {
        let listed = match self {
            Self::Sqlite(_) => format!(
                "SELECT name || '|' || replace(sql, char(10), ' ') FROM sqlite_master \
                 WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN ({TABLES})"
            ),
            Self::Postgres(..) => format!(
                "SELECT indexname || '|' || indexdef FROM pg_indexes \
                 WHERE tablename IN ({TABLES}) AND indexname NOT LIKE '%\\_pkey'"
            ),
        };
        let listed = self.run(&listed)?;
        let parts: Vec<_> = listed.iter().filter_map(|line| line.split_once('|')).collect();
        let made = parts.iter().map(|(_, sql)| (*sql).to_owned()).collect();
        let removed = parts
            .iter()
            .map(|(name, _)| format!("DROP INDEX {name}"))
            .collect();
        Ok((made, removed))
    }
}

fn run_on_sqlite(file: &PathBuf, sql: &str) -> Result<Vec<String>, rusqlite::Error> {
    let connection = Connection::open(file)?;
    connection.busy_timeout(Duration::from_secs(30))?;
    // What is lost in a power failure is filled in again.
    connection.execute_batch(
        "PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA cache_size = -200000; PRAGMA temp_store = FILE",
    )?;
    let is_select = sql.starts_with("SELECT");
    if !is_select {
        connection.execute_batch(sql)?;
        return Ok(Vec::new());
    }
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map([], |row| row.get(0))?;
    rows.collect()
}

/// Now, in unix milliseconds.
#[expect(
    clippy::disallowed_methods,
    reason = "the rows must be as old as the service, which is another process, sees them"
)]
pub(super) fn now_ms() -> Result<i64> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    Ok(i64::try_from(now.as_millis())?)
}

/// Fills in charges, and what belongs to so many, the last one made just now. A few belong to the merchant `partner_id`.
pub(super) fn fill(dialect: &Dialect<'_>, partner_id: &str, charges: i64) -> Result<Filled> {
    // Odd and no multiple of five, so that each shopper meets all merchants in turn.
    let shoppers = (charges / 100 / (CARDS_PER_SHOPPER * HUNDREDS_PER_CARD)) | 1;
    let shoppers = shoppers + if shoppers % 5 == 0 { 2 } else { 0 };
    let rows = FilledRows {
        dialect,
        partner_id,
        charges,
        shoppers,
        now: now_ms()?,
    };
    let (made, removed) = dialect.indexes()?;
    dialect.run(&removed.join("; "))?;
    dialect.run(&rows.merchants())?;
    let mut first = 1;
    while first <= charges {
        let last = (first + ROWS_AT_ONCE - 1).min(charges);
        for insert in rows.inserts(first, last) {
            dialect.run(&insert)?;
        }
        first = last + 1;
    }
    for index in made {
        dialect.run(&index)?;
    }
    // The service has looked at them when they were due: otherwise it would go through all of them now.
    dialect.run(&format!(
        "UPDATE charge_expiry SET settled_until = {} - {CHARGE_WAITS_MS}",
        rows.now
    ))?;
    clean_up(dialect)?;
    let shoppers = dialect.run(&format!(
        "SELECT shopper_id FROM saved_cards WHERE partner_id = '{partner_id}' AND state = 'saved' \
         GROUP BY shopper_id HAVING COUNT(*) = {CARDS_PER_SHOPPER}"
    ))?;
    ensure!(!shoppers.is_empty(), "no shopper with cards");
    Ok(Filled { charges, shoppers })
}

/// Does what the server's own autovacuum does sooner or later, so that it does not while lists are timed.
pub(super) fn clean_up(dialect: &Dialect<'_>) -> Result<()> {
    if matches!(dialect, Dialect::Postgres(..)) {
        dialect.run("VACUUM ANALYZE")?;
    }
    Ok(())
}

/// Whether the service has counted all charges and visits that were there when it started.
pub(super) fn all_counted(dialect: &Dialect<'_>) -> Result<bool> {
    let rest = dialect
        .run("SELECT COUNT(*) || '' FROM report_progress WHERE counted_from > 0 OR counted_until = 0")?;
    Ok(rest == ["0"])
}

/// The statements that fill in.
struct FilledRows<'a> {
    dialect: &'a Dialect<'a>,
    partner_id: &'a str,
    charges: i64,
    shoppers: i64,
    now: i64,
}

impl FilledRows<'_> {
    fn merchants(&self) -> String {
        format!(
            "INSERT INTO partners (id, name, allowed_origins, created_at) {} \
             SELECT 'partner_' || i, 'Shop ' || i, '[]', 0 FROM n",
            self.dialect.numbers(1, MERCHANTS - 1)
        )
    }

    /// Charges with the numbers from `first` to `last`, and what belongs to them. The last two digits of a number say
    /// what became of it: 62 of 100 are paid, 5 canceled, and the others wait for a card for a day and then expire.
    fn inserts(&self, first: i64, last: i64) -> Vec<String> {
        let numbers = self.dialect.numbers(first, last);
        let id = self.dialect.padded("i");
        let (waits, now) = (CHARGE_WAITS_MS, self.now);
        let at = format!("({now} - {BUSINESS_MS} + i * {BUSINESS_MS} / {})", self.charges);
        let fate = "(i * 37 % 100)";
        // A hundred in a row belong to different merchants, and the next hundred to others.
        let merchant = format!("((i / 100 * 7 + i % 100) % {MERCHANTS})");
        let partner = format!(
            "CASE {merchant} WHEN 0 THEN '{}' ELSE 'partner_' || {merchant} END",
            self.partner_id
        );
        let shopper = format!(
            "'shopper-' || {}",
            self.dialect.padded(&format!("(i / 100 % {})", self.shoppers))
        );
        let is_young = format!("{at} > {now} - {waits}");
        let charges = format!(
            "INSERT INTO charges (id, partner_id, status, decline_code, item_code, item_name, amount_value, \
             amount_currency, partner_reference, partner_shopper_id, payment_method_country_code, \
             partner_custom_data, shopper_id, shopper_email, user_initiated, display_saved_payment_method_list, \
             eligible_save_payment_methods, created_at, updated_at) {numbers} SELECT 'ch_' || {id}, {partner}, \
             CASE WHEN {fate} < 62 THEN 'succeeded' WHEN {fate} < 67 THEN 'canceled' \
             WHEN NOT {is_young} THEN 'expired' WHEN {fate} < 80 THEN 'failed' ELSE 'created' END, \
             CASE WHEN {fate} BETWEEN 67 AND 79 AND {is_young} THEN CASE i % 3 WHEN 0 THEN 'do_not_honor' \
             WHEN 1 THEN 'insufficient_funds' ELSE 'expired_card' END END, 'gems-100', '100 gems', \
             CAST(i % 90 + 1 AS TEXT) || '.50', CASE WHEN i % 10 < 6 THEN 'USD' WHEN i % 10 < 8 THEN 'EUR' \
             WHEN i % 10 < 9 THEN 'THB' ELSE 'GBP' END, 'order-' || i, '', 'US', '', {shopper}, \
             'shopper@example.com', 1, 1, 1, {at}, {at} + 60000 FROM n"
        );
        let attempts = format!(
            "INSERT INTO attempts (id, charge_id, press_key, provider_key, state, decline_code, provider_reference, \
             created_at, owner_until, finished_at, card_brand, card_last_four) {numbers} SELECT 'att_' || {id}, \
             'ch_' || {id}, {id}, 'pay_' || {id}, CASE WHEN {fate} < 62 THEN 'succeeded' ELSE 'declined' END, \
             CASE WHEN {fate} < 62 THEN NULL ELSE 'do_not_honor' END, 'pi_' || i, {at} + 60000, {at} + 90000, \
             {at} + 61000, 'visa', '4242' FROM n WHERE {fate} < 62 OR {fate} BETWEEN 67 AND 79"
        );
        let cards = format!(
            "INSERT INTO saved_cards (id, card_id, partner_id, shopper_id, state, attempt_id, fingerprint, key_id, \
             wrapped_key, sealed_number, brand, first_six, last_four, expiration_month, expiration_year, \
             holder_name, created_at, saved_at) {numbers} SELECT 'pm_' || {id}, 'card_' || {id}, {partner}, \
             {shopper}, 'saved', 'att_' || {id}, {id} || {id}, 'key-1', {id} || {id}, {id} || {id}, 'visa', \
             '424242', '4242', i % 12 + 1, 2030, 'Sam Shopper', {at}, {at} FROM n WHERE {fate} < 50"
        );
        vec![
            charges,
            attempts,
            cards,
            self.visits(&numbers, &at),
            self.variations(&numbers, &at),
            self.events(&numbers, &id, &partner, &at),
        ]
    }

    /// As many visits as charges.
    fn visits(&self, numbers: &str, at: &str) -> String {
        let locale = Self::locale();
        format!(
            "INSERT INTO visits (id, first_at, step, locale, locale_at, brand, brand_at, field, field_at, error, \
             error_at, decline, decline_at, method, method_at) {numbers} SELECT {}, {at}, {}, {locale}, 1, \
             CASE i % 6 WHEN 0 THEN '' WHEN 1 THEN 'mastercard' WHEN 2 THEN 'amex' ELSE 'visa' END, 1, \
             CASE i % 5 WHEN 0 THEN '' WHEN 1 THEN 'expiry' WHEN 2 THEN 'security-code' ELSE 'card-number' END, 1, \
             CASE i % 17 WHEN 0 THEN 'card-number-invalid' WHEN 1 THEN 'expiry-past' ELSE '' END, 1, \
             CASE i % 29 WHEN 0 THEN 'do_not_honor' WHEN 1 THEN 'insufficient_funds' ELSE '' END, 1, \
             CASE i % 4 WHEN 0 THEN '' WHEN 1 THEN 'saved_card' ELSE 'new_card' END, 1 FROM n",
            self.visit_id(),
            Self::step()
        )
    }

    /// One visit of four saw an experiment.
    fn variations(&self, numbers: &str, at: &str) -> String {
        format!(
            "INSERT INTO visit_experiments (visit_id, experiment_id, variation_id, step, locale, first_at) {numbers} \
             SELECT {}, CASE i % 8 WHEN 0 THEN 'enable-ddc' ELSE 'enable-new-look' END, i / 8 % 2, {}, {}, {at} \
             FROM n WHERE i % 4 = 0",
            self.visit_id(),
            Self::step(),
            Self::locale()
        )
    }

    /// One charge of twenty has told its merchant.
    fn events(&self, numbers: &str, id: &str, partner: &str, at: &str) -> String {
        format!(
            "INSERT INTO webhook_events (id, partner_id, charge_id, number, kind, payload, state, tries, created_at, \
             next_try_at, give_up_at, last_result, finished_at) {numbers} SELECT 'evt_' || {id}, {partner}, \
             'ch_' || {id}, 1, 'charge.succeeded', {id} || {id} || {id} || {id}, 'delivered', 1, {at}, {at}, {at}, \
             '200', {at} FROM n WHERE i % 20 = 0 AND {at} > {} - {BUSINESS_MS} / 3",
            self.now
        )
    }

    fn visit_id(&self) -> String {
        format!(
            "substr({}, 1, 36)",
            format_args!(
                "'00000000-0000-7000-8000-' || substr({}, 21)",
                self.dialect.padded("i")
            )
        )
    }

    fn step() -> &'static str {
        "CASE WHEN i % 100 < 55 THEN 5 WHEN i % 100 < 62 THEN 4 WHEN i % 100 < 70 THEN 3 WHEN i % 100 < 82 THEN 2 ELSE 1 END"
    }

    /// Half of the visits are in one locale, the others in eleven.
    fn locale() -> &'static str {
        "CASE WHEN i % 2 = 0 THEN 'en-US' ELSE substr('de-DEfr-FRes-ESit-ITja-JPko-KRpt-BRth-THtr-TRvi-VNpl-PL', \
         CAST(1 + 5 * (i / 2 % 11) AS INT), 5) END"
    }
}
