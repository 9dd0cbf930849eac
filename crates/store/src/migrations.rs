//! The steps from an empty database to today's tables, each applied once.
//!
//! What was applied is in the table `_sqlx_migrations`, in the form of the library that applied them before: a database
//! that it migrated is migrated further here.

use std::time::Duration;

use model::ids::hex;
use sha2::{Digest, Sha384};
use tokio::time::sleep;

use super::StoreError;
use super::sql::postgres::{DetachedClient, PostgresPool};
use super::sql::sqlite::SqliteConnection;
use super::sql::{Call, FromRow, SqlError, Wanted};

/// A file of `migrations/`: its name, which has its number and what it is about, and its statements.
macro_rules! files {
    ($($name:literal),+ $(,)?) => {
        [$(($name, include_str!(concat!("../migrations/", $name)))),+]
    };
}

const FILES: [(&str, &str); 17] = files![
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
];

/// The end of the name of a migration that PostgreSQL does not need; there it is only noted.
const OF_SQLITE: &str = " of sqlite";

/// No migration has a greater number.
pub(super) const LAST: i64 = i64::MAX;

/// How often migrating PostgreSQL is tried while other nodes migrate, too: at each try one more of their migrations is
/// done.
const TRIES: u32 = 10;
const PAUSE: Duration = Duration::from_millis(50);

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

/// The migrations that are missing. Fails if one that was applied has changed, or is newer than this program.
fn missing(applied: &[(i64, String)]) -> Result<Vec<Migration>, StoreError> {
    let all = FILES.map(Migration::of);
    for (version, checksum) in applied {
        match all.iter().find(|known| known.version == *version) {
            Some(known) if known.checksum() == *checksum => {}
            Some(_) => {
                return Err(StoreError::Migration(format!(
                    "number {version} was another one when it was applied"
                )));
            }
            None => {
                return Err(StoreError::Migration(format!(
                    "number {version} was applied by another version of cardform"
                )));
            }
        }
    }
    let is_missing = |known: &Migration| applied.iter().all(|(version, _)| *version != known.version);
    Ok(all.into_iter().filter(is_missing).collect())
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
    for migration in missing(&rows(connection, APPLIED_SQLITE)?)? {
        if migration.version <= last {
            connection.batch(migration.statements)?;
            connection.batch(&migration.note(&format!("X'{}'", migration.checksum())))?;
        }
    }
    Ok(())
}

/// The number of the newest migration that was applied to this file.
pub(super) fn last_on_sqlite(connection: &mut SqliteConnection) -> Result<Option<i64>, SqlError> {
    Ok(rows(connection, NEWEST)?.into_iter().next())
}

fn rows<T: FromRow>(connection: &mut SqliteConnection, sql: &str) -> Result<Vec<T>, SqlError> {
    let found = connection.run(&Call {
        sql,
        params: &[],
        wanted: Wanted::Rows,
    })?;
    found
        .rows
        .into_iter()
        .map(|mut row| T::from_row(&mut row))
        .collect()
}

/// Applies the missing migrations. Only PostgreSQL itself has advisory locks, so they are not used. Each migration is a
/// transaction, and the table of migrations accepts it once; a node that loses the race tries again.
pub(super) async fn on_postgres(pool: &PostgresPool) -> Result<(), StoreError> {
    let client = pool.detached().await?;
    let unlimited =
        "SET lock_timeout = 0; SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0";
    client.batch_execute(unlimited).await.map_err(SqlError::from)?;
    let mut tries = 1;
    while let Err(error) = apply_on_postgres(&client).await {
        if tries == TRIES {
            return Err(error);
        }
        tries += 1;
        // If it is in a transaction, that failed.
        let _ = client.batch_execute("ROLLBACK").await;
        sleep(PAUSE).await;
    }
    Ok(())
}

async fn apply_on_postgres(client: &DetachedClient) -> Result<(), StoreError> {
    client
        .batch_execute(TABLE_POSTGRES)
        .await
        .map_err(SqlError::from)?;
    let rows = client
        .query(APPLIED_POSTGRES, &[])
        .await
        .map_err(SqlError::from)?;
    let applied: Result<Vec<(i64, String)>, tokio_postgres::Error> = rows
        .iter()
        .map(|row| Ok((row.try_get(0)?, row.try_get(1)?)))
        .collect();
    for migration in missing(&applied.map_err(SqlError::from)?)? {
        let checksum = format!("decode('{}', 'hex')", migration.checksum());
        let statements = if migration.description.ends_with(OF_SQLITE) {
            ""
        } else {
            migration.statements
        };
        let applied = format!("BEGIN; {statements} ; {}; COMMIT", migration.note(&checksum));
        client.batch_execute(&applied).await.map_err(SqlError::from)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the library did that applied them before.
    #[test]
    fn the_first_migration_has_the_checksum_that_old_databases_have() {
        let first = Migration::of(FILES[0]);
        assert_eq!((first.version, first.description.as_str()), (1, "charges"));
        assert_eq!(
            first.checksum(),
            "538447d553a739924777694c6a5b01277f8efa72522d821a675b103ea12eec19daa9a7dc0aafcd2148293ce24f38e77c"
        );
    }

    #[test]
    fn every_file_of_the_folder_is_listed_in_order() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort();
        assert_eq!(files, FILES.map(|(name, _)| name));
    }

    #[test]
    fn a_changed_or_newer_migration_is_an_error() {
        let first = Migration::of(FILES[0]);
        assert_eq!(missing(&[(1, first.checksum())]).unwrap().len(), FILES.len() - 1);
        assert!(missing(&[(1, "00".to_owned())]).is_err());
        assert!(missing(&[(9_999, first.checksum())]).is_err());
    }
}
