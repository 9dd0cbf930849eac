//! Transactions that share a commit.

use std::time::Duration;

use super::*;
use crate::sql::{Wanted, query};
use crate::write::{Writer, retried};
use crate::{Database, Store};

/// The longest that a test waits.
const DEADLINE: Duration = Duration::from_secs(20);

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
    /// Writes once, without another try.
    async fn write(&self, sql: &'static str) -> Result<(), StoreError> {
        let mut part = self.group.begin().await?;
        note(&mut part, sql)?;
        part.commit().await
    }

    /// Writes, and is dropped.
    async fn give_up(&self) {
        let mut part = self.group.begin().await.unwrap();
        note(&mut part, "INSERT INTO notes VALUES ('z')").unwrap();
    }

    /// Whether the parts of the next shared transaction are savepoints.
    async fn is_careful(&self) -> bool {
        let part = self.group.begin().await.unwrap();
        let is_careful = part.0.shared.as_ref().unwrap().is_careful;
        part.commit().await.unwrap();
        is_careful
    }

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

#[tokio::test]
async fn who_is_about_to_come_shares_the_commit() {
    let notes = notes().await;
    let before = notes.store.work().commits;
    let write = async |sql, after| {
        for _ in 0..after {
            // tidy-allow sleep: it comes in a later round, as a request does
            tokio::task::yield_now().await;
        }
        let mut part = notes.group.begin().await.unwrap();
        note(&mut part, sql).unwrap();
        part.commit().await.unwrap();
    };
    tokio::join!(
        write("INSERT INTO notes VALUES ('a')", 0),
        write("INSERT INTO notes VALUES ('b')", 1),
        write("INSERT INTO notes VALUES ('c')", 2),
    );
    assert_eq!(notes.durable().await, ["a", "b", "c"]);
    assert_eq!(notes.store.work().commits - before, 1);
}

// In each test below the transactions begin at the same time: the first one opens the shared transaction, and the others
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
    let write = async |sql| retried(|| notes.write(sql)).await.unwrap();
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
async fn the_others_of_a_dropped_transaction_run_again() {
    let notes = notes().await;
    let (before, (), after) = tokio::join!(
        notes.write("INSERT INTO notes VALUES ('a')"),
        notes.give_up(),
        notes.write("INSERT INTO notes VALUES ('b')"),
    );
    assert!(matches!(before, Err(StoreError::Conflict(_))), "{before:?}");
    after.unwrap();
    assert_eq!(notes.durable().await, ["b"]);
    // A single statement runs again, too.
    while notes.is_careful().await {}
    let alone = query("INSERT INTO notes VALUES ('c')").write(&notes.store.writer);
    let (written, ()) = tokio::join!(alone, notes.give_up());
    written.unwrap();
    assert_eq!(notes.durable().await, ["b", "c"]);
}

#[tokio::test]
async fn a_dropped_transaction_that_changed_nothing_disturbs_nobody() {
    let notes = notes().await;
    let look = async || {
        let mut part = notes.group.begin().await.unwrap();
        note(&mut part, "UPDATE notes SET text = 'y' WHERE text = 'x'").unwrap();
    };
    let (before, (), after) = tokio::join!(
        notes.write("INSERT INTO notes VALUES ('a')"),
        look(),
        notes.write("INSERT INTO notes VALUES ('b')"),
    );
    before.unwrap();
    after.unwrap();
    assert!(!notes.is_careful().await);
    assert_eq!(notes.durable().await, ["a", "b"]);
}

#[tokio::test]
async fn a_note_counts_for_all_who_share_a_commit_but_for_savepoints() {
    let notes = notes().await;
    let write = async |sql| {
        let mut part = notes.group.begin().await.unwrap();
        let is_first = part.is_first_note("charges", 0);
        note(&mut part, sql).unwrap();
        part.commit().await.unwrap();
        is_first
    };
    let again = "INSERT INTO notes VALUES ('a') ON CONFLICT (text) DO NOTHING";
    let both = async || tokio::join!(write(again), write(again));
    assert_eq!(both().await, (true, false));
    // The next commit has notes of its own.
    assert_eq!(both().await, (true, false));
    notes.give_up().await;
    assert!(notes.is_careful().await);
    assert_eq!(both().await, (true, true));
}

