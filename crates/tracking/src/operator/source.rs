//! Reads reports from the replica if it answers, otherwise from the database itself.

use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use protocol::{ReportDatabase, ReportSource};
use store::{Database, Store, StoreError};
use tokio::sync::OnceCell;
use tokio::time::timeout;

/// How long the replica may take to report its lag.
const LAG_TIMEOUT: Duration = Duration::from_secs(2);

/// The replica of the settings. The first report connects to it, so that the service starts without it.
#[derive(Debug)]
pub struct ReportReplica {
    database: Database,
    store: OnceCell<Store>,
    is_unavailable: AtomicBool,
}

impl ReportReplica {
    /// Does not connect yet.
    pub fn new(database: Database) -> Self {
        Self {
            database,
            store: OnceCell::new(),
            is_unavailable: AtomicBool::new(false),
        }
    }

    /// The replica, and its lag in milliseconds. `None` if it cannot be used now.
    pub(super) async fn ready(&self) -> Option<(Store, ReportSource)> {
        match timeout(LAG_TIMEOUT, self.connect()).await {
            Ok(Ok((store, lag_ms))) => {
                if self.is_unavailable.swap(false, Ordering::Relaxed) {
                    tracing::info!("reports are read from the replica again");
                }
                let source = ReportSource {
                    database: ReportDatabase::Replica,
                    lag_ms,
                };
                return Some((store, source));
            }
            Ok(Err(cause)) => self.unavailable(&cause),
            Err(timed_out) => self.unavailable(&timed_out),
        }
        None
    }

    async fn connect(&self) -> Result<(Store, Option<i64>), StoreError> {
        let connect = || Store::connect_replica(&self.database);
        let store = self.store.get_or_try_init(connect).await?;
        Ok((store.clone(), store.replica_lag_ms().await?))
    }

    /// Logs once that reports are read from the database itself.
    pub(super) fn unavailable(&self, cause: &dyn Display) {
        if !self.is_unavailable.swap(true, Ordering::Relaxed) {
            tracing::warn!(%cause, replica = %self.database, "replica unavailable; reports are read from the database itself");
        }
    }
}
