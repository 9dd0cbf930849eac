//! Group commit for SQLite's one writer: transactions that wait while a commit is written to the disk share the next
//! commit.
//!
//! Writing a commit to the disk takes longer than all statements of a payment. A transaction therefore does not commit
//! by itself: it is a part of a shared transaction. It ends, and waits. The first one opens the shared transaction and
//! spawns a task that commits it; the others are savepoints of it. That task waits for the connection behind all
//! transactions that wait already, so they join.
//!
//! A savepoint that is dropped is rolled back alone.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, OwnedMutexGuard, watch};
use tokio::task::yield_now;

use super::StoreError;
use super::sql::counts::{WorkCounter, count_lost_commit};
use super::sql::sqlite::{SqliteConnection, blocking};
use super::sql::{FromRow, Query, SqlAnswer, SqlError};

/// Pages that a savepoint has changed are kept as they were until it ends, to be restored if it is rolled back. Without
/// this setting SQLite would write each of them to a temporary file.
const UNDO_IN_MEMORY: &str = "PRAGMA temp_store = MEMORY";

/// How often, and after which pause, the log is emptied again while it is being read.
const EMPTY_LOG_TRIES: u32 = 100;
const EMPTY_LOG_PAUSE: Duration = Duration::from_millis(50);

/// The queue for the connection. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct GroupCommit {
    /// The mutex is fair: first come, first served.
    queue: Arc<Mutex<WritingConnection>>,
}

/// The connection that writes.
#[derive(Debug)]
struct WritingConnection {
    /// Absent once the store is closed.
    connection: Option<SqliteConnection>,
    /// While it is open.
    shared: Option<SharedTransaction>,
    work: WorkCounter,
}

/// The shared transaction.
#[derive(Debug)]
struct SharedTransaction {
    /// A savepoint could not be released or rolled back.
    is_lost: bool,
    /// Tells the transactions whether it is durable, once it has ended.
    ended: watch::Sender<Option<bool>>,
}

/// A transaction that shares its commit with others. Dropping it without [`GroupedTransaction::commit`] rolls it back.
#[derive(Debug)]
pub(super) struct GroupedTransaction {
    writer: OwnedMutexGuard<WritingConnection>,
    /// The first of its shared transaction, without a savepoint.
    is_first: bool,
    has_ended: bool,
}

impl GroupCommit {
    /// For the one connection that writes.
    pub(super) fn new(connection: SqliteConnection, work: WorkCounter) -> Result<Self, SqlError> {
        connection.waits(false)?;
        connection.batch(UNDO_IN_MEMORY)?;
        let writer = WritingConnection {
            connection: Some(connection),
            shared: None,
            work,
        };
        Ok(Self {
            queue: Arc::new(Mutex::new(writer)),
        })
    }

    /// Waits for the connection and begins a transaction, which sees what the earlier ones of the group wrote.
    pub(super) async fn begin(&self) -> Result<GroupedTransaction, StoreError> {
        let mut writer = Arc::clone(&self.queue).lock_owned().await;
        let is_first = writer.shared.is_none();
        if is_first {
            writer = self.begin_shared(writer).await?;
        }
        // SQLite rolls back the shared transaction after some errors, such as a full disk. A savepoint would then be a
        // transaction of its own.
        if !writer.is_open() {
            return Err(StoreError::Conflict("database"));
        }
        // The first one needs none, because nothing is before it. A savepoint keeps a copy of each page that changes.
        if !is_first {
            writer.step("SAVEPOINT part")?;
        }
        Ok(GroupedTransaction {
            writer,
            is_first,
            has_ended: false,
        })
    }

    /// Begins the shared transaction. While another process writes, a thread for work that blocks waits for the file's lock.
    async fn begin_shared(
        &self,
        mut writer: OwnedMutexGuard<WritingConnection>,
    ) -> Result<OwnedMutexGuard<WritingConnection>, StoreError> {
        let mut begun = writer.begin_shared(self);
        if begun.as_ref().is_err_and(SqlError::is_busy) {
            let group = self.clone();
            // It ends there even if the caller is dropped.
            (writer, begun) = blocking(move || {
                let begun = writer.begin_when_free(&group);
                (writer, begun)
            })
            .await?;
        }
        begun?;
        Ok(writer)
    }

    /// Commits the shared transaction on a thread for work that blocks, after every transaction that queues already.
    async fn commit(self) {
        // Tasks that are ready can join.
        yield_now().await;
        let mut writer = self.queue.lock_owned().await;
        let ended = tokio::task::spawn_blocking(move || writer.end_shared()).await;
        // It is canceled when the program ends, and SQLite rolls back.
        if ended.is_err_and(|error| error.is_panic()) {
            tracing::error!("the thread that ends a transaction panicked");
        }
    }