#[tokio::test]
async fn who_is_refused_again_and_again_makes_the_others_run_again_once() {
    let notes = notes().await;
    notes.give_up().await;
    let mut careful = 0;
    while notes.is_careful().await {
        careful += 1;
        if careful < 3 {
            let (before, (), after) = tokio::join!(
                notes.write("INSERT INTO notes (text) SELECT 'a' || COUNT(*) FROM notes"),
                notes.give_up(),
                notes.write("INSERT INTO notes (text) SELECT 'a' || COUNT(*) FROM notes"),
            );
            before.unwrap();
            after.unwrap();
        }
    }
    assert_eq!(notes.durable().await, ["a0", "a1", "a2", "a3"]);
    // The two groups above were careful, too.
    assert_eq!(careful + 2, CAREFUL_TRANSACTIONS);
}

#[tokio::test]
async fn transactions_are_not_reported_durable_after_a_failed_commit() {
    let notes = notes().await;
    let lose = async || {
        let mut part = notes.group.begin().await.unwrap();
        // SQLite does this itself when the disk is full.
        note(&mut part, "ROLLBACK").unwrap();
    };
    for is_careful in [false, true] {
        assert_eq!(notes.is_careful().await, is_careful);
        let (before, (), after) = tokio::join!(
            notes.write("INSERT INTO notes VALUES ('a')"),
            lose(),
            notes.write("INSERT INTO notes VALUES ('b')"),
        );
        assert!(matches!(before, Err(StoreError::NotDurable)), "{before:?}");
        assert!(matches!(after, Err(StoreError::Conflict(_))), "{after:?}");
        assert_eq!(notes.durable().await, Vec::<String>::new());
        notes.give_up().await;
    }
    notes.write("INSERT INTO notes VALUES ('c')").await.unwrap();
    assert_eq!(notes.durable().await, ["c"]);
}

#[tokio::test]
async fn who_ends_a_transaction_that_is_gone_is_not_told_it_is_durable() {
    let notes = notes().await;
    let mut part = notes.group.begin().await.unwrap();
    note(&mut part, "INSERT INTO notes VALUES ('a')").unwrap();
    note(&mut part, "ROLLBACK").unwrap();
    let ended = part.commit().await;
    assert!(matches!(ended, Err(StoreError::NotDurable)), "{ended:?}");
    assert_eq!(notes.durable().await, Vec::<String>::new());
}

/// A runtime whose one thread for work that blocks is busy until the sender is dropped.
fn with_a_busy_thread() -> (tokio::runtime::Runtime, std::sync::mpsc::Sender<()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let (busy, until) = std::sync::mpsc::channel();
    // Dropping the sender ends it.
    runtime.spawn_blocking(move || until.recv());
    (runtime, busy)
}

#[test]
fn only_the_wait_for_a_slow_disk_is_left_to_another_thread() {
    let ready = tokio::runtime::Runtime::new().unwrap();
    let notes = ready.block_on(notes());
    let (runtime, busy) = with_a_busy_thread();
    runtime.block_on(async {
        let pace = async |took| notes.group.queue.lock().await.pace.note(took);
        pace(Duration::ZERO).await;
        let quick = notes.write("INSERT INTO notes VALUES ('a')");
        tokio::time::timeout(DEADLINE, quick).await.unwrap().unwrap();
        pace(Duration::MAX).await;
        let slow = notes.write("INSERT INTO notes VALUES ('b')");
        tokio::pin!(slow);
        let patience = Duration::from_millis(50);
        assert!(tokio::time::timeout(patience, &mut slow).await.is_err());
        drop(busy);
        slow.await.unwrap();
    });
    assert_eq!(ready.block_on(notes.durable()), ["a", "b"]);
}

#[tokio::test]
async fn who_writes_nothing_does_not_make_a_slow_disk_look_quick() {
    let notes = notes().await;
    notes.group.queue.lock().await.pace.note(Duration::MAX);
    notes.group.begin().await.unwrap().commit().await.unwrap();
    notes.give_up().await;
    notes.group.begin().await.unwrap().commit().await.unwrap();
    assert!(!notes.group.queue.lock().await.pace.is_quick());
}
