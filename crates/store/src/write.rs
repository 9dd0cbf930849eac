//! Transactions that write, and their retry after a conflict with another transaction.

use std::time::Duration;

use backon::{ExponentialBuilder, Retryable};
use serde::de::IgnoredAny;

use super::group_commit::{GroupCommit, GroupedTransaction};
use super::sql::counts::count_error;
use super::sql::postgres::{PostgresPool, PostgresTransaction};
use super::sql::sqlite::SqliteReaders;
use super::sql::{Executor, FromRow, Query, SqlAnswer, SqlError};
use super::{Store, StoreError};

/// How often a transaction is tried while others conflict with it.
const TRIES: usize = 10;
/// The pause before the second try; each next one is twice as long, up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// A transaction. Dropping it without [`Tx::commit`] rolls it back.
#[derive(Debug)]
pub(super) enum Tx {
    /// On SQLite: it shares its commit with others.
    Grouped(GroupedTransaction),
    /// On PostgreSQL.
    Single(Box<PostgresTransaction>),
}

impl Tx {
    /// Whether no other transaction writes at the same time, as on SQLite.
    pub(super) fn is_only_writer(&self) -> bool {
        matches!(self, Self::Grouped(_))
    }

    /// Makes the transaction durable. Call it also if nothing was written, because the rows that were read may belong to a
    /// transaction that is not durable yet.
    pub(super) async fn commit(self) -> Result<(), StoreError> {
        match self {
            Self::Grouped(part) => part.commit().await,
            Self::Single(transaction) => Ok(Box::pin(transaction.commit()).await?),
        }
    }

    /// The next statements are the last ones of the transaction. PostgreSQL gets them and the commit in one round trip, so
    /// this is for statements that need no look at their results: they change rows that this transaction has locked. Call
    /// [`Self::commit`] all the same.
    pub(super) fn commit_with_next(&mut self) {
        if let Self::Single(transaction) = self {
            transaction.commit_with_next();
        }
    }

    /// Runs statements in this order, and returns how many rows each one changed. PostgreSQL gets them in one round trip.
    /// After a statement that fails, it refuses the rest.
    pub(super) async fn execute_all(&mut self, queries: &[Query<'_>]) -> Result<Vec<u64>, SqlError> {
        let ran = match self {
            Self::Grouped(part) => {
                let changes = |query| Ok(part.run::<IgnoredAny>(query)?.changes);
                queries.iter().map(changes).collect()
            }
            // Boxed, because waiting for PostgreSQL is large, and would be a part of every future of the store.
            Self::Single(transaction) => Box::pin(transaction.run_all(queries))
                .await
                .map(|answers| answers.iter().map(|answer| answer.changes).collect()),
        };
        ran.inspect_err(count_error)
    }

    /// The rows of two statements, which PostgreSQL gets in one round trip.
    pub(super) async fn fetch_both<A: FromRow, B: FromRow>(
        &mut self,
        first: Query<'_>,
        second: Query<'_>,
    ) -> Result<(Vec<A>, Vec<B>), SqlError> {
        let both = match self {
            Self::Grouped(part) => part.run(&first).and_then(|first| Ok((first, part.run(&second)?))),
            Self::Single(transaction) => {
                let answers = Box::pin(transaction.run_all(&[first, second])).await;
                answers.and_then(|answers| {
                    let [first, second] = answers.try_into().map_err(|_| SqlError::NoRow)?;
                    Ok((first.read()?, second.read()?))
                })
            }
        };
        let (first, second) = both.inspect_err(count_error)?;
        Ok((first.rows, second.rows))
    }
}

impl Executor for &mut Tx {
    async fn run<T: FromRow>(self, query: &Query<'_>) -> Result<SqlAnswer<T>, SqlError> {
        match self {
            Tx::Grouped(part) => part.run(query),
            Tx::Single(transaction) => Box::pin(Executor::run(&mut **transaction, query)).await,
        }
    }
}

/// Begins transactions that write.
#[derive(Debug, Clone)]
pub(super) enum Writer {
    Sqlite(GroupCommit),
    Postgres(PostgresPool),
}

impl Writer {
    /// A transaction that writes.
    pub(super) async fn begin(&self) -> Result<Tx, StoreError> {
        Ok(match self {
            Self::Sqlite(group) => Tx::Grouped(group.begin().await?),
            Self::Postgres(pool) => Tx::Single(Box::new(Box::pin(pool.begin()).await?)),
        })
    }
}

/// The connections that read.
#[derive(Debug, Clone)]
pub(super) enum Readers {
    Sqlite(SqliteReaders),
    Postgres(PostgresPool),
}

impl Executor for &Readers {
    async fn run<T: FromRow>(self, query: &Query<'_>) -> Result<SqlAnswer<T>, SqlError> {
        match self {
            Readers::Sqlite(readers) => readers.run(query).await,
            Readers::Postgres(pool) => Box::pin(pool.run(query)).await,
        }
    }
}

impl Store {
    /// A transaction that writes; run it within [`retried`]. SQLite runs one at a time, so what it reads cannot change
    /// before it commits. On PostgreSQL several run at the same time with the server's usual isolation. READ COMMITTED
    /// is enough, because a transaction locks its charge or card first and writes only if what it read is unchanged.
    pub(super) async fn write(&self) -> Result<Tx, StoreError> {
        self.writer.begin().await
    }
}

impl Query<'_> {
    /// Runs it in a transaction of its own. Returns how many rows it changed.
    pub(super) async fn write(self, on: &Writer) -> Result<u64, StoreError> {
        retried(|| async {
            match on {
                Writer::Sqlite(group) => {
                    let mut tx = Tx::Grouped(group.begin().await?);
                    let changes = self.execute(&mut tx).await?;
                    tx.commit().await?;
                    Ok(changes)
                }
                // Alone, a statement is a transaction.
                Writer::Postgres(pool) => Ok(Box::pin(self.execute(pool)).await?),
            }
        })
        .await
    }
}

/// Runs a whole transaction, and retries it after a conflict: a changed row, a key that another transaction wrote
/// first, a serialization failure or a deadlock. The next try sees what the other transaction did.
pub(super) async fn retried<T, F>(transaction: impl Fn() -> F) -> Result<T, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    let pauses = ExponentialBuilder::default()
        .with_min_delay(FIRST_PAUSE)
        .with_max_delay(LONGEST_PAUSE)
        .with_max_times(TRIES - 1);
    transaction.retry(pauses).when(StoreError::is_conflict).await
}

impl StoreError {
    /// Whether another transaction is the reason, so that a retry can help.
    fn is_conflict(&self) -> bool {
        match self {
            Self::Conflict(_) => true,
            Self::Database(error) => error.is_unique_violation() || error.is_serialization_failure(),
            _ => false,
        }
    }
}
