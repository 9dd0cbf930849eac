//! Connections to a PostgreSQL server.

mod address;
mod certificates;
mod sessions;
mod values;

use std::time::Duration;

use deadpool_postgres::{
    Hook, HookError, Manager, ManagerConfig, Object, Pool, QueueMode, RecyclingMethod, Runtime,
};
use futures_util::future::{OptionFuture, join, join_all};
use tokio::time::timeout;
use tokio_postgres::{Client, Row};
use url::Url;

use self::sessions::SessionSharing;
use self::values::ServerAnswer;

use super::error_count::count_error;
use super::pool_state::PoolState;
use super::work::WorkCounter;
use super::{Call, Executor, SqlAnswer, SqlError};

/// How long a connection may take, and how long a request waits for a free one.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a request waits for a connection that is free, or new, and answers.
const CONNECTION_MAX: Duration = Duration::from_secs(12);
/// How long a connection may say nothing after a statement: a bit longer than a statement may take. A server that works
/// ends the statement first; one that hangs, or the network before it, never does.
const SILENT_MAX: Duration = Duration::from_secs(22);
/// What is said of a server that takes a statement and says nothing.
const SILENT: SqlError = SqlError::Pool("the database did not answer in time");
/// A connection is not used longer than this, so that all connections move to a server that took over.
const AGE_MAX: Duration = Duration::from_mins(30);
/// A connection that was idle for this long is tested before use, because the server may be gone. One that was used
/// just now is not tested, because that would cost a round trip for every statement.
const TESTED_WHEN_IDLE_FOR: Duration = Duration::from_secs(5);

/// Connections to a server. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct PostgresPool {
    pool: Pool,
    sessions: SessionSharing,
    work: WorkCounter,
}

impl PostgresPool {
    /// Connects once, so that an error is known at once, and then as often as needed, at most so many times.
    pub(crate) async fn connect(url: &Url, connections: u32, work: WorkCounter) -> Result<Self, SqlError> {
        let address = address::parse(url)?;
        let tls = certificates::connector(&address.certificates)?;
        // Boxed, because it is large and would be a part of every future that opens a store.
        let first = Box::pin(address.config.connect(tls.clone()));
        match timeout(CONNECT_TIMEOUT, first).await {
            Ok(connected) => drop(connected?),
            Err(_) => return Err(SqlError::Pool("the database did not answer in time")),
        }
        let recycling = ManagerConfig {
            recycling_method: RecyclingMethod::Fast,
        };
        let sessions = address.sessions;
        let manager = Manager::from_config(address.config, tls, recycling);
        let pool = Pool::builder(manager)
            .max_size(usize::try_from(connections).unwrap_or(1).max(1))
            .runtime(Runtime::Tokio1)
            // The one that was used last: the server works with few processes, whose memory is in the processor's caches.
            .queue_mode(QueueMode::Lifo)
            .wait_timeout(Some(CONNECT_TIMEOUT))
            .create_timeout(Some(CONNECT_TIMEOUT))
            .recycle_timeout(Some(CONNECT_TIMEOUT))
            .post_create(Hook::async_fn(move |client, _| {
                Box::pin(async move { sessions.set_up(client).await.map_err(HookError::Backend) })
            }))
            .pre_recycle(Hook::async_fn(|client, metrics| {
                Box::pin(async move {
                    if metrics.age() > AGE_MAX {
                        return Err(HookError::message("old"));
                    }
                    if metrics.last_used() > TESTED_WHEN_IDLE_FOR {
                        client.simple_query("").await.map_err(HookError::Backend)?;
                    }
                    Ok(())
                })
            }))
            .build()
            .map_err(|cause| SqlError::Settings(cause.to_string()))?;
        Ok(Self { pool, sessions, work })
    }

    /// A transaction. It begins with its first statement.
    pub(crate) async fn begin(&self) -> Result<PostgresTransaction, SqlError> {
        Ok(PostgresTransaction {
            client: Some(self.client().await.inspect_err(count_error)?),
            is_open: false,
            sessions: self.sessions,
            work: self.work.clone(),
        })
    }

    /// A free connection that answers, or a new one.
    async fn client(&self) -> Result<Object, SqlError> {
        match timeout(CONNECTION_MAX, self.pool.get()).await {
            Ok(got) => Ok(got?),
            Err(_) => Err(SILENT),
        }
    }

    /// Runs a statement as a transaction of its own.
    async fn run_alone(&self, call: &Call<'_>) -> Result<ServerAnswer, SqlError> {
        let client = self.client().await?;
        self.work.statement();
        self.work.round_trip();
        if let Ok(ran) = timeout(SILENT_MAX, self.sessions.run_alone(&client, call)).await {
            return ran;
        }
        drop(Object::take(client));
        Err(SILENT)
    }

    /// Runs a statement as a transaction of its own. The rows are as the server sent them.
    pub(crate) async fn rows(&self, call: &Call<'_>) -> Result<Vec<Row>, SqlError> {
        match self.run_alone(call).await? {
            ServerAnswer::Rows(rows) => Ok(rows),
            ServerAnswer::Changes(_) => Ok(Vec::new()),
        }
    }

