//! Transactions that write, and trying them again when the database could not put two of them in an order.

use std::ops::{Deref, DerefMut};
use std::time::Duration;

use backon::{ExponentialBuilder, Retryable};
use sqlx::{Any, AnyConnection, Transaction};

use super::group_commit::Part;
use super::{Store, StoreError};

/// How often a transaction is tried that another one got in the way of.
const TRIES: usize = 10;
/// The pause before the second try; each next one is twice as long, up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// A transaction. Dropped without [`Tx::commit`], it never was.
pub(super) enum Tx {
    /// On SQLite: a part of a larger one.
    Part(Part),
    /// On PostgreSQL.
    Whole(Transaction<'static, Any>),
}

impl Tx {
    /// Makes the transaction durable. Also for one that found nothing to write: what it read may be another's that is
    /// not durable yet.
    pub(super) async fn commit(self) -> Result<(), StoreError> {
        match self {
            Self::Part(part) => part.commit().await,
            Self::Whole(transaction) => Ok(transaction.commit().await?),
        }
    }
}

impl Deref for Tx {
    type Target = AnyConnection;

    fn deref(&self) -> &AnyConnection {
        match self {
            Self::Part(part) => part,
            Self::Whole(transaction) => transaction,
        }
    }
}

impl DerefMut for Tx {
    fn deref_mut(&mut self) -> &mut AnyConnection {
        match self {
            Self::Part(part) => part,
            Self::Whole(transaction) => transaction,
        }
    }
}

impl Store {
    /// A transaction that writes; run it within [`retried`]. On SQLite one goes on at a time, so that what it reads stays
    /// true until it commits. On PostgreSQL it goes on beside others, at the server's usual isolation, of which READ
    /// COMMITTED is enough: it holds the charge first, and writes only where what it has read still stands.
    pub(super) async fn write(&self) -> Result<Tx, StoreError> {
        Ok(match &self.group {
            Some(group) => Tx::Part(group.begin().await?),
            None => Tx::Whole(self.writer.begin().await?),
        })
    }
}

/// Runs a whole transaction, again when another one got in its way: a changed row, a key that somebody else wrote
/// first, or two transactions that the database could not put in an order. On its next try it sees what the other did.
pub(super) async fn retried<T, F>(transaction: impl Fn() -> F) -> Result<T, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    let pauses = ExponentialBuilder::default()
        .with_min_delay(FIRST_PAUSE)
        .with_max_delay(LONGEST_PAUSE)
        .with_max_times(TRIES - 1);
    transaction.retry(pauses).when(StoreError::got_in_the_way).await
}

impl StoreError {
    /// Whether another transaction is the reason, so that trying again can help.
    fn got_in_the_way(&self) -> bool {
        match self {
            Self::Conflict(_) => true,
            Self::Database(sqlx::Error::Database(error)) => {
                error.is_unique_violation()
                    || matches!(
                        error.code().as_deref(),
                        // PostgreSQL's serialization failure and deadlock. SQLite has waited long when it is busy.
                        Some("40001" | "40P01")
                    )
            }
            _ => false,
        }
    }
}
