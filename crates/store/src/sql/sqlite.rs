//! Connections to a SQLite file.

mod known_statement;
#[cfg(debug_assertions)]
mod large_tables;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::types::{FromSql, ValueRef};
use rusqlite::{OpenFlags, Statement};
use rustc_hash::FxHashMap;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use self::known_statement::KnownStatement;
use super::pool_state::PoolState;
use super::row::Value;
use super::work::WorkCounter;
use super::{Call, Executor, Param, RowInPlace, SqlAnswer, SqlError, SqlRow, Wanted};

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
    /// What was found out about each statement that ran.
    known: FxHashMap<String, Arc<KnownStatement>>,
    work: WorkCounter,
    /// The statements whose plan was checked.
    #[cfg(debug_assertions)]
    checked: std::collections::HashSet<String>,
}

impl SqliteConnection {
    /// Opens the file, and creates it if it is missing. This can wait for other processes.
    pub(crate) fn create(file: &Path) -> Result<Self, SqlError> {
        let opened = Self::with_flags(file, OpenFlags::SQLITE_OPEN_CREATE)?;
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
        Self::with_flags(file, OpenFlags::empty())
    }

    /// Opens a file that nobody uses, only to look at it.
    pub(crate) fn look(file: &Path) -> Result<Self, SqlError> {
        Self::open_as(file, OpenFlags::SQLITE_OPEN_READ_ONLY)
    }

    /// The first value that a statement without values gives. It may read whole tables.
    pub(crate) fn first<T: FromSql>(&self, sql: &str) -> Result<T, SqlError> {
        Ok(self.connection.query_row(sql, [], |row| row.get(0))?)
    }

    fn with_flags(file: &Path, more: OpenFlags) -> Result<Self, SqlError> {
        Self::open_as(file, OpenFlags::SQLITE_OPEN_READ_WRITE | more)
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
            known: FxHashMap::default(),
            work: WorkCounter::default(),
            #[cfg(debug_assertions)]
            checked: std::collections::HashSet::new(),
        })
    }

    /// Counts what it does from now on.
    pub(crate) fn counting(self, work: WorkCounter) -> Self {
        Self { work, ..self }
    }

    /// Whether statements wait for another process's transaction, or fail at once.
    pub(crate) fn waits(&self, waits: bool) -> Result<(), SqlError> {
        let timeout = if waits { BUSY_TIMEOUT } else { Duration::ZERO };
        Ok(self.connection.busy_timeout(timeout)?)
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

    /// Whether a transaction is open.
    pub(crate) fn is_in_transaction(&self) -> bool {
        !self.connection.is_autocommit()
    }

    /// Runs a statement on this thread.
    pub(crate) fn run(&mut self, call: &Call<'_>) -> Result<SqlAnswer, SqlError> {
        if call.wanted == Wanted::Changes {
            let changes = self.with_statement(call, |statement, _| Ok(statement.raw_execute()?))? as u64;
            return Ok(SqlAnswer {
                rows: Vec::new(),
                changes,
            });
        }
        self.with_statement(call, |statement, names| {
            let mut rows = Vec::new();
            let mut found = statement.raw_query();
            while let Some(row) = found.next()? {
                let values: Result<Vec<Value>, SqlError> = (0..names.len())
                    .map(|at| value(row.get_ref(at)?).ok_or_else(|| SqlError::Column(at.to_string())))
                    .collect();
                rows.push(SqlRow::new(Arc::clone(names), values?));
            }
            Ok(SqlAnswer { rows, changes: 0 })
        })
    }

    /// Shows each row of the statement's on this thread, until one is not wanted any more.
    fn each_row(
        &mut self,
        call: &Call<'_>,
        mut is_wanted: impl FnMut(&RowInPlace<'_>) -> bool,
    ) -> Result<(), SqlError> {
        self.with_statement(call, |statement, _| {
            let mut found = statement.raw_query();
            while let Some(row) = found.next()? {
                if !is_wanted(&RowInPlace::Sqlite(row)) {
                    break;
                }
            }
            Ok(())
        })
    }

    /// The statement with its values, and the names of its columns.
    fn with_statement<T>(
        &mut self,
        call: &Call<'_>,
        run: impl FnOnce(&mut Statement<'_>, &Arc<[String]>) -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        self.work.statement();
        #[cfg(debug_assertions)]
        if self.checked.insert(call.sql.to_owned()) {
            large_tables::check(&self.connection, call.sql);
        }
        let mut statement = self.connection.prepare_cached(call.sql)?;
        let known = if let Some(known) = self.known.get(call.sql) {
            Arc::clone(known)
        } else {
            let known = Arc::new(KnownStatement::of(&statement)?);
            if self.known.len() >= STATEMENTS_MAX {
                self.known.clear();
            }
            self.known.insert(call.sql.to_owned(), Arc::clone(&known));
            known
        };
        known.bind(&mut statement, call.params)?;
        run(&mut statement, &known.names)
    }
}

fn value(value: ValueRef<'_>) -> Option<Value> {
    match value {
        ValueRef::Null => Some(Value::Null),
        ValueRef::Integer(number) => Some(Value::Int(number)),
        ValueRef::Text(text) => String::from_utf8(text.to_vec()).ok().map(Value::Text),
        ValueRef::Real(_) | ValueRef::Blob(_) => None,
    }
}

/// Connections that read, opened when they are needed. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct SqliteReaders {
    file: PathBuf,
    idle: Arc<Mutex<Vec<SqliteConnection>>>,
    work: WorkCounter,
    permits: Arc<Semaphore>,
    max: usize,
    waiting: Arc<AtomicUsize>,
}

/// A statement that waits for a connection. Dropping it ends the wait.
struct ConnectionWait<'a>(&'a AtomicUsize);

