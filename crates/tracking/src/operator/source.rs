//! Where a report is read from: the replica if there is one and it answers, otherwise the database itself.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use protocol::{ReportDatabase, ReportSource};
use store::{Database, Store, StoreError};
use tokio::sync::Mutex;
use tokio::time::timeout;

/// How long the replica may take to say how far it is behind.
const LAG_TIMEOUT: Duration = Duration::from_secs(2);

/// The replica of the settings. It is connected to when the first report is made, so that the service starts without it.
#[derive(Debug)]
pub struct ReportReplica {
    database: Database,
    connected: Mutex<Option<Store>>,
    is_missing: AtomicBool,
}

impl ReportReplica {
    /// Connects to nothing yet.
    pub fn new(database: Database) -> Self {
        Self {
            database,
            connected: Mutex::new(None),
            is_missing: AtomicBool::new(false),
        }
    }

    /// The replica, and how far it is behind in milliseconds. `None` if it cannot be used now.
    pub(super) async fn ready(&self) -> Option<(Store, ReportSource)> {
        match timeout(LAG_TIMEOUT, self.connect()).await {
            Ok(Ok((store, lag_ms))) => {
                if self.is_missing.swap(false, Ordering::Relaxed) {
                    tracing::info!("reports are read from the replica again");
                }
                let source = ReportSource {
                    database: ReportDatabase::Replica,
                    lag_ms,
                };
                Some((store, source))
            }
            Ok(Err(cause)) => {
                self.missing(&cause);
                None
            }
            Err(_) => {
                self.missing(&"it does not answer in time");
                None
            }
        }
    }

    async fn connect(&self) -> Result<(Store, Option<i64>), StoreError> {
        let mut connected = self.connected.lock().await;
        let store = if let Some(store) = &*connected {
            store.clone()
        } else {
            let store = Store::connect_replica(&self.database).await?;
            *connected = Some(store.clone());
            store
        };
        drop(connected);
        let lag_ms = store.replica_lag_ms().await?;
        Ok((store, lag_ms))
    }

    /// Says once that reports are read from the database itself.
    pub(super) fn missing(&self, cause: &dyn std::fmt::Display) {
        if !self.is_missing.swap(true, Ordering::Relaxed) {
            tracing::warn!(%cause, replica = %self.database, "reports are read from the database itself: the replica cannot be read");
        }
    }
}
