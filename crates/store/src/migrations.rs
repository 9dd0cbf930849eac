//! The steps from an empty database to today's tables, each applied once.
//!
//! What was applied is in the table `_sqlx_migrations`, in the form of the library that applied them before: a database
//! that it migrated is migrated further here. A database that a newer program has migrated is served as it is, as long as
//! that program says that this one can (docs/upgrades.md#what-a-migration-may-do).

use std::time::{Duration, Instant};

use protocol::ids::hex;
use sha2::{Digest, Sha384};
use tokio::time::sleep;

use super::StoreError;
use super::sql::postgres::PostgresPool;
use super::sql::sqlite::SqliteConnection;
use super::sql::{FromRow, SqlError, query};

/// A file of `migrations/`: its name, which has its number and what it is about, and its statements.
macro_rules! files {
    ($($name:literal),+ $(,)?) => {
        [$(($name, include_str!(concat!("../migrations/", $name)))),+]
    };
}

const FILES: [(&str, &str); 45] = files![
    "0001_charges.sql",
    "0002_saved_cards.sql",
    "0003_shopper_actions.sql",
    "0010_webhooks.sql",
    "0011_both_databases.sql",
    "0013_page_assets.sql",
    "0014_provider_cards.sql",
    "0015_events.sql",
    "0016_visits.sql",
    "0020_keys_that_turn.sql",
    "0021_payment_page.sql",
    "0022_money_paid.sql",
    "0024_site_ids_and_asset_hashes.sql",
    "0030_health_checks.sql",
    "0031_webhook_secrets.sql",
    "0032_report_counts.sql",
    "0033_unfinished_attempts_of_sqlite.sql",
    "0034_charge_story.sql",
    "0036_oldest_program.sql",
    "0040_closed_payments.sql",
    "0041_retention.sql",
    "0044_charge_changes.sql",
    "0050_webhook_filter.sql",
    "0051_variations_by_time.sql",
    "0052_charges_change_in_place.sql",
    "0053_room_on_pages_of_postgres.sql",
    "0054_report_tallies.sql",
    "0055_report_cases.sql",
    "0056_report_sums_of_sqlite.sql",
    "0057_report_sums_of_postgres.sql",
    "0060_report_tally.sql",
    "0061_page_asset_macs.sql",
    "0070_after_the_payment.sql",
    "0071_webhook_endpoints.sql",
    "0072_find_charges.sql",
    "0073_disputes.sql",
    "0074_endpoints_of_events_of_sqlite.sql",
    "0075_endpoints_of_events_of_postgres.sql",
    "0080_card_agreements.sql",
    "0081_card_choices.sql",
    "0085_card_networks.sql",
    "0090_imported_cards.sql",
    "0091_strong_authentication.sql",
    "0092_customers_of_shoppers.sql",
    "0096_numbers_of_deleted_events.sql",
];

/// The end of the name of a migration that PostgreSQL does not need; there it is only noted.
const OF_SQLITE: &str = " of sqlite";
/// The end of the name of a migration that SQLite does not need.
const OF_POSTGRES: &str = " of postgres";

/// No migration has a greater number.
pub(super) const LAST: i64 = i64::MAX;

/// How often migrating PostgreSQL is tried while other nodes migrate, too: at each try one more of their migrations is
/// done.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(50);
/// How long it is tried while transactions use a table that is to change.
const WAIT_FOR_TABLES_MAX: Duration = Duration::from_mins(2);
/// The begin of a migration's transaction. A migration that waits for a table in use blocks every other transaction on
/// that table, so it gives up soon, and is retried: sooner than PostgreSQL looks for deadlocks (1 s), so that never a charge is
/// given up for a migration. Its own statements may take as long as they need.
const BEGIN_POSTGRES: &str = "BEGIN; SET LOCAL lock_timeout = '500ms'; SET LOCAL statement_timeout = 0; \
     SET LOCAL idle_in_transaction_session_timeout = 0";

/// The oldest program that can serve the database: the newest migration that it must know.
const OLDEST_PROGRAM: &str = "SELECT migration FROM oldest_program ORDER BY migration DESC LIMIT 1";
/// The newest migration that was applied.
pub(super) const NEWEST: &str = "SELECT version FROM _sqlx_migrations ORDER BY version DESC LIMIT 1";
/// Which migrations were applied, with their checksums in hexadecimal digits.
const APPLIED_SQLITE: &str =
    "SELECT version, lower(hex(checksum)) AS checksum FROM _sqlx_migrations ORDER BY version";
