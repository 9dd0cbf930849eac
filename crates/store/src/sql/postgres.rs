//! Connections to a PostgreSQL server.

mod address;
mod certificates;
mod sessions;

use std::slice;
use std::time::Duration;

use deadpool_postgres::{
    ClientWrapper, Hook, HookError, Manager, ManagerConfig, Object, Pool, QueueMode, RecyclingMethod, Runtime,
};
use futures_util::future::{OptionFuture, join_all, join3};
use tokio::time::timeout;
use url::Url;

pub use self::address::Transport;
pub(crate) use self::address::transport;
pub(crate) use self::sessions::PostgresAnswer;
use self::sessions::SessionSharing;
use super::counts::{PoolState, WorkCounter, count_error};
use super::{Executor, FromRow, Query, SqlAnswer, SqlError};

/// How long a connection may take, and how long a request waits for a free one.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a request waits for a connection that is free, or new, and answers.
const CONNECTION_MAX: Duration = Duration::from_secs(12);
/// How long to wait for the answer to a statement: a bit longer than a statement may take. A server that works ends the
/// statement first; one that hangs, or the network before it, never does.
const SILENT_MAX: Duration = Duration::from_secs(22);
/// The error of a server that accepts a statement and does not answer.
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
    /// Connects once, so that an error is reported at once, and then as needed, with at most so many connections.
    pub(crate) async fn connect(url: &Url, connections: u32, work: WorkCounter) -> Result<Self, SqlError> {
        let address = address::parse(url)?;
        let tls = certificates::connector(&address.certificates)?;
        // Boxed, because it is large and would be a part of every future that opens a store.
        let first = Box::pin(address.config.connect(tls.clone()));
        drop(timeout(CONNECT_TIMEOUT, first).await.map_err(|_| SILENT)??);
        let recycling = ManagerConfig {
            recycling_method: RecyclingMethod::Fast,
        };
        let sessions = address.sessions;
        let pool = Pool::builder(Manager::from_config(address.config, tls, recycling))
            .max_size(usize::try_from(connections).unwrap_or(1).max(1))
            .runtime(Runtime::Tokio1)
            // The connection that was used last comes first, so that the server works with few processes, whose memory stays in
            // the processor's caches.
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
            next_commits: false,
            sessions: self.sessions,
            work: self.work.clone(),
        })
    }

    /// A free connection that answers, or a new one.
    async fn client(&self) -> Result<Object, SqlError> {
        Ok(timeout(CONNECTION_MAX, self.pool.get())
            .await
            .map_err(|_| SILENT)??)
    }

    /// Runs several statements without values on one connection.
    pub(crate) async fn batch(&self, sql: &str) -> Result<(), SqlError> {
        Ok(self.client().await?.batch_execute(sql).await?)
    }

    /// A connection that does not go back to the pool and closes when it is dropped, for a caller that changes its settings.
    pub(crate) async fn detached(&self) -> Result<ClientWrapper, SqlError> {
        Ok(Object::take(self.client().await?))
    }

    /// How busy the connections are.
    pub(crate) fn state(&self) -> PoolState {
        self.pool.status().into()
    }

    /// Closes the connections, and opens no others.
    pub(crate) fn close(&self) {
        self.pool.close();
    }
}

/// Runs the statement as a transaction of its own.
impl Executor for &PostgresPool {
    async fn run<T: FromRow>(self, query: &Query<'_>) -> Result<SqlAnswer<T>, SqlError> {
        let client = self.client().await?;
        self.work.statement();
        self.work.round_trip();
        if let Ok(ran) = timeout(SILENT_MAX, self.sessions.run_alone(&client, query)).await {
            return ran?.read();
        }
        drop(Object::take(client));
        Err(SILENT)
    }
}

/// A transaction. Dropping it without [`Self::commit`] rolls it back.
#[derive(Debug)]
pub(crate) struct PostgresTransaction {
    /// Present until the transaction is dropped.
    client: Option<Object>,
    is_open: bool,
    next_commits: bool,
    sessions: SessionSharing,
    work: WorkCounter,
}

impl PostgresTransaction {
    /// The next statements are the last ones: `COMMIT` is sent together with them. If one of them fails, the server rolls
    /// all of them back.
    pub(crate) fn commit_with_next(&mut self) {
        self.next_commits = true;
    }

    /// Runs statements in this order, in one round trip. The first of a transaction are sent together with `BEGIN`.
    pub(crate) async fn run_all(&mut self, queries: &[Query<'_>]) -> Result<Vec<PostgresAnswer>, SqlError> {
        let client = self.client.as_ref().ok_or(SqlError::Thread)?;
        let (sessions, work, is_open) = (self.sessions, &self.work, &mut self.is_open);
        let commits = self.next_commits;
        let running = async {
            // All are prepared before the first one is sent, because preparing waits for the server, and the order must not
            // change.
            let mut statements = Vec::with_capacity(queries.len());
            for query in queries {
                statements.push(sessions.prepared(client, query).await?);
                work.statement();
            }
            work.round_trip();
            let begin = (!*is_open).then(|| client.batch_execute(sessions.begin()));
            // From now on the transaction must be rolled back, even if the caller does not wait for the answers.
            *is_open = true;
            let run = statements
                .iter()
                .zip(queries)
                .map(|(statement, query)| sessions::run(client, statement.as_ref(), query));
            // Each future sends its statement when it is polled first, and they are polled in this order.
            let commit = commits.then(|| client.batch_execute("COMMIT"));
            let (opened, answers, committed) = join3(
                OptionFuture::from(begin),
                join_all(run),
                OptionFuture::from(commit),
            )
            .await;
            opened.transpose()?;
            // Of a transaction with a failed statement, `COMMIT` is a rollback and no error.
            let answers = answers.into_iter().collect::<Result<_, _>>();
            if committed.transpose()?.is_some() {
                *is_open = false;
            }
            answers
        };
        if let Ok(ran) = timeout(SILENT_MAX, running).await {
            return ran;
        }
        self.give_up();
        Err(SILENT)
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
    async fn run<T: FromRow>(self, query: &Query<'_>) -> Result<SqlAnswer<T>, SqlError> {
        let answers = self.run_all(slice::from_ref(query)).await?;
        answers.into_iter().next().ok_or(SqlError::NoRow)?.read()
    }
}

impl Drop for PostgresTransaction {
    fn drop(&mut self) {
        let Some(client) = self.client.take().filter(|_| self.is_open) else {
            return;
        };
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
mod tests;
