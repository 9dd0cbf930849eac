//! Transactions that share a commit.

use std::time::Duration;

use serde::de::IgnoredAny;

use super::*;
use crate::sql::query;
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
    part.run::<IgnoredAny>(&query(sql)).map(drop)
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

    async fn durable(&self) -> Vec<String> {
        query("SELECT text FROM notes ORDER BY text")
            .fetch_all(&self.store.readers)
            .await
            .unwrap()
    }
}

#[tokio::test]
async fn the_undo_log_of_a_savepoint_is_kept_in_memory() {
    const IN_MEMORY: i64 = 2;
    let notes = notes().await;
    let mut part = notes.group.begin().await.unwrap();
    let answer = part.run::<i64>(&query("PRAGMA temp_store")).unwrap();
    assert_eq!(answer.rows, [IN_MEMORY]);
}

#[tokio::test]
async fn a_caller_that_stops_waiting_for_another_process_blocks_no_other() {
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

// In each test below the transactions begin at the same time: the first one opens the shared transaction, and the others
// queue.

#[tokio::test]
async fn queued_transactions_share_a_commit() {
    let notes = notes().await;
    let write = async |sql| {
        let mut part = notes.group.begin().await.unwrap();
        note(&mut part, sql).unwrap();
        let shared = part.writer.shared.as_ref().unwrap().ended.subscribe();
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
async fn a_dropped_transaction_is_rolled_back_alone() {
    let notes = notes().await;
    let (before, (), after) = tokio::join!(
        notes.write("INSERT INTO notes VALUES ('a')"),
        notes.give_up(),
        notes.write("INSERT INTO notes VALUES ('b')"),
    );
    before.unwrap();
    after.unwrap();
    assert_eq!(notes.durable().await, ["a", "b"]);
}

#[tokio::test]
async fn transactions_are_not_reported_durable_after_a_failed_commit() {
    let notes = notes().await;
    let lose = async || {
        let mut part = notes.group.begin().await.unwrap();
        // SQLite does this itself when the disk is full.
        note(&mut part, "ROLLBACK").unwrap();
    };
    for _ in 0..2 {
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
async fn a_rolled_back_transaction_is_not_reported_durable() {
    let notes = notes().await;
    let mut part = notes.group.begin().await.unwrap();
    note(&mut part, "INSERT INTO notes VALUES ('a')").unwrap();
    note(&mut part, "ROLLBACK").unwrap();
    let ended = part.commit().await;
    assert!(matches!(ended, Err(StoreError::NotDurable)), "{ended:?}");
    assert_eq!(notes.durable().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_statement_after_a_rollback_of_the_database_does_not_run() {
    let notes = notes().await;
    let mut part = notes.group.begin().await.unwrap();
    note(&mut part, "ROLLBACK").unwrap();
    note(&mut part, "INSERT INTO notes VALUES ('a')").unwrap_err();
    drop(part);
    assert_eq!(notes.durable().await, Vec::<String>::new());
}

/// The runtime has one thread.
#[tokio::test]
async fn tasks_run_while_a_commit_waits_for_the_disk() {
    let notes = notes().await;
    let (busy, until) = std::sync::mpsc::channel::<()>();
    let mut part = notes.group.begin().await.unwrap();
    note(&mut part, "INSERT INTO notes VALUES ('a')").unwrap();
    // The commit waits for the connection. A thread for work that blocks has it, as during a write to the disk.
    let commit = tokio::spawn(part.commit());
    let mut writer = Arc::clone(&notes.group.queue).lock_owned().await;
    let waits = tokio::task::spawn_blocking(move || {
        let _ = until.recv_timeout(DEADLINE);
        writer.end_shared();
    });
    assert_eq!(notes.durable().await, Vec::<String>::new());
    assert!(!commit.is_finished());
    drop(busy);
    waits.await.unwrap();
    commit.await.unwrap().unwrap();
    assert_eq!(notes.durable().await, ["a"]);
}
