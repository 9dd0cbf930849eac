//! Connections to a server of the tests' own.

use futures_util::FutureExt as _;
use harness::postgres::{Durability, Postgres};

use super::super::query;
use super::*;

/// The next user of the connection would write into the open transaction, and be told that it is done.
#[tokio::test]
async fn a_canceled_statement_leaves_no_open_transaction() {
    const INSERT: &str = "INSERT INTO t (at) VALUES (1)";
    let server = Postgres::start(Durability::None).unwrap();
    let url = server.new_database().unwrap().parse().unwrap();
    let connect = || PostgresPool::connect(&url, 1, WorkCounter::default());
    let (pool, other) = (connect().await.unwrap(), connect().await.unwrap());
    pool.batch("CREATE TABLE t (at BIGINT)").await.unwrap();
    // From now on the session knows the statement.
    query(INSERT).execute(&pool).await.unwrap();
    let mut canceled = pool.begin().await.unwrap();
    let insert = query(INSERT);
    // Both are sent when it is polled for the first time.
    let polled = canceled.run::<i64>(&insert).now_or_never();
    assert!(polled.is_none(), "it waits for the answers");
    drop(canceled);
    query(INSERT).execute(&pool).await.unwrap();
    let seen: i64 = query("SELECT COUNT(*) FROM t").fetch_one(&other).await.unwrap();
    assert_eq!(seen, 2);
}

/// Each connection is a process of the server, which takes less processor time when it worked just before.
#[tokio::test]
async fn the_connection_that_was_used_last_is_used_next() {
    const PROCESS: &str = "SELECT CAST(pg_backend_pid() AS BIGINT)";
    let server = Postgres::start(Durability::None).unwrap();
    let url = server.new_database().unwrap().parse().unwrap();
    let pool = PostgresPool::connect(&url, 3, WorkCounter::default())
        .await
        .unwrap();
    let three = futures_util::future::try_join_all([pool.client(), pool.client(), pool.client()]);
    drop(three.await.unwrap());
    let mut processes = std::collections::BTreeSet::new();
    for _ in 0..6 {
        let process: i64 = query(PROCESS).fetch_one(&pool).await.unwrap();
        processes.insert(process);
    }
    assert_eq!((pool.state().idle, processes.len()), (3, 1), "{processes:?}");
}

/// No statement is compiled or shared out to more processes, because a report of a short range would take many times as
/// long, and none reads a whole table where it needs not, and none is planned again for each call.
#[tokio::test]
async fn statements_are_planned_once_for_few_rows() {
    let server = Postgres::start(Durability::None).unwrap();
    let own: Url = server.new_database().unwrap().parse().unwrap();
    let mut shared = own.clone();
    shared.query_pairs_mut().append_pair("pgbouncer", "true");
    for url in [own, shared] {
        let pool = PostgresPool::connect(&url, 1, WorkCounter::default())
            .await
            .unwrap();
        let settings: Vec<String> = query(
            "SELECT setting FROM pg_settings WHERE name IN ('jit', 'enable_seqscan', 'plan_cache_mode', \
             'max_parallel_workers_per_gather') ORDER BY name",
        )
        .fetch_all(&pool)
        .await
        .unwrap();
        assert_eq!(settings, ["off", "off", "0", "force_generic_plan"], "{url}");
    }
}
