//! The kinds of database, a SQLite file or a PostgreSQL server, and how to connect to each.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use url::Url;

use super::group_commit::GroupCommit;
use super::migrations::TableState;
use super::sql::counts::WorkCounter;
use super::sql::postgres::{PostgresPool, Transport, transport};
use super::sql::sqlite::{BUSY_TIMEOUT, SqliteConnection, SqliteReaders, blocking};
use super::sql::{FromRow, Query, SqlError, query};
use super::write::{Readers, Writer};
use super::{StoreError, migrations, triggers};

/// How many connections a node holds to PostgreSQL at most, if the settings do not say.
const CONNECTIONS_MAX: u32 = 16;
/// How many SQLite connections read at the same time.
const READERS_MAX: u32 = 4;
/// The pause between tries to open a SQLite file that other processes also open.
const BUSY_PAUSE: Duration = Duration::from_millis(20);
/// The permissions of SQLite's files.
const OWNER_ALONE: u32 = 0o600;

/// The place of the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Database {
    /// A file, which is created if it is missing.
    Sqlite(PathBuf),
    /// `postgres://user:password@host/name`.
    Postgres(Url),
}

/// For logs and error messages: without the password, and without parameters, which could have one.
impl fmt::Display for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(file) => file.display().fmt(f),
            Self::Postgres(url) => {
                let host = url.host_str().unwrap_or("localhost");
                write!(f, "postgres://{host}{}", url.path())
            }
        }
    }
}

impl Database {
    /// Opens the database and applies the missing migrations. What writes, and what reads.
    pub(super) async fn open(
        &self,
        connections: Option<u32>,
        work: &WorkCounter,
    ) -> Result<(Writer, Readers), StoreError> {
        match self {
            Self::Sqlite(file) => {
                let connection = {
                    let file = file.clone();
                    blocking(move || {
                        let mut connection = prepare(&file)?;
                        migrations::on_sqlite(&mut connection, migrations::LAST)?;
                        triggers::on_sqlite(&connection)?;
                        Ok::<_, StoreError>(connection)
                    })
                    .await??
                };
                let readers = SqliteReaders::new(file, connections.unwrap_or(READERS_MAX), work.clone())?;
                let writer = connection.counting(work.clone());
                Ok((
                    Writer::Sqlite(GroupCommit::new(writer, work.clone())?),
                    Readers::Sqlite(readers),
                ))
            }
            Self::Postgres(url) => {
                let pool =
                    PostgresPool::connect(url, connections.unwrap_or(CONNECTIONS_MAX), work.clone()).await?;
                check_encoding(&pool).await?;
                migrations::on_postgres(&pool).await?;
                triggers::on_postgres(&pool).await;
                Ok((Writer::Postgres(pool.clone()), Readers::Postgres(pool)))
            }
        }
    }

    /// How safe the connection is.
    pub fn transport(&self) -> Transport {
        match self {
            Self::Sqlite(_) => Transport::Private,
            Self::Postgres(url) => transport(url),
        }
    }

    /// The connection of the readiness check, so that the check does not wait for others; on SQLite the writer does
    /// this.
    pub(super) async fn health(&self) -> Result<Option<PostgresPool>, StoreError> {
        match self {
            Self::Sqlite(_) => Ok(None),
            Self::Postgres(url) => Ok(Some(PostgresPool::connect(url, 1, WorkCounter::default()).await?)),
        }
    }

    /// Fails with [`StoreError::Missing`] unless there is a database with our tables. Nothing is created.
    pub async fn must_exist(&self) -> Result<(), StoreError> {
        let found: Result<Option<i64>, SqlError> = match self {
            Self::Sqlite(file) if !file.is_file() => return Err(StoreError::Missing),
            Self::Sqlite(file) => {
                let file = file.clone();
                blocking(move || migrations::last_on_sqlite(&mut SqliteConnection::read(&file)?)).await?
            }
            Self::Postgres(url) => {
                let pool = PostgresPool::connect(url, 1, WorkCounter::default()).await?;
                query(migrations::NEWEST).fetch_optional(&pool).await
            }
        };
        match found {
            Ok(_) => Ok(()),
            Err(error) if error.is_missing_table() => Err(StoreError::Missing),
            Err(error) => Err(error.into()),
        }
    }