    /// Writes the log of changes back into the database file and empties it, so that what was deleted is in neither. A
    /// reader that needs the log delays this; it is then tried again for some seconds.
    pub(super) async fn empty_log(&self) -> Result<(), StoreError> {
        for _ in 0..EMPTY_LOG_TRIES {
            let mut writer = Arc::clone(&self.queue).lock_owned().await;
            let emptied = blocking(move || writer.empty_log()).await?;
            if emptied? {
                return Ok(());
            }
            tokio::time::sleep(EMPTY_LOG_PAUSE).await;
        }
        tracing::warn!("deleted rows are still in the database's log of changes, because it is being read");
        Ok(())
    }

    /// Closes the connection after the transactions that wait.
    pub(super) async fn close(&self) {
        let mut writer = Arc::clone(&self.queue).lock_owned().await;
        let connection = writer.connection.take();
        blocking(move || drop(connection)).await.ok();
    }
}

impl WritingConnection {
    fn connection(&mut self) -> Result<&mut SqliteConnection, SqlError> {
        self.connection
            .as_mut()
            .ok_or(SqlError::Pool("the database is closed"))
    }

    fn step(&mut self, statement: &'static str) -> Result<(), SqlError> {
        self.connection()?.step(statement)
    }

    fn begin_shared(&mut self, group: &GroupCommit) -> Result<(), SqlError> {
        self.step("BEGIN IMMEDIATE")?;
        self.shared = Some(SharedTransaction {
            is_lost: false,
            ended: watch::Sender::new(None),
        });
        // A task of its own, so that a caller that is dropped does not drop the others' commit.
        tokio::spawn(group.clone().commit());
        Ok(())
    }

    /// Begins the shared transaction once no other process writes.
    fn begin_when_free(&mut self, group: &GroupCommit) -> Result<(), SqlError> {
        self.connection()?.waits(true)?;
        let begun = self.begin_shared(group);
        self.connection()?.waits(false)?;
        begun
    }

    /// Empties the log, after the shared transaction. False if a reader needs the log now.
    fn empty_log(&mut self) -> Result<bool, SqlError> {
        self.end_shared();
        let is_busy: i64 = self.connection()?.first("PRAGMA wal_checkpoint(TRUNCATE)")?;
        Ok(is_busy == 0)
    }

    /// Whether the shared transaction can still become durable.
    fn is_open(&self) -> bool {
        let connection = self.connection.as_ref();
        connection.is_some_and(SqliteConnection::is_in_transaction)
            && self.shared.as_ref().is_some_and(|shared| !shared.is_lost)
    }

    /// Ends the savepoint. If that fails, the transactions that have ended before are lost, too.
    fn end_part(&mut self, statements: &[&'static str]) {
        let has_failed = statements.iter().any(|statement| self.step(statement).is_err());
        if let Some(shared) = &mut self.shared {
            shared.is_lost |= has_failed;
        }
    }

    /// Rolls back the shared transaction, which has only its first part. The next part begins another one.
    fn roll_back_shared(&mut self) {
        match self.step("ROLLBACK") {
            Ok(()) => self.shared = None,
            Err(_) => self.end_part(&["ROLLBACK"]),
        }
    }

    /// Ends the shared transaction, and tells the transactions in it.
    fn end_shared(&mut self) {
        let is_open = self.is_open();
        let Some(shared) = self.shared.take() else { return };
        self.work.commit();
        let ended = self.step(if is_open { "COMMIT" } else { "ROLLBACK" });
        if let Err(cause) = &ended {
            tracing::error!(%cause, "the database could not end a transaction");
            // Nothing of it may stay for the next one. Without a transaction this fails.
            let _ = self.step("ROLLBACK");
        }
        shared.ended.send_replace(Some(is_open && ended.is_ok()));
    }
}

impl GroupedTransaction {
    /// Runs a statement.
    pub(super) fn run<T: FromRow>(&mut self, query: &Query<'_>) -> Result<SqlAnswer<T>, SqlError> {
        if !self.writer.is_open() {
            return Err(SqlError::Pool("the database has rolled back the transaction"));
        }
        self.writer.connection()?.run(query)
    }

    /// Ends this transaction, and waits until the shared one is durable.
    pub(super) async fn commit(mut self) -> Result<(), StoreError> {
        self.has_ended = true;
        if !self.is_first {
            self.writer.end_part(&["RELEASE part"]);
        }
        let durable = self.writer.shared.as_ref().map(|shared| shared.ended.subscribe());
        // The next transaction begins.
        drop(self);
        let mut durable = durable.ok_or(StoreError::NotDurable)?;
        let is_durable = durable
            .wait_for(Option::is_some)
            .await
            .is_ok_and(|end| *end == Some(true));
        if !is_durable {
            count_lost_commit();
            return Err(StoreError::NotDurable);
        }
        Ok(())
    }
}

impl Drop for GroupedTransaction {
    fn drop(&mut self) {
        if self.has_ended {
            return;
        }
        if self.is_first {
            self.writer.roll_back_shared();
        } else {
            self.writer.end_part(&["ROLLBACK TO part", "RELEASE part"]);
        }
    }
}

#[cfg(test)]
mod tests;
