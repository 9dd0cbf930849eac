//! Transactions that write, and their retry after a conflict with another transaction.

use std::ops::{Deref, DerefMut};
use std::time::Duration;

use backon::{ExponentialBuilder, Retryable};
use sqlx::{Any, AnyConnection, Transaction};

use super::group_commit::GroupedTransaction;
use super::{Store, StoreError};

/// How often a transaction is tried while others conflict with it.
const TRIES: usize = 10;
/// The pause before the second try; each next one is twice as long, up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// A transaction. Dropping it without [`Tx::commit`] rolls it back.
pub(super) enum Tx {
    /// On SQLite: it shares its commit with others.
    Grouped(GroupedTransaction),
    /// On PostgreSQL.
    Single(Transaction<'static, Any>),
}

impl Tx {
    /// Makes the transaction durable. Call it also if nothing was written: what was read may belong to a transaction
    /// that is not durable yet.
    pub(super) async fn commit(self) -> Result<(), StoreError> {
        match self {
            Self::Grouped(part) => part.commit().await,
            Self::Single(transaction) => Ok(transaction.commit().await?),
        }
    }
}

impl Deref for Tx {
    type Target = AnyConnection;

    fn deref(&self) -> &AnyConnection {
        match self {
            Self::Grouped(part) => part,
            Self::Single(transaction) => transaction,
        }
    }
}

impl DerefMut for Tx {
    fn deref_mut(&mut self) -> &mut AnyConnection {
        match self {
            Self::Grouped(part) => part,
            Self::Single(transaction) => transaction,
        }
    }
}

impl Store {
    /// A transaction that writes; run it within [`retried`]. SQLite runs one at a time, so what it reads cannot change
    /// before it commits. On PostgreSQL several run at the same time with the server's usual isolation. READ COMMITTED
    /// is enough, because a transaction locks the charge first and writes only if what it read is unchanged.
    pub(super) async fn write(&self) -> Result<Tx, StoreError> {
        Ok(match &self.group {
            Some(group) => Tx::Grouped(group.begin().await?),
            None => Tx::Single(self.writer.begin().await?),
        })
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
            Self::Database(sqlx::Error::Database(error)) => {
                error.is_unique_violation()
                    || matches!(
                        error.code().as_deref(),
                        // PostgreSQL's serialization failure and deadlock. SQLite's "busy" is not retried: it has
                        // already waited long.
                        Some("40001" | "40P01")
                    )
            }
            _ => false,
        }
    }
}
