//! The kinds of database, a SQLite file or a PostgreSQL server, and how to connect to each.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::{Duration, Instant};

use sqlx::any::{AnyConnectOptions, AnyPoolOptions};
use sqlx::error::DatabaseError;
use sqlx::migrate::Migrator;
use sqlx::{AnyPool, ConnectOptions, Connection, Executor};
use url::Url;

use super::{StoreError, migrations};

/// How long a connection to PostgreSQL may take, and how long a request waits for a free one.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How many connections a node holds to PostgreSQL at most, if the settings do not say.
const CONNECTIONS_MAX: u32 = 16;
/// Settings of each connection to PostgreSQL: the waits for a locked row and for a statement are shorter than shoppers'
/// patience, and a transaction whose node is gone releases its rows. Migrations have no limit.
const POSTGRES_SETTINGS: &str = "SET lock_timeout = '5s'; SET statement_timeout = '20s'; \
     SET idle_in_transaction_session_timeout = '30s'";
/// The server closes a connection whose node is gone. Not every database that speaks PostgreSQL's protocol has this
/// setting.
const POSTGRES_NETWORK_SETTING: &str = "SET tcp_user_timeout = '10s'";
/// A connection to PostgreSQL is not used longer than this, so that all connections move to a server that took over.
const CONNECTION_AGE_MAX: Duration = Duration::from_mins(30);
/// A connection that was idle for this long is tested before use, because the server may be gone. One that was used
/// just now is not tested, because that would cost a round trip for every statement.
const TESTED_WHEN_IDLE_FOR: Duration = Duration::from_secs(5);
/// How many SQLite connections read at the same time.
const READERS_MAX: u32 = 4;
/// How long opening a SQLite file waits for other processes that also open it, and the pause between tries.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
const BUSY_PAUSE: Duration = Duration::from_millis(20);
/// `SQLITE_BUSY`; an extended code has it in its lowest byte.
const SQLITE_BUSY: u32 = 5;
/// The permissions of SQLite's files.
const OWNER_ALONE: u32 = 0o600;
/// How often migrating PostgreSQL is tried while other nodes migrate, too: at each try one more of their migrations is
/// done.
const MIGRATION_TRIES: u32 = 10;