    /// How many addresses tried to pay lately, and how many attempts are counted. Nothing is changed.
    pub async fn addresses_of_attempts(&self) -> Result<(i64, i64), StoreError> {
        let counts = query(
            "SELECT COUNT(DISTINCT CASE WHEN subject LIKE 'address %' THEN subject END), \
             CAST(COALESCE(SUM(CASE WHEN subject LIKE 'partner %' THEN attempts ELSE 0 END), 0) AS BIGINT) \
             FROM attempt_counts",
        );
        self.only_row(counts).await
    }

    /// Whether there is a merchant. A database without tables has none. Nothing is changed.
    pub async fn has_merchants(&self) -> Result<bool, StoreError> {
        match self.must_exist().await {
            Err(StoreError::Missing) => Ok(false),
            Err(error) => Err(error),
            Ok(()) => {
                let merchants: i64 = self.only_row(query("SELECT COUNT(*) FROM partners")).await?;
                Ok(merchants > 0)
            }
        }
    }

    /// Reads with a connection of its own.
    async fn only_row<T: FromRow + Send + 'static>(&self, query: Query<'static>) -> Result<T, StoreError> {
        match self {
            Self::Sqlite(file) => {
                let file = file.clone();
                let read = move || Ok(SqliteConnection::read(&file)?.run(&query)?.rows.pop());
                blocking(read)
                    .await?
                    .and_then(|row| row.ok_or(SqlError::NoRow.into()))
            }
            Self::Postgres(url) => {
                let pool = PostgresPool::connect(url, 1, WorkCounter::default()).await?;
                Ok(query.fetch_one(&pool).await?)
            }
        }
    }

    /// Compares the tables with those of this program. Nothing is changed.
    pub async fn table_state(&self) -> Result<TableState, StoreError> {
        self.must_exist().await?;
        match self {
            Self::Sqlite(file) => {
                let file = file.clone();
                blocking(move || migrations::state_on_sqlite(&mut SqliteConnection::read(&file)?)).await?
            }
            Self::Postgres(url) => {
                let pool = PostgresPool::connect(url, 1, WorkCounter::default()).await?;
                migrations::state_on_postgres(&pool).await
            }
        }
    }
}

/// Refuses a database that cannot store every name.
async fn check_encoding(pool: &PostgresPool) -> Result<(), StoreError> {
    let encoding: String = query("SHOW server_encoding").fetch_one(pool).await?;
    if encoding == "UTF8" {
        return Ok(());
    }
    let text =
        format!("the database's encoding is {encoding}; it must be UTF8 (CREATE DATABASE … ENCODING 'UTF8')");
    Err(SqlError::Settings(text).into())
}

/// Opens a SQLite file for its owner alone. SQLite fails at once if two processes set the journal mode at the same time,
/// so this tries again.
fn prepare(file: &Path) -> Result<SqliteConnection, SqlError> {
    make_private(file);
    let deadline = Instant::now() + BUSY_TIMEOUT;
    loop {
        match SqliteConnection::create(file) {
            Err(error) if error.is_busy() && Instant::now() < deadline => std::thread::sleep(BUSY_PAUSE),
            opened => return opened,
        }
    }
}

fn make_private(file: &Path) {
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};

    // If this fails, SQLite reports the error.
    let _ = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(OWNER_ALONE)
        .open(file);
    for end in ["", "-wal", "-shm"] {
        let mut path = file.as_os_str().to_owned();
        path.push(end);
        let is_open = std::fs::metadata(&path)
            .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o777 & !OWNER_ALONE != 0);
        if is_open
            && let Err(cause) = std::fs::set_permissions(&path, std::fs::Permissions::from_mode(OWNER_ALONE))
        {
            tracing::warn!(%cause, file = %Path::new(&path).display(), "others on this machine can read the database");
        }
    }
}

#[cfg(test)]
mod tests;
