//! Group commit for SQLite's one writer: transactions that wait while a commit is written to the disk share the next
//! commit.
//!
//! Writing a commit to the disk takes longer than all statements of a payment. A transaction therefore does not commit
//! by itself: it is a part of a shared transaction, ends, and waits. The first one opens the shared transaction
//! and starts a task that commits it. That task first lets those come who are about to, then queues for the connection
//! behind all transactions that queue already; without any it commits at once. While the disk is quick, no
//! other thread waits for it (`one_thread.rs`); otherwise one that may block does.
//!
//! A part that is dropped after it changed something takes the whole shared transaction back: the other parts are told
//! of a conflict and run again. That is rare. To take back one part alone, SQLite would have to keep a copy of every page
//! that the part changes. Yet nobody may slow down the others by being refused again and again, so for a while after such
//! a part each one is a savepoint.

mod disk_pace;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use tokio::sync::{Mutex, OwnedMutexGuard, watch};

use self::disk_pace::DiskPace;
use super::StoreError;
use super::one_thread::briefly;
use super::sql::error_count::count_lost_commit;
use super::sql::sqlite::{SqliteConnection, blocking};
use super::sql::work::WorkCounter;
use super::sql::{Call, SqlAnswer, SqlError};
use super::who_comes::until_nobody_comes;

/// Pages that a savepoint has changed are kept as they were until it ends, to be restored if it is rolled back. Without
/// this setting SQLite would write each of them to a temporary file.
const UNDO_IN_MEMORY: &str = "PRAGMA temp_store = MEMORY";

/// In so many shared transactions the parts are savepoints, after one that was taken back.
const CAREFUL_TRANSACTIONS: u32 = 100;

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
    /// In how many shared transactions from now on the parts are savepoints.
    careful_for: u32,
    /// How quick the disk was for the last commit.
    pace: DiskPace,
    work: WorkCounter,
}

/// What is known of the shared transaction.
#[derive(Debug)]
struct SharedTransaction {
    /// How many rows the connection had changed before.
    changes_before: u64,
    /// A part has begun. If nobody holds it, it was dropped, and what it changed must be taken back.
    open_part: Option<OpenPart>,
    /// Each part is a savepoint.
    is_careful: bool,
    /// What a part has noted for all.
    noted: HashSet<(&'static str, i64)>,
    /// How it must end.
    end: GroupEnd,
    /// Tells the parts how it ended.
    ended: watch::Sender<Option<GroupEnd>>,
}

/// A part that has not ended.
#[derive(Debug)]
struct OpenPart {
    /// How many rows the connection had changed before.
    changes_before: u64,
}

/// How a shared transaction ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GroupEnd {
    /// All parts that have ended are durable.
    Durable,
    /// It is taken back because of a part that was dropped. The others can run again.
    TakenBack,
    /// Something failed, such as a full disk: it is rolled back, if not by SQLite itself.
    Lost,
}

/// Who waits for a shared transaction that has ended, and how it ended.
struct EndedGroup {
    waiting: watch::Sender<Option<GroupEnd>>,
    end: GroupEnd,
}

impl EndedGroup {
    fn tell(self) {
        self.waiting.send_replace(Some(self.end));
    }
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
            careful_for: 0,
            pace: DiskPace::default(),
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
        writer.take_back_dropped();
        // Nobody can join it any more, and taking back waits for no disk.
        if writer.is_taken_back()
            && let Some(group) = writer.end_shared()
        {
            group.tell();
        }
        if writer.shared.is_none() {
            writer = self.begin_shared(writer).await?;
        }
        writer.begin_part()?;
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
        let is_quick = writer.pace.is_quick();
        let end = move || {
            writer.take_back_dropped();
            let ended = writer.end_shared();
            (writer, ended)
        };
        let ending = if is_quick {
            briefly(end).await
        } else {
            blocking(end).await
        };
        let Ok((writer, ended)) = ending else {
            tracing::error!("the thread that ends a transaction is gone");
            return;
        };
        drop(writer);
        // Told here, because waking tasks from another thread takes longer.
        if let Some(group) = ended {
            group.tell();
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
        self.shared = Some(SharedTransaction {
            changes_before: self.connection()?.changes_so_far(),
            open_part: None,
            is_careful: self.careful_for > 0,
            noted: HashSet::new(),
            end: GroupEnd::Durable,
            ended: watch::Sender::new(None),
        });
        self.careful_for = self.careful_for.saturating_sub(1);
        Ok(())
    }

