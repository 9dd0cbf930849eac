//! Group commit for SQLite's one writer: transactions that wait while a commit is written to the disk share the next
//! commit.
//!
//! Writing a commit to the disk takes longer than all statements of a payment. A transaction therefore does not commit
//! by itself: it is a savepoint in a shared transaction, ends, and waits. The first one opens the shared transaction
//! and starts a task that commits it. That task queues for the connection behind all transactions that queue already;
//! without any it commits at once.

use std::sync::Arc;

use tokio::sync::{Mutex, OwnedMutexGuard, watch};

use super::StoreError;
use super::sql::error_count::count_lost_commit;
use super::sql::sqlite::{SqliteConnection, blocking};
use super::sql::work::WorkCounter;
use super::sql::{Call, SqlAnswer, SqlError};

/// Pages that a savepoint has changed are kept as they were until it ends, to be restored if it is rolled back. Without
/// this setting SQLite would write each of them to a temporary file.
const UNDO_IN_MEMORY: &str = "PRAGMA temp_store = MEMORY";

/// The queue for the connection. Cheap to clone. The mutex is fair: first come, first served.
#[derive(Debug, Clone)]
pub(super) struct GroupCommit(Arc<Mutex<WritingConnection>>);

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

/// A transaction that shares its commit with others. Dropping it without [`GroupedTransaction::commit`] rolls it back.
#[derive(Debug)]
pub(super) struct GroupedTransaction(OwnedMutexGuard<WritingConnection>);

impl GroupCommit {
    /// For the one connection that writes.
    pub(super) fn new(connection: SqliteConnection, work: WorkCounter) -> Result<Self, SqlError> {
        connection.waits(false)?;
        connection.batch(UNDO_IN_MEMORY)?;
        Ok(Self(Arc::new(Mutex::new(WritingConnection {
            connection: Some(connection),
            shared: None,
            work,
        }))))
    }

