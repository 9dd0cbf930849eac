//! Connections to a SQLite file.

#[cfg(debug_assertions)]
mod large_tables;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use deadpool::managed::{Manager, Metrics, Object, Pool, QueueMode, RecycleResult};
use rusqlite::config::DbConfig;
use rusqlite::types::{FromSql, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{OpenFlags, params_from_iter};

use super::counts::{PoolState, WorkCounter};
use super::row::Value;
use super::{Executor, Param, Query, SqlAnswer, SqlError, SqlRow};

/// How long a statement waits for another process's transaction.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// How many statements a connection keeps ready.
const STATEMENTS_MAX: usize = 200;

/// Settings of each connection. The write-ahead log lets others read during a write. A charge that was answered survives
/// a power failure. Deleted data is overwritten, because the data key of a removed card must not stay in free pages.
const SETTINGS: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; \
     PRAGMA secure_delete = ON;";

/// An open connection.
#[derive(Debug)]
pub(crate) struct SqliteConnection {
    connection: rusqlite::Connection,
    work: WorkCounter,
    /// The statements whose plan was checked.
    #[cfg(debug_assertions)]
    checked: std::collections::HashSet<String>,
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

    /// Opens a file that there is. This can wait for other processes.
    pub(crate) fn open(file: &Path) -> Result<Self, SqlError> {
        let opened = Self::read(file)?;
        opened.batch(SETTINGS)?;
        Ok(opened)
    }

    /// Opens a file that there is, which may be another program's, and changes nothing of it.
    pub(crate) fn read(file: &Path) -> Result<Self, SqlError> {
        Self::open_as(file, OpenFlags::SQLITE_OPEN_READ_WRITE)
    }

    /// Opens a file that no process uses, only to look at it.
    pub(crate) fn look(file: &Path) -> Result<Self, SqlError> {
        Self::open_as(file, OpenFlags::SQLITE_OPEN_READ_ONLY)
    }

    fn open_as(file: &Path, flags: OpenFlags) -> Result<Self, SqlError> {
        // Without SQLite's own lock: the compiler sees to it that one thread uses a connection at a time.
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

    /// Whether statements wait for another process's transaction, or fail at once.
    pub(crate) fn waits(&self, waits: bool) -> Result<(), SqlError> {
        let timeout = if waits { BUSY_TIMEOUT } else { Duration::ZERO };
        Ok(self.connection.busy_timeout(timeout)?)
    }

    /// Whether a transaction is open.
    pub(crate) fn is_in_transaction(&self) -> bool {
        !self.connection.is_autocommit()
    }

    /// Runs several statements without values.
    pub(crate) fn batch(&self, sql: &str) -> Result<(), SqlError> {
        Ok(self.connection.execute_batch(sql)?)
    }

    /// Runs a statement without values that runs often.
    pub(crate) fn step(&self, sql: &'static str) -> Result<(), SqlError> {
        self.connection.prepare_cached(sql)?.raw_execute()?;
        Ok(())
    }

    /// The first value that a statement without values gives. It may read whole tables.
    pub(crate) fn first<T: FromSql>(&self, sql: &str) -> Result<T, SqlError> {
        Ok(self.connection.query_row(sql, [], |row| row.get(0))?)
    }

    /// Runs a statement on this thread.
    pub(crate) fn run(&mut self, query: &Query<'_>) -> Result<SqlAnswer, SqlError> {
        self.work.statement();
        // SQLite numbers `$1` and `$2` in the order in which they stand in the statement, but `?1` and `?2` as they say.
        let sql = query.sql.replace('$', "?");
        #[cfg(debug_assertions)]
        if self.checked.insert(sql.clone()) {
            large_tables::check(&self.connection, &sql);
        }
        let mut statement = self.connection.prepare_cached(&sql)?;
        let params = params_from_iter(&query.params);
        if statement.column_count() == 0 {
            return Ok(SqlAnswer {
                changes: statement.execute(params)? as u64,
                ..SqlAnswer::default()
            });
        }
        let names: Arc<[String]> = statement.column_names().map(str::to_owned).collect();
        let mut found = statement.query(params)?;
        let mut answer = SqlAnswer::default();
        while let Some(row) = found.next()? {
            let values: Result<Vec<Value>, SqlError> = (0..names.len()).map(|at| Ok(row.get(at)?)).collect();
            answer.rows.push(SqlRow::new(Arc::clone(&names), values?));
        }
        Ok(answer)
    }
}

impl ToSql for Param<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match self {
            Self::Int(number) => number.to_sql(),
            Self::Text(text) => Ok(ToSqlOutput::Borrowed(
                text.as_deref().map_or(ValueRef::Null, ValueRef::from),
            )),
        }
    }
}

impl FromSql for Value {
    fn column_result(value: ValueRef<'_>) -> rusqlite::types::FromSqlResult<Self> {
        match value {
            ValueRef::Null => Ok(Self::Null),
            ValueRef::Integer(number) => Ok(Self::Int(number)),
            other => String::column_result(other).map(Self::Text),
        }
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
    async fn run(self, query: &Query<'_>) -> Result<SqlAnswer, SqlError> {
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
mod tests {
    use rusqlite::StatementStatus;

    use super::*;

    #[test]
    fn a_statement_is_prepared_once_for_all_values() {
        let dir = tempfile::tempdir().unwrap();
        let connection = SqliteConnection::create(&dir.path().join("a.db")).unwrap();
        connection
            .batch("CREATE TABLE t (at BIGINT); CREATE INDEX t_at ON t (at)")
            .unwrap();
        let mut statement = connection
            .connection
            .prepare("SELECT at FROM t WHERE at BETWEEN ?1 AND ?2 LIMIT ?3")
            .unwrap();
        for number in 0..3_i64 {
            let rows = statement.query([number, number + 5, number]).unwrap();
            drop(rows.mapped(|row| row.get::<_, i64>(0)).collect::<Vec<_>>());
        }
        assert_eq!(statement.get_status(StatementStatus::RePrepare), 0);
    }
}
