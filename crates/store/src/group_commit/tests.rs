//! Transactions that share a commit.

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
