//! Which pages may embed a merchant's form: asked of the database, and kept for a moment.

use std::sync::Arc;
use std::time::Duration;

use moka::future::Cache;

use crate::store::{Store, StoreError};

/// How long a change of a merchant's origins may take to be seen by every node.
const KEPT: Duration = Duration::from_secs(5);
/// How many merchants' origins are kept.
const KEPT_MAX: u64 = 10_000;

/// The origins of merchants that had a page lately. Cheap to clone.
#[derive(Clone)]
pub(super) struct Embedders(Cache<String, Arc<[String]>>);

impl Default for Embedders {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(KEPT_MAX).time_to_live(KEPT).build())
    }
}

impl Embedders {
    /// The origins that may embed the form of the merchant with this id; none named, as by one that does not exist: any.
    pub(super) async fn of(&self, store: &Store, partner_id: &str) -> Result<Arc<[String]>, StoreError> {
        // A merchant that is not there may be added at any moment, and its first page must be embedded by its own.
        if let Some(origins) = self.0.get(partner_id).await {
            return Ok(origins);
        }
        let Some(partner) = store.partner(partner_id).await? else {
            return Ok(Arc::new([]));
        };
        let origins: Arc<[String]> = partner.allowed_origins.into();
        self.0.insert(partner_id.to_owned(), Arc::clone(&origins)).await;
        Ok(origins)
    }
}