/// Settings of each connection to SQLite. It waits for another process's transaction instead of failing. The
/// write-ahead log lets others read during a write. A charge that was answered survives a power failure. Deleted data
/// is overwritten, because the data key of a removed card must not stay in free pages.
const SQLITE_SETTINGS: &str = "PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; \
     PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON;";

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
    /// The connection that writes, or on PostgreSQL the pool of all connections.
    pub(super) async fn writer(&self, connections: Option<u32>) -> Result<AnyPool, StoreError> {
        match self {
            Self::Sqlite(file) => {
                prepare(file).await?;
                sqlite(file, 1).await
            }
            Self::Postgres(url) => postgres(url, connections.unwrap_or(CONNECTIONS_MAX)).await,
        }
    }

    /// The connection of the readiness check, so that the check does not wait for others; on SQLite the writer does
    /// this.
    pub(super) async fn health(&self) -> Result<Option<AnyPool>, StoreError> {
        match self {
            Self::Sqlite(_) => Ok(None),
            Self::Postgres(url) => postgres(url, 1).await.map(Some),
        }
    }

    /// The connections that read; on PostgreSQL `writer` does both.
    pub(super) async fn readers(
        &self,
        writer: &AnyPool,
        connections: Option<u32>,
    ) -> Result<AnyPool, StoreError> {
        match self {
            Self::Sqlite(file) => sqlite(file, connections.unwrap_or(READERS_MAX)).await,
            Self::Postgres(_) => Ok(writer.clone()),
        }
    }

    /// Whether the database exists and has our tables. Nothing is created.
    pub(super) async fn must_exist(&self) -> Result<(), StoreError> {
        let to = match self {
            Self::Sqlite(file) if !file.is_file() => return Err(StoreError::Missing),
            Self::Sqlite(file) => connect_options(&sqlite_url(file)?)?,
            Self::Postgres(url) => connect_options(url)?,
        };
        let mut connection = to.connect().await?;
        let found = connection.execute("SELECT 1 FROM _sqlx_migrations LIMIT 1").await;
        connection.close().await?;
        match found {
            Ok(_) => Ok(()),
            // `no such table`, and PostgreSQL's code for it.
            Err(sqlx::Error::Database(error))
                if error.code().as_deref() == Some("42P01") || error.message().contains("no such table") =>
            {
                Err(StoreError::Missing)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Applies the missing migrations. If several nodes start at the same time, each migration is applied by one of
    /// them.
    pub(super) async fn migrate(&self, writer: &AnyPool) -> Result<(), StoreError> {
        self.apply(migrations::all(), writer).await
    }

    async fn apply(&self, mut migrations: Migrator, writer: &AnyPool) -> Result<(), StoreError> {
        match self {
            // All in one transaction that takes the write lock first: the other nodes wait and find it done.
            Self::Sqlite(_) => {
                let mut tx = writer.begin_with("BEGIN IMMEDIATE").await?;
                migrations.run(&mut *tx).await?;
                Ok(tx.commit().await?)
            }
            // Only PostgreSQL has advisory locks, so they are not used. Each migration is a transaction, and the
            // migrations table accepts it once; a node that loses the race tries again.
            Self::Postgres(_) => {
                migrations.set_locking(false);
                let mut tries = 1;
                let mut connection = writer.acquire().await?.detach();
                let unlimited = "SET lock_timeout = 0; SET statement_timeout = 0; \
                     SET idle_in_transaction_session_timeout = 0";
                connection.execute(unlimited).await?;
                while let Err(error) = migrations.run(&mut connection).await {
                    if tries == MIGRATION_TRIES {
                        return Err(error.into());
                    }
                    tries += 1;
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                Ok(connection.close().await?)
            }
        }
    }
}

/// A pool without sqlx's maintenance task. That task counts the idle connections while the pool is in use. If it reads
/// the count between the return of a connection and its next use, the count is 2⁶⁴; the task then uses a processor for
/// ever and keeps the service from stopping (sqlx 0.9.0).
fn pool_without_maintenance(connections: u32) -> AnyPoolOptions {
    AnyPoolOptions::new()
        .max_connections(connections)
        .min_connections(0)
        .idle_timeout(None)
        .max_lifetime(None)
}

async fn sqlite(file: &Path, connections: u32) -> Result<AnyPool, StoreError> {
    let options = pool_without_maintenance(connections)
        // A file needs no test before use.
        .test_before_acquire(false)
        .after_connect(|connection, _| {
            Box::pin(async move { connection.execute(SQLITE_SETTINGS).await.map(|_| ()) })
        });
    Ok(options.connect_with(connect_options(&sqlite_url(file)?)?).await?)
}

async fn postgres(url: &Url, connections: u32) -> Result<AnyPool, StoreError> {
    let to = connect_options(url)?;
    // The pool would retry a server that refuses until its timeout; connecting once tells the operator at once.
    to.connect().await?.close().await?;
    let options = pool_without_maintenance(connections)
        .acquire_timeout(CONNECT_TIMEOUT)
        .after_connect(|connection, _| {
            Box::pin(async move {
                connection.execute(POSTGRES_SETTINGS).await?;
                let _ = connection.execute(POSTGRES_NETWORK_SETTING).await;
                Ok(())
            })
        })
        .test_before_acquire(false)
        .before_acquire(|connection, known| {
            Box::pin(async move {
                if known.idle_for > TESTED_WHEN_IDLE_FOR {
                    connection.ping().await?;
                }
                // An older connection is closed and replaced.
                Ok(known.age < CONNECTION_AGE_MAX)
            })
        });
    Ok(options.connect_with(to).await?)
}

fn connect_options(url: &Url) -> Result<AnyConnectOptions, StoreError> {
    static DRIVERS: Once = Once::new();
    DRIVERS.call_once(sqlx::any::install_default_drivers);
    Ok(AnyConnectOptions::from_url(url)?.disable_statement_logging())
}

/// Creates the file, if it is missing, and its write-ahead log. For the log SQLite needs the file for itself and does
/// not use the busy timeout, so when several nodes start together the others retry here. An unusable file is also
/// reported at once; the pool would retry until its timeout.
async fn prepare(file: &Path) -> Result<(), StoreError> {
    make_private(file);
    let to = connect_options(&sqlite_url(file)?)?;
    let deadline = Instant::now() + BUSY_TIMEOUT;
    loop {
        let mut connection = to.connect().await?;
        let set = connection.execute(SQLITE_SETTINGS).await;
        connection.close().await?;
        match set {
            Err(error) if is_busy(&error) && Instant::now() < deadline => {
                tokio::time::sleep(BUSY_PAUSE).await;
            }
            set => return Ok(set.map(|_| ())?),
        }
    }
}

/// Creates the file, if it is missing, so that only its owner can read it; SQLite gives the files beside it the same
/// permissions. The permissions of files of earlier versions are corrected.
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

/// Whether another process holds the database now (`SQLITE_BUSY` or one of its extended codes).
fn is_busy(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(DatabaseError::code);
    code.and_then(|code| code.parse::<u32>().ok())
        .is_some_and(|code| code & 0xff == SQLITE_BUSY)
}

/// The file as a URL for the driver: everything except letters, digits and the signs of a plain path is escaped.
fn sqlite_url(file: &Path) -> Result<Url, StoreError> {
    use std::fmt::Write as _;

    let path = file.to_str().ok_or(StoreError::FileName)?;
    let mut url = String::from("sqlite:");
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' => url.push(char::from(byte)),
            // Writing to a `String` cannot fail.
            other => drop(write!(url, "%{other:02X}")),
        }
    }
    url.push_str("?mode=rwc");
    Url::parse(&url).map_err(|_| StoreError::FileName)
}

#[cfg(test)]
mod tests;