impl<'a> ConnectionWait<'a> {
    fn begin(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for ConnectionWait<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl SqliteReaders {
    /// At most so many connections to this file.
    pub(crate) fn new(file: &Path, connections: u32, work: WorkCounter) -> Self {
        let max = usize::try_from(connections).unwrap_or(1).max(1);
        Self {
            file: file.to_owned(),
            idle: Arc::default(),
            work,
            permits: Arc::new(Semaphore::new(max)),
            max,
            waiting: Arc::default(),
        }
    }

    /// Closes the idle connections, and opens no others.
    pub(crate) async fn close(&self) {
        self.permits.close();
        let idle = std::mem::take(&mut *self.idle.lock().unwrap_or_else(PoisonError::into_inner));
        blocking(move || drop(idle)).await.ok();
    }

    /// How busy the connections are.
    pub(crate) fn state(&self) -> PoolState {
        PoolState {
            max: self.max,
            in_use: self.max.saturating_sub(self.permits.available_permits()),
            idle: self.idle.lock().unwrap_or_else(PoisonError::into_inner).len(),
            waiting: self.waiting.load(Ordering::Relaxed),
        }
    }

    /// A connection that is not used, and the right to use it.
    pub(crate) async fn take(&self) -> Result<(OwnedSemaphorePermit, SqliteConnection), SqlError> {
        let permit = if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
            Ok(permit)
        } else {
            let _waiting = ConnectionWait::begin(&self.waiting);
            Arc::clone(&self.permits).acquire_owned().await
        };
        let permit = permit.map_err(|_| SqlError::Pool("the database is closed"))?;
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = if let Some(connection) = idle {
            connection
        } else {
            let file = self.file.clone();
            let opened = blocking(move || SqliteConnection::open(&file)).await??;
            opened.counting(self.work.clone())
        };
        Ok((permit, connection))
    }

    /// Adds each row of the statement to a sum, on a thread for work that blocks.
    pub(crate) async fn fold<T, E>(
        &self,
        call: Call<'_>,
        mut sum: T,
        mut add: impl FnMut(&mut T, &RowInPlace<'_>) -> Result<(), E> + Send + 'static,
    ) -> Result<Result<T, E>, SqlError>
    where
        T: Send + 'static,
        E: Send + 'static,
    {
        let (permit, mut connection) = self.take().await?;
        let sql = call.sql.to_owned();
        let params: Vec<_> = call.params.iter().cloned().map(Param::into_owned).collect();
        let (connection, read, added) = blocking(move || {
            let call = Call {
                sql: &sql,
                params: &params,
                wanted: Wanted::Rows,
            };
            let mut added = Ok(());
            let read = connection.each_row(&call, |row| {
                added = add(&mut sum, row);
                added.is_ok()
            });
            (connection, read, added.map(|()| sum))
        })
        .await?;
        self.put(connection);
        drop(permit);
        read.map(|()| added)
    }

    fn put(&self, connection: SqliteConnection) {
        if !self.permits.is_closed() {
            self.idle
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(connection);
        }
    }
}

impl Executor for &SqliteReaders {
    async fn run(self, call: Call<'_>) -> Result<SqlAnswer, SqlError> {
        let (permit, mut connection) = self.take().await?;
        let (connection, answer) = if call.wanted == Wanted::Rows {
            let sql = call.sql.to_owned();
            let params: Vec<_> = call.params.iter().cloned().map(Param::into_owned).collect();
            blocking(move || {
                let answer = connection.run(&Call {
                    sql: &sql,
                    params: &params,
                    wanted: Wanted::Rows,
                });
                (connection, answer)
            })
            .await?
        } else {
            let answer = connection.run(&call);
            (connection, answer)
        };
        self.put(connection);
        drop(permit);
        answer
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
