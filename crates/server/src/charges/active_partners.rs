//! Which merchants take payments: read from the database and cached for two seconds.

use std::time::Duration;

use store::{RecentReads, Store, StoreError};

/// How long it may take until every node notices that a merchant was switched off.
const KEPT: Duration = Duration::from_secs(2);
/// How many merchants are cached.
const KEPT_MAX: usize = 10_000;

/// Whether merchants take payments, cached by their ids. Cheap to clone.
#[derive(Clone)]
pub(crate) struct ActivePartners(RecentReads<bool>);

impl Default for ActivePartners {
    fn default() -> Self {
        Self(RecentReads::new(KEPT_MAX, KEPT))
    }
}

impl ActivePartners {
    /// Whether the merchant with this id exists and takes payments.
    pub(crate) async fn is_active(&self, store: &Store, partner_id: &str) -> Result<bool, StoreError> {
        if let Some(active) = self.0.get(partner_id) {
            return Ok(active);
        }
        let active = store
            .partner(partner_id)
            .await?
            .is_some_and(|partner| partner.active);
        self.0.keep(partner_id, active);
        Ok(active)
    }
}
