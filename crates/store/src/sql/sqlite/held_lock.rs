//! A read lock that stays for a moment while reads are many.
//!
//! SQLite takes a lock of the file for each statement that reads, and lets it go: two calls of the system, 0.8 µs of a
//! page. While another connection of this process has the same lock, a statement only counts itself. So a connection of
//! its own takes the lock now and then, and keeps it for some milliseconds, in which all other connections still see each
//! commit.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{Mutex, Notify};
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::super::SqlError;
use super::super::work::WorkCounter;
use super::{SqliteConnection, blocking};

/// After so many reads the lock is taken, if it is not held.
const READS: u64 = 64;
/// How long it is held. While it is, the write-ahead log cannot begin anew.
const HELD_FOR: Duration = Duration::from_millis(10);
/// How long it is not held at least, so that a log that grows can begin anew: in quiet, and while this process writes.
const PAUSE: Duration = Duration::from_millis(1);
const PAUSE_BESIDE_WRITES: Duration = Duration::from_millis(100);

/// Takes the lock when reads are many. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct HeldLock {
    reads: Arc<AtomicU64>,
    many: Arc<Notify>,
    task: Arc<LockTask>,
}

#[derive(Debug)]
struct LockTask(Mutex<Option<JoinHandle<()>>>);

impl HeldLock {
    /// For this file, whose writes `work` counts.
    pub(super) fn new(file: &Path, work: WorkCounter) -> Self {
        let many = Arc::new(Notify::new());
        let (file, told) = (file.to_owned(), Arc::clone(&many));
        let task = tokio::spawn(async move {
            told.notified().await;
            // Without the lock statements take their own, so an error has no effect.
            if let Ok(Ok(connection)) = blocking(move || SqliteConnection::open(&file)).await {
                let _ = hold(connection, &told, &work).await;
            }
        });
        Self {
            reads: Arc::default(),
            many,
            task: Arc::new(LockTask(Mutex::new(Some(task)))),
        }
    }

    /// Notes that a statement has read.
    pub(super) fn note_read(&self) {
        if self.reads.fetch_add(1, Ordering::Relaxed) % READS == READS - 1 {
            self.many.notify_one();
        }
    }

    /// Lets the lock go and takes it no more.
    pub(super) async fn close(&self) {
        let task = self.task.0.lock().await.take();
        if let Some(task) = task {
            task.abort();
            // It was aborted.
            let _ = task.await;
        }
    }
}

impl Drop for LockTask {
    fn drop(&mut self) {
        if let Some(task) = self.0.get_mut() {
            task.abort();
        }
    }
}

/// Holds the lock for a moment whenever reads are many.
async fn hold(connection: SqliteConnection, many: &Notify, work: &WorkCounter) -> Result<(), SqlError> {
    loop {
        let writes = work.so_far().commits;
        connection.step("BEGIN")?;
        // The lock is taken by the first statement that reads.
        connection.first::<i64>("SELECT COUNT(*) FROM (SELECT 1 FROM sqlite_schema LIMIT 1)")?;
        sleep(HELD_FOR).await;
        connection.step("COMMIT")?;
        sleep(if work.so_far().commits == writes {
            PAUSE
        } else {
            PAUSE_BESIDE_WRITES
        })
        .await;
        many.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::time::Instant;

    use super::super::super::query;
    use super::super::SqliteReaders;
    use super::*;

    /// The longest that a test waits.
    const DEADLINE: Duration = Duration::from_secs(30);
    struct Notes {
        dir: tempfile::TempDir,
        writer: SqliteConnection,
        readers: SqliteReaders,
    }

    fn notes() -> Notes {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("notes.db");
        let writer = SqliteConnection::create(&file).unwrap();
        writer.waits(false).unwrap();
        writer.batch("CREATE TABLE notes (text TEXT NOT NULL)").unwrap();
        let readers = SqliteReaders::new(&file, 2, WorkCounter::default());
        Notes { dir, writer, readers }
    }

    impl Notes {
        fn file(&self, end: &str) -> PathBuf {
            self.dir.path().join(format!("notes.db{end}"))
        }

        async fn count(&self) -> i64 {
            query("SELECT COUNT(*) AS notes FROM notes")
                .fetch_one(&self.readers)
                .await
                .unwrap()
        }

        async fn read_often(&self) {
            for _ in 0..READS {
                self.count().await;
            }
        }

        /// Writes, and tries to empty the log. Whether somebody reads what was there before.
        fn is_held(&self) -> bool {
            self.writer.batch("INSERT INTO notes VALUES ('a')").unwrap();
            let is_busy: i64 = self.writer.first("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
            is_busy == 1
        }

        /// Whether the lock is held for much longer than a statement takes.
        fn stays_held(&self) -> bool {
            let begun = Instant::now();
            while begun.elapsed() < HELD_FOR / 2 {
                if !self.is_held() {
                    return false;
                }
            }
            true
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn after_many_reads_the_lock_stays_for_a_moment() {
        let notes = notes();
        notes.count().await;
        assert!(!notes.is_held(), "a single read lets its lock go");
        let deadline = Instant::now() + DEADLINE;
        while !notes.stays_held() {
            assert!(Instant::now() < deadline, "the lock is never held");
            notes.read_often().await;
        }
        let before = notes.count().await;
        notes.writer.batch("INSERT INTO notes VALUES ('b')").unwrap();
        assert_eq!(notes.count().await, before + 1, "what is written is read at once");
        // Emptying the log waits for who reads, as long as a statement waits for others.
        notes.writer.waits(true).unwrap();
        assert!(!notes.is_held(), "the lock stays");
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn the_log_begins_anew_although_reads_go_on() {
        /// SQLite copies the log into the file when it has 1,000 pages.
        const LOG_BYTES_MAX: u64 = 3 * 1_000 * 4_096;
        const COMMITS: usize = 1_500;
        let notes = notes();
        let text = "x".repeat(4 * 4_096);
        for _ in 0..COMMITS {
            notes
                .writer
                .batch(&format!("INSERT INTO notes VALUES ('{text}')"))
                .unwrap();
            for _ in 0..READS / 4 {
                query("SELECT COUNT(*) AS tables FROM sqlite_schema")
                    .fetch_one::<i64>(&notes.readers)
                    .await
                    .unwrap();
            }
        }
        let log = notes.file("-wal").metadata().unwrap().len();
        assert!(log <= LOG_BYTES_MAX, "{log}");
    }
}
