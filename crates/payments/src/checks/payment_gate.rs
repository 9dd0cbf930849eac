//! Whether payments are closed, because an earlier database was restored and the provider's payments were not brought back
//! yet (docs/backup.md#after-a-restore).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use protocol::ErrorCode;
use store::{Store, StoreError};

use web::ApiError;

/// Whether payments are closed, as this process read it last. Cheap to clone.
#[derive(Debug, Clone)]
pub struct PaymentGate {
    store: Store,
    is_closed: Arc<AtomicBool>,
}

impl PaymentGate {
    /// Asks the database.
    pub async fn read(store: Store) -> Result<Self, StoreError> {
        let gate = Self {
            store,
            is_closed: Arc::new(AtomicBool::new(false)),
        };
        gate.refresh().await?;
        Ok(gate)
    }

    /// Asks the database again.
    pub async fn refresh(&self) -> Result<(), StoreError> {
        let is_closed = self.store.payment_closure().await?.is_some();
        match (self.is_closed.swap(is_closed, Ordering::Relaxed), is_closed) {
            (false, true) => tracing::error!("payments are closed after a restore: run cardform reconcile"),
            (true, false) => tracing::info!("payments are open"),
            _ => {}
        }
        Ok(())
    }

    /// Whether payments are closed.
    pub fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    /// 503 while payments are closed.
    pub fn must_be_open(&self) -> Result<(), ApiError> {
        if self.is_closed() {
            return Err(ApiError::new(
                ErrorCode::Unavailable,
                "Payments are closed for a moment. Nothing was charged; try again later.",
            ));
        }
        Ok(())
    }
}
