//! SQLite's one writer: whoever waits for it while a commit is forced to the disk shares the next commit.
//!
//! Forcing a commit to the disk takes longer than all statements of a payment. A transaction therefore does not commit
//! by itself: it is a part of a larger one, ends, and waits. The one that opens the larger transaction sets off its
//! commit, which queues for the connection behind all parts that queue already. With nobody else about that is at once.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use sqlx::pool::PoolConnection;
use sqlx::{Any, AnyConnection, AnyPool};
use tokio::sync::{Mutex, OwnedMappedMutexGuard, OwnedMutexGuard, watch};

use super::StoreError;

/// The queue for the connection. Cheap to clone; the mutex lets in whoever came first.
#[derive(Debug, Clone)]
pub(super) struct GroupCommit {
    pool: AnyPool,
    whole: Arc<Mutex<Option<Whole>>>,
}

/// The larger transaction, while it is open.
#[derive(Debug)]
struct Whole {
    connection: PoolConnection<Any>,
    /// A part has begun; when nobody holds it, it was given up and must be undone.
    is_part_open: bool,
    /// It has not begun, or a part could not be undone or ended: SQLite gave up the whole.
    is_broken: bool,
    /// Where the parts hear whether they are durable.
    ended: watch::Sender<Option<bool>>,
}

/// A part of the larger transaction. Dropped without [`Part::commit`], it never was.
#[derive(Debug)]
pub(super) struct Part(OwnedMappedMutexGuard<Option<Whole>, Whole>);

impl GroupCommit {
    /// For the pool of the one connection that writes.
    pub(super) fn new(pool: AnyPool) -> Self {
        Self {
            pool,
            whole: Arc::new(Mutex::new(None)),
        }
    }

    /// Waits for the writer and begins a part, which sees what the parts before it wrote.
    pub(super) async fn begin(&self) -> Result<Part, StoreError> {
        let mut whole = Arc::clone(&self.whole).lock_owned().await;
        let is_first = whole.is_none();
        if is_first {
            *whole = Some(Whole {
                connection: self.pool.acquire().await?,
                is_part_open: false,
                is_broken: true,
                ended: watch::Sender::new(None),
            });
            // A task of its own, so that no caller who goes away takes the others' commit along.
            tokio::spawn(commit(Arc::clone(&self.whole)));
        }
        let open = OwnedMutexGuard::try_map(whole, Option::as_mut);
        let mut part = Part(open.map_err(|_| StoreError::Conflict("database"))?);
        if is_first {
            part.0.run("BEGIN IMMEDIATE; SAVEPOINT part").await?;
            part.0.is_broken = false;
        }
        part.0.begin_part().await?;
        Ok(part)
    }
}

/// Ends the larger transaction, once every part that queues already has had its turn.
async fn commit(whole: Arc<Mutex<Option<Whole>>>) {
    let mut queue = whole.lock().await;
    let Some(mut whole) = queue.take() else {
        return;
    };
    if whole.is_part_open {
        whole.undo_part().await;
    }
    let end = if whole.is_broken { "ROLLBACK" } else { "COMMIT" };
    let ended = whole.run(end).await;
    whole.ended.send_replace(Some(ended.is_ok() && !whole.is_broken));
    if let Err(cause) = ended {
        tracing::error!(%cause, "the database could not end a transaction");
        // Who knows what is open on it. The next transaction gets another one.
        if let Err(cause) = whole.connection.close().await {
            tracing::warn!(%cause, "a connection to the database could not be closed");
        }
    }
}

impl Whole {
    /// The savepoint is there already: each part's end sets the next one's, which saves a way to SQLite's thread and back.
    async fn begin_part(&mut self) -> Result<(), StoreError> {
        if self.is_part_open {
            self.undo_part().await;
        }
        if self.is_broken {
            return Err(StoreError::Conflict("database"));
        }
        self.is_part_open = true;
        Ok(())
    }

    /// SQLite gives up a whole transaction for some errors, a full disk for one. Then the parts before this one are gone,
    /// too, and nobody may be told that they are durable.
    async fn undo_part(&mut self) {
        let undone = self.run("ROLLBACK TO part").await;
        self.is_part_open = false;
        self.is_broken |= undone.is_err();
    }

    async fn run(&mut self, statement: &'static str) -> Result<(), sqlx::Error> {
        sqlx::raw_sql(statement).execute(&mut *self.connection).await?;
        Ok(())
    }
}

impl Part {
    /// Ends the part, and waits until the larger transaction is durable.
    pub(super) async fn commit(mut self) -> Result<(), StoreError> {
        let released = self.0.run("RELEASE part; SAVEPOINT part").await;
        self.0.is_part_open = false;
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

impl Deref for Part {
    type Target = AnyConnection;

    fn deref(&self) -> &AnyConnection {
        &self.0.connection
    }
}

impl DerefMut for Part {
    fn deref_mut(&mut self) -> &mut AnyConnection {
        &mut self.0.connection
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Database, Store};

    struct Notes {
        group: GroupCommit,
        store: Store,
        _dir: tempfile::TempDir,
    }

    async fn notes() -> Notes {
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
        Notes {
            group,
            store,
            _dir: dir,
        }
    }

    async fn note(part: &mut Part, sql: &'static str) -> Result<(), sqlx::Error> {
        sqlx::query(sql).execute(&mut **part).await.map(|_| ())
    }

    impl Notes {
        async fn durable(&self) -> Vec<String> {
            sqlx::query_scalar("SELECT text FROM notes ORDER BY text")
                .fetch_all(&self.store.readers)
                .await
                .unwrap()
        }
    }

    // In each test the parts begin in the same moment: the first one opens the database's transaction, and the others
    // queue meanwhile.

    #[tokio::test]
    async fn parts_that_queue_share_a_commit() {
        let notes = notes().await;
        let write = async |sql| {
            let mut part = notes.group.begin().await.unwrap();
            note(&mut part, sql).await.unwrap();
            let whole = part.0.ended.subscribe();
            assert!(notes.durable().await.is_empty());
            part.commit().await.unwrap();
            whole
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
    async fn a_part_that_fails_or_is_given_up_leaves_the_others_alone() {
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
        // The last one of a transaction is given up, too, and so is the only one.
        tokio::join!(write("INSERT INTO notes VALUES ('d')"), give_up("SELECT 1"));
        give_up("SELECT 1").await;
        write("INSERT INTO notes VALUES ('e')").await;
        assert_eq!(notes.durable().await, ["a", "b", "c", "d", "e"]);
    }

    #[tokio::test]
    async fn when_the_whole_is_lost_nobody_is_told_otherwise() {
        let notes = notes().await;
        let write = async |sql| {
            let mut part = notes.group.begin().await?;
            note(&mut part, sql).await?;
            part.commit().await
        };
        let lose = async || {
            let mut part = notes.group.begin().await.unwrap();
            // What SQLite does by itself when the disk is full.
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