    fn begin_part(&mut self) -> Result<(), StoreError> {
        let changes_before = self.connection()?.changes_so_far();
        match &mut self.shared {
            Some(shared) if shared.end == GroupEnd::Durable => {
                shared.open_part = Some(OpenPart { changes_before });
                let is_careful = shared.is_careful;
                if is_careful {
                    let set = self.step("SAVEPOINT part");
                    self.goes_on(set.is_ok());
                    set?;
                }
                Ok(())
            }
            _ => Err(StoreError::Conflict("database")),
        }
    }

    fn end_part(&mut self) -> Result<(), SqlError> {
        let is_careful = self.shared.as_ref().is_some_and(|shared| shared.is_careful);
        let ended = if is_careful {
            self.step("RELEASE part")
        } else {
            Ok(())
        };
        if let Some(shared) = &mut self.shared {
            shared.open_part = None;
        }
        self.goes_on(ended.is_ok());
        ended
    }

    /// Takes back what a part changed that was dropped.
    fn take_back_dropped(&mut self) {
        let Some(shared) = &mut self.shared else { return };
        let Some(part) = shared.open_part.take() else {
            return;
        };
        let is_careful = shared.is_careful;
        let is_well = if is_careful {
            self.step("ROLLBACK TO part")
                .and_then(|()| self.step("RELEASE part"))
                .is_ok()
        } else {
            let changes = self.connection().map(|connection| connection.changes_so_far());
            let has_changed = !changes.is_ok_and(|changes| changes == part.changes_before);
            if let Some(shared) = &mut self.shared
                && has_changed
            {
                shared.end = GroupEnd::TakenBack;
            }
            true
        };
        self.goes_on(is_well);
    }

    fn is_taken_back(&self) -> bool {
        let end = self.shared.as_ref().map(|shared| shared.end);
        end == Some(GroupEnd::TakenBack)
    }

    /// SQLite rolls back the shared transaction after some errors, such as a full disk. The parts that have ended are then
    /// lost, too, and must not be reported as durable.
    fn goes_on(&mut self, is_well: bool) {
        let is_open = self
            .connection()
            .is_ok_and(|connection| connection.is_in_transaction());
        if let Some(shared) = &mut self.shared
            && !(is_well && is_open)
        {
            shared.end = GroupEnd::Lost;
        }
    }

    fn end_shared(&mut self) -> Option<EndedGroup> {
        let shared = self.shared.take()?;
        let statement = match shared.end {
            GroupEnd::Durable => "COMMIT",
            GroupEnd::TakenBack | GroupEnd::Lost => "ROLLBACK",
        };
        if shared.end == GroupEnd::TakenBack {
            self.careful_for = CAREFUL_TRANSACTIONS;
        }
        let changes = self.connection().map(|connection| connection.changes_so_far());
        let begin = Instant::now();
        let ended = self.step(statement);
        // Without a change, or undone, nothing is written to the disk.
        if shared.end == GroupEnd::Durable && changes.is_ok_and(|changes| changes != shared.changes_before) {
            self.pace.note(begin.elapsed());
        }
        self.work.commit();
        if let Err(cause) = &ended {
            tracing::error!(%cause, "the database could not end a transaction");
            // Nothing of it may stay for the next one. Without a transaction this fails.
            let _ = self.step("ROLLBACK");
        }
        Some(EndedGroup {
            waiting: shared.ended,
            end: if ended.is_ok() { shared.end } else { GroupEnd::Lost },
        })
    }
}

impl GroupedTransaction {
    /// Runs a statement.
    pub(super) fn run(&mut self, call: &Call<'_>) -> Result<SqlAnswer, SqlError> {
        self.0.connection()?.run(call)
    }

    /// Whether nobody who shares the commit has noted this. A savepoint can be taken back alone, so it notes all of its own.
    pub(super) fn is_first_note(&mut self, of: &'static str, at: i64) -> bool {
        match &mut self.0.shared {
            Some(shared) if !shared.is_careful => shared.noted.insert((of, at)),
            _ => true,
        }
    }

    /// Ends this transaction, and waits until the shared one is durable.
    pub(super) async fn commit(mut self) -> Result<(), StoreError> {
        let has_ended = self.0.end_part();
        let ended = self.0.shared.as_ref().map(|shared| shared.ended.subscribe());
        drop(self);
        has_ended?;
        let mut ended = ended.ok_or(StoreError::NotDurable)?;
        let end = ended.wait_for(Option::is_some).await.ok().and_then(|end| *end);
        match end {
            Some(GroupEnd::Durable) => Ok(()),
            Some(GroupEnd::TakenBack) => Err(StoreError::Conflict("database")),
            Some(GroupEnd::Lost) | None => {
                count_lost_commit();
                Err(StoreError::NotDurable)
            }
        }
    }
}

#[cfg(test)]
mod tests;
