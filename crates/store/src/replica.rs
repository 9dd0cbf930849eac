//! A copy of the database that PostgreSQL keeps up to date, for reports.

use super::database::Database;
use super::sql::counts::WorkCounter;
use super::sql::postgres::PostgresPool;
use super::sql::query;
use super::write::{Readers, Writer};
use super::{Store, StoreError};

/// A report uses two connections; one more asks for the lag.
const CONNECTIONS: u32 = 3;

/// How far the copy is behind, in milliseconds: since the last change that it has made. Nodes write every second, so a
/// healthy copy is at most about a second behind. A server that is no copy is not behind.
const LAG: &str = "SELECT CASE WHEN pg_is_in_recovery() THEN CAST(EXTRACT(EPOCH FROM \
     clock_timestamp() - pg_last_xact_replay_timestamp()) * 1000 AS BIGINT) ELSE 0 END";

impl Store {
    /// Connects to a copy, which is only read; nothing is migrated.
    pub async fn connect_replica(database: &Database) -> Result<Self, StoreError> {
        let Database::Postgres(url) = database else {
            return Err(StoreError::Unusable("replica: only PostgreSQL has any"));
        };
        let work = WorkCounter::default();
        let pool = PostgresPool::connect(url, CONNECTIONS, work.clone()).await?;
        Ok(Self {
            file: None,
            health: None,
            writer: Writer::Postgres(pool.clone()),
            readers: Readers::Postgres(pool),
            work,
        })
    }

    /// How far this copy is behind, in milliseconds; `None` if it has made no change since it started.
    pub async fn replica_lag_ms(&self) -> Result<Option<i64>, StoreError> {
        Ok(query(LAG).fetch_one(&self.readers).await?)
    }
}