    /// Waits for the connection and begins a transaction, which sees what the earlier ones of the group wrote.
    pub(super) async fn begin(&self) -> Result<GroupedTransaction, StoreError> {
        let mut writer = Arc::clone(&self.0).lock_owned().await;
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
        let queue = Arc::clone(&self.0);
        let begin = move |writer: &mut WritingConnection| {
            writer.begin_shared()?;
            // A task of its own, so that a caller that is dropped does not drop the others' commit.
            tokio::spawn(commit(Arc::clone(&queue)));
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

    /// Closes the connection after the transactions that wait.
    pub(super) async fn close(&self) {
        let mut writer = Arc::clone(&self.0).lock_owned().await;
        let connection = writer.connection.take();
        blocking(move || drop(connection)).await.ok();
    }
}

/// Commits the shared transaction, after every transaction that queues already.
async fn commit(queue: Arc<Mutex<WritingConnection>>) {
    let writer = queue.lock_owned().await;
    let ended = blocking(move || {
        let mut writer = writer;
        writer.commit_shared();
    });
    if ended.await.is_err() {
        tracing::error!("the thread that ends a transaction is gone");
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

    fn commit_shared(&mut self) {
        if self
            .shared
            .as_ref()
            .is_some_and(|shared| shared.is_savepoint_used)
        {
            self.roll_back_savepoint();
        }
        let Some(shared) = self.shared.take() else { return };
        let end = if shared.is_broken { "ROLLBACK" } else { "COMMIT" };
        let ended = self.step(end);
        self.work.commit();
        if let Err(cause) = &ended {
            tracing::error!(%cause, "the database could not end a transaction");
            // Nothing of it may stay for the next one. Without a transaction this fails.
            let _ = self.step("ROLLBACK");
        }
        shared
            .ended
            .send_replace(Some(ended.is_ok() && !shared.is_broken));
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
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::sql::{Wanted, query};
    use crate::write::Writer;
    use crate::{Database, Store};

    struct NotesDatabase {
        group: GroupCommit,
        store: Store,
        dir: tempfile::TempDir,
    }

    async fn notes() -> NotesDatabase {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::connect(&Database::Sqlite(dir.path().join("notes.db")))
            .await
            .unwrap();
        let Writer::Sqlite(group) = store.writer.clone() else {
            panic!("a file's writer")
        };
        let mut part = group.begin().await.unwrap();
        note(&mut part, "CREATE TABLE notes (text TEXT NOT NULL UNIQUE)").unwrap();
        part.commit().await.unwrap();
        NotesDatabase { group, store, dir }
    }

    fn note(part: &mut GroupedTransaction, sql: &'static str) -> Result<(), SqlError> {
        let wanted = Wanted::Changes;
        part.run(&Call {
            sql,
            params: &[],
            wanted,
        })
        .map(drop)
    }

    impl NotesDatabase {
        async fn durable(&self) -> Vec<String> {
            query("SELECT text FROM notes ORDER BY text")
                .fetch_all(&self.store.readers)
                .await
                .unwrap()
        }
    }

    #[tokio::test]
    async fn what_a_savepoint_could_undo_is_kept_in_memory() {
        const IN_MEMORY: i64 = 2;
        let notes = notes().await;
        let mut part = notes.group.begin().await.unwrap();
        let answer = part.run(&Call {
            sql: "PRAGMA temp_store",
            params: &[],
            wanted: Wanted::Rows,
        });
        let mut row = answer.unwrap().rows.remove(0);
        assert_eq!(row.get::<i64>("temp_store").unwrap(), IN_MEMORY);
    }

    #[tokio::test]
    async fn a_caller_that_gives_up_waiting_for_another_process_stops_nobody() {
        let notes = notes().await;
        let file = notes.dir.path().join("notes.db");
        let other = SqliteConnection::open(&file).unwrap();
        other.batch("BEGIN IMMEDIATE").unwrap();
        let patience = Duration::from_millis(20);
        assert!(tokio::time::timeout(patience, notes.group.begin()).await.is_err());
        other.batch("ROLLBACK").unwrap();
        let mut part = notes.group.begin().await.unwrap();
        note(&mut part, "INSERT INTO notes VALUES ('a')").unwrap();
        part.commit().await.unwrap();
        assert_eq!(notes.durable().await, ["a"]);
    }

    // In each test the transactions begin at the same time: the first one opens the shared transaction, and the others
    // queue.

    #[tokio::test]
    async fn queued_transactions_share_a_commit() {
        let notes = notes().await;
        let write = async |sql| {
            let mut part = notes.group.begin().await.unwrap();
            note(&mut part, sql).unwrap();
            let shared = part.0.shared.as_ref().unwrap().ended.subscribe();
            assert!(notes.durable().await.is_empty());
            part.commit().await.unwrap();
            shared
        };
        let (first, second, third) = tokio::join!(
            write("INSERT INTO notes VALUES ('a')"),
            write("INSERT INTO notes VALUES ('b')"),
            write("INSERT INTO notes VALUES ('c')"),
        );
        assert!(first.same_channel(&second) && first.same_channel(&third));
        assert_eq!(notes.durable().await, ["a", "b", "c"]);
    }

    #[tokio::test]
    async fn a_failed_or_dropped_transaction_leaves_the_others_intact() {
        let notes = notes().await;
        let write = async |sql| {
            let mut part = notes.group.begin().await.unwrap();
            note(&mut part, sql).unwrap();
            part.commit().await.unwrap();
        };
        let give_up = async |sql| {
            let mut part = notes.group.begin().await.unwrap();
            note(&mut part, "INSERT INTO notes VALUES ('z')").unwrap();
            note(&mut part, sql).is_err()
        };
        let ((), has_failed, (), is_given_up, ()) = tokio::join!(
            write("INSERT INTO notes VALUES ('a')"),
            give_up("INSERT INTO notes VALUES ('a')"),
            write("INSERT INTO notes VALUES ('b')"),
            give_up("INSERT INTO notes VALUES ('y')"),
            write("INSERT INTO notes VALUES ('c')"),
        );
        assert_eq!((has_failed, is_given_up), (true, false));
        assert_eq!(notes.durable().await, ["a", "b", "c"]);
        // The last transaction of a group is dropped, and the only one of another group.
        tokio::join!(write("INSERT INTO notes VALUES ('d')"), give_up("SELECT 1"));
        give_up("SELECT 1").await;
        write("INSERT INTO notes VALUES ('e')").await;
        assert_eq!(notes.durable().await, ["a", "b", "c", "d", "e"]);
    }

    #[tokio::test]
    async fn transactions_are_not_reported_durable_after_a_failed_commit() {
        let notes = notes().await;
        let write = async |sql| {
            let mut part = notes.group.begin().await?;
            note(&mut part, sql)?;
            part.commit().await
        };
        let lose = async || {
            let mut part = notes.group.begin().await.unwrap();
            // SQLite does this itself when the disk is full.
            note(&mut part, "ROLLBACK").unwrap();
        };
        let (before, (), after) = tokio::join!(
            write("INSERT INTO notes VALUES ('a')"),
            lose(),
            write("INSERT INTO notes VALUES ('b')"),
        );
        assert!(matches!(before, Err(StoreError::NotDurable)), "{before:?}");
        assert!(matches!(after, Err(StoreError::Conflict(_))), "{after:?}");
        assert_eq!(notes.durable().await, Vec::<String>::new());
        write("INSERT INTO notes VALUES ('c')").await.unwrap();
        assert_eq!(notes.durable().await, ["c"]);
    }
}
