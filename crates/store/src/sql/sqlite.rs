//! Connections to a SQLite file.

#[cfg(debug_assertions)]
mod large_tables;

use std::path::{Path, PathBuf};
use std::time::Duration;

use deadpool::managed::{Manager, Metrics, Object, Pool, QueueMode, RecycleResult};
use rusqlite::OpenFlags;
use rusqlite::config::DbConfig;
use rusqlite::types::FromSql;

use super::counts::{PoolState, WorkCounter};
use super::row::{FromRow, SqlRow};
use super::{Executor, Param, Query, SqlAnswer, SqlError};

/// How long a statement waits for another process's transaction.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// How many statements a connection keeps ready.
const STATEMENTS_MAX: usize = 200;

/// Settings of each connection. The write-ahead log lets others read during a write. A charge that was answered survives
/// a power failure. Deleted data is overwritten, because the data key of a removed card must not stay in free pages. The
/// log grows while a long reader needs its beginning, and is cut to this size afterwards.
const SETTINGS: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; \
     PRAGMA secure_delete = ON; PRAGMA journal_size_limit = 16777216;";

/// An open connection.
#[derive(Debug)]
pub(crate) struct SqliteConnection {
    connection: rusqlite::Connection,
    work: WorkCounter,
    /// The statements whose plans were checked.
    #[cfg(debug_assertions)]
    checked: std::collections::HashSet<std::borrow::Cow<'static, str>>,
}

impl SqliteConnection {
    /// Opens the file, and creates it if it is missing. This can wait for other processes.
    pub(crate) fn create(file: &Path) -> Result<Self, SqlError> {
        let opened = Self::open_as(
            file,
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        )?;
        opened.batch(SETTINGS)?;
        Ok(opened)
    }

    /// Opens an existing file. This can wait for other processes.
    pub(crate) fn open(file: &Path) -> Result<Self, SqlError> {
        let opened = Self::read(file)?;
        opened.batch(SETTINGS)?;
        Ok(opened)
    }

    /// Opens an existing file, perhaps of another program, and changes nothing in it.
    pub(crate) fn read(file: &Path) -> Result<Self, SqlError> {
        Self::open_as(file, OpenFlags::SQLITE_OPEN_READ_WRITE)
    }

    /// Opens a file that no process uses, only to read it.
    pub(crate) fn look(file: &Path) -> Result<Self, SqlError> {
        Self::open_as(file, OpenFlags::SQLITE_OPEN_READ_ONLY)
    }

