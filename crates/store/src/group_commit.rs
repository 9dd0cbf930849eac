//! Group commit for SQLite's one writer: transactions that wait while a commit is written to the disk share the next
//! commit.
//!
//! Writing a commit to the disk takes longer than all statements of a payment. A transaction therefore does not commit
//! by itself: it is a savepoint in a shared transaction, ends, and waits. The first one opens the shared transaction
//! and starts a task that commits it. That task queues for the connection behind all transactions that queue already;
//! without any it commits at once.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use sqlx::pool::PoolConnection;
use sqlx::{Any, AnyConnection, AnyPool};
use tokio::sync::{Mutex, OwnedMappedMutexGuard, OwnedMutexGuard, watch};

use super::StoreError;

/// The queue for the connection. Cheap to clone. The mutex is fair: first come, first served.
#[derive(Debug, Clone)]
pub(super) struct GroupCommit {
    pool: AnyPool,
    shared: Arc<Mutex<Option<SharedTransaction>>>,
}

/// The shared transaction, while it is open.
#[derive(Debug)]
struct SharedTransaction {
    connection: PoolConnection<Any>,
    /// A grouped transaction has begun. If nobody holds it, it was dropped and must be rolled back.
    is_savepoint_used: bool,
    /// It has not begun, or a savepoint failed: SQLite rolled back the shared transaction.
    is_broken: bool,
    /// Tells the grouped transactions whether they are durable.
    ended: watch::Sender<Option<bool>>,
}

/// A transaction that shares its commit with others. Dropping it without [`GroupedTransaction::commit`] rolls it back.
#[derive(Debug)]
pub(super) struct GroupedTransaction(OwnedMappedMutexGuard<Option<SharedTransaction>, SharedTransaction>);

impl GroupCommit {
    /// For the pool of the one connection that writes.
    pub(super) fn new(pool: AnyPool) -> Self {
        Self {
            pool,
            shared: Arc::new(Mutex::new(None)),
        }
    }

    /// Waits for the writer and begins a transaction, which sees what the earlier ones of the group wrote.
    pub(super) async fn begin(&self) -> Result<GroupedTransaction, StoreError> {
        let mut shared = Arc::clone(&self.shared).lock_owned().await;
        let is_first = shared.is_none();
        if is_first {
            *shared = Some(SharedTransaction {
                connection: self.pool.acquire().await?,
                is_savepoint_used: false,
                is_broken: true,
                ended: watch::Sender::new(None),
            });
            // A task of its own, so that a caller that is dropped does not drop the others' commit.
            tokio::spawn(commit(Arc::clone(&self.shared)));
        }
        let open = OwnedMutexGuard::try_map(shared, Option::as_mut);
        let mut part = GroupedTransaction(open.map_err(|_| StoreError::Conflict("database"))?);
        if is_first {
            part.0.run("BEGIN IMMEDIATE; SAVEPOINT part").await?;
            part.0.is_broken = false;
        }
        part.0.begin_savepoint().await?;
        Ok(part)
    }
}

/// Commits the shared transaction, after every transaction that queues already.
async fn commit(shared: Arc<Mutex<Option<SharedTransaction>>>) {
    let mut queue = shared.lock().await;
    let Some(mut shared) = queue.take() else {
        return;
    };
    if shared.is_savepoint_used {
        shared.roll_back_savepoint().await;
    }
    let end = if shared.is_broken { "ROLLBACK" } else { "COMMIT" };
    let ended = shared.run(end).await;
    shared
        .ended
        .send_replace(Some(ended.is_ok() && !shared.is_broken));
    if let Err(cause) = ended {
        tracing::error!(%cause, "the database could not end a transaction");
        // The connection's state is unknown. The next transaction gets a new connection.
        if let Err(cause) = shared.connection.close().await {
            tracing::warn!(%cause, "a connection to the database could not be closed");
        }
    }
}

