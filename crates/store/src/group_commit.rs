//! Group commit for SQLite's one writer: transactions that wait while a commit is written to the disk share the next
//! commit.
//!
//! Writing a commit to the disk takes longer than all statements of a payment. A transaction therefore does not commit
//! by itself: it is a savepoint in a shared transaction, ends, and waits. The first one opens the shared transaction
//! and starts a task that commits it. That task first lets those come who are about to, then queues for the connection
//! behind all transactions that queue already; without any it commits at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{Mutex, OwnedMutexGuard, watch};

use super::StoreError;
use super::sql::error_count::count_lost_commit;
use super::sql::sqlite::{SqliteConnection, blocking};
use super::sql::work::WorkCounter;
use super::sql::{Call, SqlAnswer, SqlError};
use super::who_comes::until_nobody_comes;

/// Pages that a savepoint has changed are kept as they were until it ends, to be restored if it is rolled back. Without
/// this setting SQLite would write each of them to a temporary file.
const UNDO_IN_MEMORY: &str = "PRAGMA temp_store = MEMORY";

/// The queue for the connection. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct GroupCommit {
    /// The mutex is fair: first come, first served.
    queue: Arc<Mutex<WritingConnection>>,
    /// How many transactions have queued so far.
    arrivals: Arc<AtomicUsize>,
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

/// What is known of the shared transaction.
#[derive(Debug)]
struct SharedTransaction {
    /// A grouped transaction has begun. If nobody holds it, it was dropped and must be rolled back.
    is_savepoint_used: bool,
    /// A savepoint failed: SQLite rolled back the shared transaction.
    is_broken: bool,
    /// Tells the grouped transactions whether they are durable.
    ended: watch::Sender<Option<bool>>,
}

/// Who waits for a shared transaction that has ended, and whether it is durable.
struct CommittedGroup {
    ended: watch::Sender<Option<bool>>,
    is_durable: bool,
}

/// A transaction that shares its commit with others. Dropping it without [`GroupedTransaction::commit`] rolls it back.
#[derive(Debug)]
pub(super) struct GroupedTransaction(OwnedMutexGuard<WritingConnection>);

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
            arrivals: Arc::default(),
        })
    }

    /// Waits for the connection and begins a transaction, which sees what the earlier ones of the group wrote.
    pub(super) async fn begin(&self) -> Result<GroupedTransaction, StoreError> {
        self.arrivals.fetch_add(1, Ordering::Relaxed);
        let mut writer = Arc::clone(&self.queue).lock_owned().await;
        if writer.shared.is_none() {
            writer = self.begin_shared(writer).await?;
        }
        writer.begin_savepoint()?;
        Ok(GroupedTransaction(writer))
    }

    /// Begins the shared transaction. Only if another process writes, this waits for it, on another thread.
    async fn begin_shared(
        &self,
        mut writer: OwnedMutexGuard<WritingConnection>,
    ) -> Result<OwnedMutexGuard<WritingConnection>, StoreError> {
        let group = self.clone();
        let begin = move |writer: &mut WritingConnection| {
            writer.begin_shared()?;
            // A task of its own, so that a caller that is dropped does not drop the others' commit.
            tokio::spawn(group.clone().commit());
            Ok(())
        };
        let mut outcome = begin(&mut writer);
        if outcome.as_ref().is_err_and(SqlError::is_busy) {
            (writer, outcome) = blocking(move || {
                let outcome = writer.waiting(begin);
                (writer, outcome)
            })
            .await?;
        }
        outcome?;
        Ok(writer)
    }

    /// Commits the shared transaction, after every transaction that queues already or is about to.
    async fn commit(self) {
        until_nobody_comes(|| self.arrivals.load(Ordering::Relaxed)).await;
        let mut writer = self.queue.lock_owned().await;
        let committing = blocking(move || {
            let ended = writer.commit_shared();
            (writer, ended)
        });
        let Ok((writer, ended)) = committing.await else {
            tracing::error!("the thread that ends a transaction is gone");
            return;
        };
        drop(writer);
        // Told here, because waking tasks from another thread takes longer.
        if let Some(CommittedGroup { ended, is_durable }) = ended {
            ended.send_replace(Some(is_durable));
        }
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

    /// Does this with a connection that waits for other processes.
    fn waiting<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, SqlError>) -> Result<T, SqlError> {
        self.connection()?.waits(true)?;
        let done = work(self);
        self.connection()?.waits(false)?;
        done
    }

    fn begin_shared(&mut self) -> Result<(), SqlError> {
        self.step("BEGIN IMMEDIATE")?;
        // If this fails, the transaction is broken, and the first savepoint says so.
        let savepoint = self.step("SAVEPOINT part");
        self.shared = Some(SharedTransaction {
            is_savepoint_used: false,
            is_broken: savepoint.is_err(),
            ended: watch::Sender::new(None),
        });
        Ok(())
    }

    /// The savepoint exists already: each end sets the next savepoint.
    fn begin_savepoint(&mut self) -> Result<(), StoreError> {
        if self
            .shared
            .as_ref()
            .is_some_and(|shared| shared.is_savepoint_used)
        {
            self.roll_back_savepoint();
        }
        match &mut self.shared {
            Some(shared) if !shared.is_broken => {
                shared.is_savepoint_used = true;
                Ok(())
            }
            _ => Err(StoreError::Conflict("database")),
        }
    }

    /// SQLite rolls back the shared transaction after some errors, such as a full disk. The earlier grouped
    /// transactions are then lost, too, and must not be reported as durable.
    fn roll_back_savepoint(&mut self) {
        let undone = self.step("ROLLBACK TO part");
        self.savepoint_ended(undone.is_ok());
    }

    fn savepoint_ended(&mut self, is_well: bool) {
        if let Some(shared) = &mut self.shared {
            shared.is_savepoint_used = false;
            shared.is_broken |= !is_well;
        }
    }

    fn commit_shared(&mut self) -> Option<CommittedGroup> {
        if self
            .shared
            .as_ref()
            .is_some_and(|shared| shared.is_savepoint_used)
        {
            self.roll_back_savepoint();
        }
        let shared = self.shared.take()?;
        let end = if shared.is_broken { "ROLLBACK" } else { "COMMIT" };
        let ended = self.step(end);
        self.work.commit();
        if let Err(cause) = &ended {
            tracing::error!(%cause, "the database could not end a transaction");
            // Nothing of it may stay for the next one. Without a transaction this fails.
            let _ = self.step("ROLLBACK");
        }
        Some(CommittedGroup {
            ended: shared.ended,
            is_durable: ended.is_ok() && !shared.is_broken,
        })
    }
}

impl GroupedTransaction {
    /// Runs a statement.
    pub(super) fn run(&mut self, call: &Call<'_>) -> Result<SqlAnswer, SqlError> {
        self.0.connection()?.run(call)
    }

    /// Ends this transaction, and waits until the shared one is durable.
    pub(super) async fn commit(mut self) -> Result<(), StoreError> {
        let released = self
            .0
            .step("RELEASE part")
            .and_then(|()| self.0.step("SAVEPOINT part"));
        self.0.savepoint_ended(released.is_ok());
        let ended = self.0.shared.as_ref().map(|shared| shared.ended.subscribe());
        drop(self);
        released?;
        let mut ended = ended.ok_or(StoreError::NotDurable)?;
        if matches!(ended.wait_for(Option::is_some).await.as_deref(), Ok(Some(true))) {
            return Ok(());
        }
        count_lost_commit();
        Err(StoreError::NotDurable)
    }
}

#[cfg(test)]
mod tests;