    fn open_as(file: &Path, flags: OpenFlags) -> Result<Self, SqlError> {
        // Without SQLite's own lock, because the compiler ensures that one thread uses a connection at a time.
        let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX | flags;
        let connection = rusqlite::Connection::open_with_flags(file, flags)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
        // The plan of a statement never depends on its values. Otherwise SQLite would prepare some statements again for
        // each new value.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        Ok(Self {
            connection,
            work: WorkCounter::default(),
            #[cfg(debug_assertions)]
            checked: std::collections::HashSet::new(),
        })
    }

    /// Counts its statements from now on.
    pub(crate) fn counting(self, work: WorkCounter) -> Self {
        Self { work, ..self }
    }

    /// Whether statements wait for another process's transaction. Otherwise they fail at once.
    pub(crate) fn waits(&self, waits: bool) -> Result<(), SqlError> {
        let timeout = if waits { BUSY_TIMEOUT } else { Duration::ZERO };
        Ok(self.connection.busy_timeout(timeout)?)
    }

    /// Whether a transaction is open.
    pub(crate) fn is_in_transaction(&self) -> bool {
        !self.connection.is_autocommit()
    }

    /// Runs several statements without parameters.
    pub(crate) fn batch(&self, sql: &str) -> Result<(), SqlError> {
        Ok(self.connection.execute_batch(sql)?)
    }

    /// Runs a frequent statement without parameters.
    pub(crate) fn step(&self, sql: &'static str) -> Result<(), SqlError> {
        self.connection.prepare_cached(sql)?.raw_execute()?;
        Ok(())
    }

    /// The first value of a statement without parameters. The statement may read whole tables.
    pub(crate) fn first<T: FromSql>(&self, sql: &str) -> Result<T, SqlError> {
        Ok(self.connection.query_row(sql, [], |row| row.get(0))?)
    }

    /// Runs a statement on this thread.
    pub(crate) fn run<T: FromRow>(&mut self, query: &Query<'_>) -> Result<SqlAnswer<T>, SqlError> {
        self.work.statement();
        #[cfg(debug_assertions)]
        if self.checked.insert(query.sql.clone()) {
            large_tables::check(&self.connection, &query.sql);
        }
        let mut statement = self.connection.prepare_cached(&query.sql)?;
        // SQLite takes `$2` for a name, and numbers the names in the order in which they stand in the statement.
        for place in 1..=statement.parameter_count() {
            let name = statement.parameter_name(place).unwrap_or_default();
            let number = name
                .strip_prefix('$')
                .and_then(|number| number.parse::<usize>().ok());
            let param = number.and_then(|number| query.params.get(number.checked_sub(1)?));
            match param.ok_or(SqlError::NoValue)? {
                Param::Int(number) => statement.raw_bind_parameter(place, number)?,
                Param::Text(text) => statement.raw_bind_parameter(place, text)?,
            }
        }
        let (mut rows, mut changes) = (Vec::new(), 0);
        if statement.column_count() == 0 {
            changes = statement.raw_execute()? as u64;
        } else {
            let mut found = statement.raw_query();
            while let Some(row) = found.next()? {
                rows.push(SqlRow::Sqlite(row).read()?);
            }
        }
        Ok(SqlAnswer { rows, changes })
    }
}

/// Connections that read, opened when they are needed. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct SqliteReaders(Pool<Opener>);

/// Opens connections that read.
#[derive(Debug)]
pub(crate) struct Opener {
    file: PathBuf,
    work: WorkCounter,
}

impl Manager for Opener {
    type Type = SqliteConnection;
    type Error = SqlError;

    async fn create(&self) -> Result<SqliteConnection, SqlError> {
        let file = self.file.clone();
        let opened = blocking(move || SqliteConnection::open(&file)).await??;
        Ok(opened.counting(self.work.clone()))
    }

    async fn recycle(&self, _: &mut SqliteConnection, _: &Metrics) -> RecycleResult<SqlError> {
        Ok(())
    }
}

impl SqliteReaders {
    /// At most so many connections to this file.
    pub(crate) fn new(file: &Path, connections: u32, work: WorkCounter) -> Result<Self, SqlError> {
        let file = file.to_owned();
        let pool = Pool::builder(Opener { file, work })
            .max_size(usize::try_from(connections).unwrap_or(1).max(1))
            .queue_mode(QueueMode::Lifo)
            .build();
        pool.map(Self)
            .map_err(|cause| SqlError::Settings(cause.to_string()))
    }

    /// Closes the idle connections, and opens no others.
    pub(crate) async fn close(&self) {
        let pool = self.0.clone();
        blocking(move || pool.close()).await.ok();
    }

    /// How busy the connections are.
    pub(crate) fn state(&self) -> PoolState {
        self.0.status().into()
    }

    /// A connection that is not used.
    pub(crate) async fn take(&self) -> Result<Object<Opener>, SqlError> {
        Ok(self.0.get().await?)
    }
}

impl Executor for &SqliteReaders {
    async fn run<T: FromRow>(self, query: &Query<'_>) -> Result<SqlAnswer<T>, SqlError> {
        let mut connection = self.take().await?;
        if !query.reads_many {
            return connection.run(query);
        }
        let query = query.clone().into_owned();
        blocking(move || connection.run(&query)).await?
    }
}

/// Runs this on a thread for work that blocks.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, SqlError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|_| SqlError::Thread)
}

#[cfg(test)]
mod tests;