const APPLIED_POSTGRES: &str =
    "SELECT version, encode(checksum, 'hex') AS checksum FROM _sqlx_migrations ORDER BY version";
const TABLE_SQLITE: &str = "CREATE TABLE IF NOT EXISTS _sqlx_migrations (version BIGINT PRIMARY KEY, \
     description TEXT NOT NULL, installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, success BOOLEAN NOT NULL, \
     checksum BLOB NOT NULL, execution_time BIGINT NOT NULL)";
const TABLE_POSTGRES: &str = "CREATE TABLE IF NOT EXISTS _sqlx_migrations (version BIGINT PRIMARY KEY, \
     description TEXT NOT NULL, installed_on TIMESTAMPTZ NOT NULL DEFAULT now(), success BOOLEAN NOT NULL, \
     checksum BYTEA NOT NULL, execution_time BIGINT NOT NULL)";

/// A step.
#[derive(Debug)]
struct Migration {
    version: i64,
    description: String,
    statements: &'static str,
}

impl Migration {
    fn of((name, statements): (&str, &'static str)) -> Self {
        let (number, about) = name
            .trim_end_matches(".sql")
            .split_once('_')
            .expect("a number before the first `_`");
        Self {
            version: number.parse().expect("a number"),
            description: about.replace('_', " "),
            statements,
        }
    }

    /// The statements; none if the name has this end.
    fn statements_unless(&self, end: &str) -> &'static str {
        if self.description.ends_with(end) {
            return "";
        }
        self.statements
    }

    /// SHA-384, in hexadecimal digits.
    fn checksum(&self) -> String {
        hex(&Sha384::digest(self.statements))
    }

    /// Writes down that it was applied. `checksum` is a literal of the database's own.
    fn note(&self, checksum: &str) -> String {
        format!(
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
             VALUES ({}, '{}', TRUE, {checksum}, 0)",
            self.version, self.description
        )
    }
}

/// The migrations that a database needs.
#[derive(Debug, Default)]
struct MigrationPlan {
    missing: Vec<Migration>,
    /// The newest migration that only a newer program knows.
    newer: Option<i64>,
}

/// The newest migration that this program knows.
fn newest_known() -> i64 {
    FILES
        .map(Migration::of)
        .into_iter()
        .map(|known| known.version)
        .max()
        .unwrap_or_default()
}

/// The missing migrations. Fails if an applied migration has changed, or belongs to neither an older nor a newer version
/// of this program.
fn plan(applied: &[(i64, String)]) -> Result<MigrationPlan, StoreError> {
    let all = FILES.map(Migration::of);
    let mut plan = MigrationPlan::default();
    for (version, checksum) in applied {
        match all.iter().find(|known| known.version == *version) {
            Some(known) if known.checksum() == *checksum => {}
            Some(_) => {
                return Err(StoreError::Migration(format!(
                    "number {version} was another one when it was applied"
                )));
            }
            None if *version > newest_known() => plan.newer = plan.newer.max(Some(*version)),
            None => {
                return Err(StoreError::Migration(format!(
                    "number {version} was applied by another version of cardform"
                )));
            }
        }
    }
    let is_missing = |known: &Migration| applied.iter().all(|(version, _)| *version != known.version);
    plan.missing = all.into_iter().filter(is_missing).collect();
    Ok(plan)
}

/// The tables of a database, compared with those of this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableState {
    /// They are the same.
    Current,
    /// So many migrations are missing.
    Older(usize),
    /// A newer program has migrated them up to this number, and this one serves them, too.
    Newer(i64),
    /// A newer program has migrated them up to this number, and this one cannot serve them.
    TooNew(i64),
}

impl TableState {
    fn of(plan: &MigrationPlan, oldest_program: Option<i64>) -> Self {
        match plan.newer {
            Some(newest) if oldest_program.is_some_and(|needed| needed <= newest_known()) => {
                Self::Newer(newest)
            }
            Some(newest) => Self::TooNew(newest),
            None if plan.missing.is_empty() => Self::Current,
            None => Self::Older(plan.missing.len()),
        }
    }
}

/// The state of the tables in this file.
pub(super) fn state_on_sqlite(connection: &mut SqliteConnection) -> Result<TableState, StoreError> {
    let plan = plan(&rows(connection, APPLIED_SQLITE)?)?;
    let oldest = match plan.newer {
        Some(_) => rows(connection, OLDEST_PROGRAM)?.into_iter().next(),
        None => None,
    };
    Ok(TableState::of(&plan, oldest))
}