impl SharedTransaction {
    /// The savepoint exists already: each end sets the next savepoint, which saves one call to SQLite's thread.
    async fn begin_savepoint(&mut self) -> Result<(), StoreError> {
        if self.is_savepoint_used {
            self.roll_back_savepoint().await;
        }
        if self.is_broken {
            return Err(StoreError::Conflict("database"));
        }
        self.is_savepoint_used = true;
        Ok(())
    }

    /// SQLite rolls back the shared transaction after some errors, such as a full disk. The earlier grouped
    /// transactions are then lost, too, and must not be reported as durable.
    async fn roll_back_savepoint(&mut self) {
        let undone = self.run("ROLLBACK TO part").await;
        self.is_savepoint_used = false;
        self.is_broken |= undone.is_err();
    }

    async fn run(&mut self, statement: &'static str) -> Result<(), sqlx::Error> {
        sqlx::raw_sql(statement).execute(&mut *self.connection).await?;
        Ok(())
    }
}

impl GroupedTransaction {
    /// Ends this transaction, and waits until the shared one is durable.
    pub(super) async fn commit(mut self) -> Result<(), StoreError> {
        let released = self.0.run("RELEASE part; SAVEPOINT part").await;
        self.0.is_savepoint_used = false;
        self.0.is_broken |= released.is_err();
        let mut ended = self.0.ended.subscribe();
        drop(self);
        released?;
        match ended.wait_for(Option::is_some).await.as_deref() {
            Ok(Some(true)) => Ok(()),
            _ => Err(StoreError::NotDurable),
        }
    }
}

impl Deref for GroupedTransaction {
    type Target = AnyConnection;

    fn deref(&self) -> &AnyConnection {
        &self.0.connection
    }
}

impl DerefMut for GroupedTransaction {
    fn deref_mut(&mut self) -> &mut AnyConnection {
        &mut self.0.connection
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Database, Store};

    struct NotesDatabase {
        group: GroupCommit,
        store: Store,
        _dir: tempfile::TempDir,
    }

    async fn notes() -> NotesDatabase {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::connect(&Database::Sqlite(dir.path().join("notes.db")))
            .await
            .unwrap();
        let group = GroupCommit::new(store.writer.clone());
        let mut part = group.begin().await.unwrap();
        note(&mut part, "CREATE TABLE notes (text TEXT NOT NULL UNIQUE)")
            .await
            .unwrap();
        part.commit().await.unwrap();
        NotesDatabase {
            group,
            store,
            _dir: dir,
        }
    }

    async fn note(part: &mut GroupedTransaction, sql: &'static str) -> Result<(), sqlx::Error> {
        sqlx::query(sql).execute(&mut **part).await.map(|_| ())
    }

    impl NotesDatabase {
        async fn durable(&self) -> Vec<String> {
            sqlx::query_scalar("SELECT text FROM notes ORDER BY text")
                .fetch_all(&self.store.readers)
                .await
                .unwrap()
        }
    }

    // In each test the transactions begin at the same time: the first one opens the shared transaction, and the others
    // queue.

    #[tokio::test]
    async fn queued_transactions_share_a_commit() {
        let notes = notes().await;
        let write = async |sql| {
            let mut part = notes.group.begin().await.unwrap();
            note(&mut part, sql).await.unwrap();
            let shared = part.0.ended.subscribe();
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
            note(&mut part, sql).await.unwrap();
            part.commit().await.unwrap();
        };
        let give_up = async |sql| {
            let mut part = notes.group.begin().await.unwrap();
            note(&mut part, "INSERT INTO notes VALUES ('z')").await.unwrap();
            note(&mut part, sql).await.is_err()
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
            note(&mut part, sql).await?;
            part.commit().await
        };
        let lose = async || {
            let mut part = notes.group.begin().await.unwrap();
            // SQLite does this itself when the disk is full.
            note(&mut part, "ROLLBACK").await.unwrap();
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
