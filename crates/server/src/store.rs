//! What is durable: merchants, charges, attempts and keys, in SQLite. Knows no HTTP. One file per entity; each file's
//! functions are the seam behind which another database can stand.

mod attempt;
mod attempt_count;
mod charge;
mod creation;
mod partner;
mod saved_card;
mod saved_card_keys;
mod shopper_action;
mod signing_key;
mod webhook_endpoint;
mod webhook_event;
mod webhook_replay;

use std::path::Path;
use std::time::{Duration, Instant};

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};
use sqlx::{ConnectOptions, Sqlite, Transaction};
use thiserror::Error;

use crate::charges::state::IllegalTransition;

pub use attempt::{Attempt, AttemptOutcome, AttemptState, Begun, Finished, NewAttempt};
pub use attempt_count::AttemptCount;
pub use charge::{Charge, Status};
pub use creation::{Creation, CreationKey, Recorded};
pub use partner::Partner;
pub use saved_card::{CardOwner, Page, PayableCard, PendingCard, SavedCard, SealedNumber};
pub use saved_card_keys::{OtherlyKeyedCard, Rewrapping};
pub use shopper_action::Waiting;
pub use signing_key::StoredSigningKey;
pub use webhook_endpoint::WebhookEndpoint;
pub use webhook_event::{DueEvent, Sent};
pub use webhook_replay::{ListedEvent, Which};

static MIGRATIONS: Migrator = sqlx::migrate!("./migrations");

/// How long a writer waits for another process's transaction.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// How long between two attempts to open a database that another process is just making.
const BUSY_PAUSE: Duration = Duration::from_millis(20);
/// SQLite's result code for a database that another process holds.
const SQLITE_BUSY: u32 = 5;
/// How many reads go on at once.
const READERS_MAX: u32 = 4;

/// The database. Cheap to clone.
///
/// SQLite lets one connection write at a time. All writes of this process therefore queue for the one `writer` instead
/// of polling for the lock; other processes are waited for with the busy timeout.
#[derive(Debug, Clone)]
pub struct Store {
    writer: SqlitePool,
    readers: SqlitePool,
}

/// What can go wrong with the database.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The database cannot be opened, or a statement failed.
    #[error("database: {0}")]
    Database(#[from] sqlx::Error),
    /// The migrations cannot be applied.
    #[error("migrations: {0}")]
    Migration(#[from] MigrateError),
    /// A row holds what this version does not understand.
    #[error("the database holds an unusable {0}")]
    Unusable(&'static str),
    /// The row changed between reading and writing, by another process.
    #[error("the {0} was changed by another process at the same time")]
    Conflict(&'static str),
    /// The charge's state does not allow it.
    #[error(transparent)]
    IllegalTransition(#[from] IllegalTransition),
}

impl Store {
    /// Opens the database file, makes it when it is missing, and applies the migrations.
    pub async fn open(file: &Path) -> Result<Self, StoreError> {
        let options = SqliteConnectOptions::new()
            .filename(file)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            // A charge that was answered must survive the loss of power.
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            // What is removed is overwritten: a removed card's data key must not lie about in free pages.
            .pragma("secure_delete", "ON")
            .busy_timeout(BUSY_TIMEOUT)
            .disable_statement_logging();
        let writer = connect_writer(&options).await?;
        // In one transaction that takes the write lock first: of several nodes that start at once one migrates, and
        // the others wait and find it done.
        let mut migration = writer.begin_with("BEGIN IMMEDIATE").await?;
        MIGRATIONS.run(&mut *migration).await?;
        migration.commit().await?;
        let readers = SqlitePoolOptions::new()
            .max_connections(READERS_MAX)
            .connect_with(options)
            .await?;
        Ok(Self { writer, readers })
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<(), StoreError> {
        sqlx::query("SELECT 1").execute(&self.readers).await?;
        Ok(())
    }

    /// Closes all connections, which writes the log back into the database file.
    pub async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }

    /// A transaction that takes the write lock at once, so that what it reads stays true until it commits.
    async fn write(&self) -> Result<Transaction<'static, Sqlite>, StoreError> {
        Ok(self.writer.begin_with("BEGIN IMMEDIATE").await?)
    }
}

/// The one connection that writes. Whoever opens a new database switches it to a write-ahead log, for which SQLite wants
/// it alone and refuses at once, without the busy timeout: of several nodes that start together the others try again.
async fn connect_writer(options: &SqliteConnectOptions) -> Result<SqlitePool, sqlx::Error> {
    let deadline = Instant::now() + BUSY_TIMEOUT;
    loop {
        let connecting = SqlitePoolOptions::new()
            .max_connections(1)
            .connect_with(options.clone());
        match connecting.await {
            Err(error) if is_busy(&error) && Instant::now() < deadline => {
                tokio::time::sleep(BUSY_PAUSE).await;
            }
            connected => return connected,
        }
    }
}

/// Whether another process holds the database at this moment (`SQLITE_BUSY` or one of its extended codes).
fn is_busy(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    code.and_then(|code| code.parse::<u32>().ok())
        .is_some_and(|code| code & 0xff == SQLITE_BUSY)
}