/// The same on PostgreSQL.
pub(super) async fn state_on_postgres(pool: &PostgresPool) -> Result<TableState, StoreError> {
    let plan = plan(&query(APPLIED_POSTGRES).fetch_all(pool).await?)?;
    let oldest = match plan.newer {
        Some(_) => query(OLDEST_PROGRAM).fetch_optional(pool).await?,
        None => None,
    };
    Ok(TableState::of(&plan, oldest))
}

/// Fails if the newer program that migrated the database has taken away what this one needs. Says in the log that the
/// database is newer.
fn accept_newer(newest: i64, oldest_program: Option<i64>) -> Result<(), StoreError> {
    let known = newest_known();
    match oldest_program {
        Some(needed) if needed <= known => {
            tracing::warn!(
                newest,
                known,
                "a newer version of cardform has migrated the database; this one serves it too"
            );
            Ok(())
        }
        _ => Err(StoreError::Migration(format!(
            "a newer version of cardform changed the tables (number {newest}), and this one is too old for them: it \
             knows the tables up to number {known}"
        ))),
    }
}

/// Applies the missing migrations up to this one, all in one transaction that takes the write lock first: the other nodes
/// wait and find it done.
pub(super) fn on_sqlite(connection: &mut SqliteConnection, last: i64) -> Result<(), StoreError> {
    connection.batch("BEGIN IMMEDIATE")?;
    let applied = apply_on_sqlite(connection, last);
    connection.batch(if applied.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
    applied
}

fn apply_on_sqlite(connection: &mut SqliteConnection, last: i64) -> Result<(), StoreError> {
    connection.batch(TABLE_SQLITE)?;
    let plan = plan(&rows(connection, APPLIED_SQLITE)?)?;
    for migration in plan.missing {
        if migration.version <= last {
            connection.batch(migration.statements_unless(OF_POSTGRES))?;
            connection.batch(&migration.note(&format!("X'{}'", migration.checksum())))?;
        }
    }
    if let Some(newest) = plan.newer {
        accept_newer(newest, rows(connection, OLDEST_PROGRAM)?.into_iter().next())?;
    }
    Ok(())
}

/// The number of the newest migration that was applied to this file.
pub(super) fn last_on_sqlite(connection: &mut SqliteConnection) -> Result<Option<i64>, SqlError> {
    Ok(rows(connection, NEWEST)?.into_iter().next())
}

fn rows<T: FromRow>(connection: &mut SqliteConnection, sql: &'static str) -> Result<Vec<T>, SqlError> {
    Ok(connection.run(&query(sql))?.rows)
}

/// Applies the missing migrations. Only PostgreSQL itself has advisory locks, so they are not used. Each migration is a
/// transaction, and the table of migrations accepts it once; a node that loses the race tries again.
pub(super) async fn on_postgres(pool: &PostgresPool) -> Result<(), StoreError> {
    let until = Instant::now() + WAIT_FOR_TABLES_MAX;
    let mut tries = 1;
    loop {
        match apply_on_postgres(pool).await {
            Err(StoreError::Database(error)) if error.is_lock_timeout() && Instant::now() < until => {}
            Err(StoreError::Database(error)) if !error.is_lock_timeout() && tries < TRIES => tries += 1,
            ended => return ended,
        }
        sleep(PAUSE).await;
    }
}

async fn apply_on_postgres(pool: &PostgresPool) -> Result<(), StoreError> {
    pool.batch(TABLE_POSTGRES).await?;
    let plan = plan(&query(APPLIED_POSTGRES).fetch_all(pool).await?)?;
    for migration in plan.missing {
        let checksum = format!("decode('{}', 'hex')", migration.checksum());
        let statements = migration.statements_unless(OF_SQLITE);
        // A connection that stays in a failed transaction is dropped, which ends the transaction.
        let applied = format!(
            "{BEGIN_POSTGRES}; {statements} ; {}; COMMIT",
            migration.note(&checksum)
        );
        let client = pool.detached().await?;
        client.batch_execute(&applied).await.map_err(SqlError::from)?;
    }
    if let Some(newest) = plan.newer {
        accept_newer(newest, query(OLDEST_PROGRAM).fetch_optional(pool).await?)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