    /// Runs several statements without values on one connection.
    pub(crate) async fn batch(&self, sql: &str) -> Result<(), SqlError> {
        Ok(self.client().await?.batch_execute(sql).await?)
    }

    /// A connection that is not given back, for what changes its settings.
    pub(crate) async fn detached(&self) -> Result<DetachedClient, SqlError> {
        Ok(DetachedClient(Object::take(self.client().await?)))
    }

    /// How busy the connections are.
    pub(crate) fn state(&self) -> PoolState {
        let status = self.pool.status();
        PoolState {
            max: status.max_size,
            in_use: status.size.saturating_sub(status.available),
            idle: status.available,
            waiting: status.waiting,
        }
    }

    /// Closes the connections, and opens no others.
    pub(crate) fn close(&self) {
        self.pool.close();
    }
}

/// A connection that closes when it is dropped.
pub(crate) struct DetachedClient(deadpool_postgres::ClientWrapper);

impl std::ops::Deref for DetachedClient {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.0
    }
}

impl Executor for &PostgresPool {
    async fn run(self, call: Call<'_>) -> Result<SqlAnswer, SqlError> {
        self.run_alone(&call).await?.read()
    }
}

/// A transaction. Dropping it without [`Self::commit`] rolls it back.
#[derive(Debug)]
pub(crate) struct PostgresTransaction {
    /// Always there, until it is dropped.
    client: Option<Object>,
    is_open: bool,
    sessions: SessionSharing,
    work: WorkCounter,
}

impl PostgresTransaction {
    /// Runs statements in this order, in one round trip. The first of a transaction are sent together with `BEGIN`.
    pub(crate) async fn run_all(&mut self, calls: &[Call<'_>]) -> Result<Vec<SqlAnswer>, SqlError> {
        let client = self.client.as_ref().ok_or(SqlError::Thread)?;
        let (sessions, work, is_open) = (self.sessions, &self.work, &mut self.is_open);
        let running = async {
            // All before the first one is sent: preparing one waits for the server, and the order must not change.
            let mut statements = Vec::with_capacity(calls.len());
            for call in calls {
                statements.push(sessions.prepared(client, call).await?);
                work.statement();
            }
            work.round_trip();
            let begin = (!*is_open).then(|| client.batch_execute(sessions.begin()));
            // From now on the transaction must be rolled back, even if the caller does not wait for the answers.
            *is_open = true;
            let run = statements
                .iter()
                .zip(calls)
                .map(|(statement, call)| statement.run(client, call));
            // Each future sends its statement when it is polled first, and they are polled in this order.
            let (opened, answers) = join(OptionFuture::from(begin), join_all(run)).await;
            opened.transpose()?;
            answers.into_iter().map(|answer| answer?.read()).collect()
        };
        if let Ok(ran) = timeout(SILENT_MAX, running).await {
            return ran;
        }
        self.give_up();
        Err(SILENT)
    }

    /// Runs a statement.
    pub(crate) async fn run(&mut self, call: &Call<'_>) -> Result<SqlAnswer, SqlError> {
        let answers = self.run_all(std::slice::from_ref(call)).await?;
        answers.into_iter().next().ok_or(SqlError::NoRow)
    }

    /// Makes the transaction durable.
    pub(crate) async fn commit(mut self) -> Result<(), SqlError> {
        if self.is_open {
            let client = self.client.as_ref().ok_or(SqlError::Thread)?;
            self.work.round_trip();
            let Ok(committed) = timeout(SILENT_MAX, client.batch_execute("COMMIT")).await else {
                self.give_up();
                count_error(&SILENT);
                return Err(SILENT);
            };
            committed.map_err(SqlError::from).inspect_err(count_error)?;
            self.is_open = false;
        }
        Ok(())
    }

    /// Closes the connection, whose next answer would belong to the last statement.
    fn give_up(&mut self) {
        if let Some(client) = self.client.take() {
            drop(Object::take(client));
        }
    }
}

impl Executor for &mut PostgresTransaction {
    async fn run(self, call: Call<'_>) -> Result<SqlAnswer, SqlError> {
        PostgresTransaction::run(self, &call).await
    }
}

impl Drop for PostgresTransaction {
    fn drop(&mut self) {
        let Some(client) = self.client.take() else { return };
        if !self.is_open {
            return;
        }
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => {
                runtime.spawn(async move {
                    let rolled_back = timeout(SILENT_MAX, client.batch_execute("ROLLBACK")).await;
                    if !matches!(rolled_back, Ok(Ok(()))) {
                        // Its state is unknown.
                        drop(Object::take(client));
                    }
                });
            }
            Err(_) => drop(Object::take(client)),
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use harness::postgres::{Durability, Postgres};

    use super::super::{Wanted, query};
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
        let call = Call {
            sql: INSERT,
            params: &[],
            wanted: Wanted::Changes,
        };
        // Both are sent when it is polled for the first time.
        let polled = canceled.run(&call).now_or_never();
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
}
