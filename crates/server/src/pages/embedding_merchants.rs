//! Which sites may embed a merchant's form: read from the database and cached for a moment.

use std::sync::Arc;
use std::time::Duration;

use store::{RecentReads, Store, StoreError};

/// How long an entry is used. A change of a merchant's origins reaches every node within this time.
const KEPT: Duration = Duration::from_secs(5);
/// How many merchants are cached.
const KEPT_MAX: usize = 10_000;

/// A merchant whose form is to be embedded.
#[derive(Debug, Clone)]
pub(super) enum MerchantState {
    /// The merchant takes payments.
    Active(Arc<EmbeddingMerchant>),
    /// The merchant is switched off.
    Inactive,
    /// There is no such merchant.
    Unknown,
}

/// The merchant's settings for its pages.
#[derive(Debug, Default)]
pub(super) struct EmbeddingMerchant {
    /// The origins that may embed the form; empty for any.
    pub(super) allowed_origins: Vec<String>,
    /// The sites of the fraud prevention that its forms may name. `None` for any: merchants in demo mode have no list.
    pub(super) site_ids: Option<Vec<String>>,
}

impl EmbeddingMerchant {
    /// Whether its forms may load the script of this site of the fraud prevention.
    pub(super) fn has_site(&self, site_id: &str) -> bool {
        self.site_ids
            .as_ref()
            .is_none_or(|ids| ids.iter().any(|id| id == site_id))
    }
}

/// The merchants that had a page lately. Cheap to clone.
#[derive(Clone)]
pub(crate) struct EmbeddingMerchants(RecentReads<MerchantState>);

impl Default for EmbeddingMerchants {
    fn default() -> Self {
        Self(RecentReads::new(KEPT_MAX, KEPT))
    }
}

impl EmbeddingMerchants {
    /// The merchant with this id.
    pub(super) async fn of(&self, store: &Store, partner_id: &str) -> Result<MerchantState, StoreError> {
        // An unknown merchant is not cached: it may be added at any moment, and then its first page must work.
        if let Some(known) = self.0.get(partner_id) {
            return Ok(known);
        }
        let state = match store.partner(partner_id).await? {
            None => return Ok(MerchantState::Unknown),
            Some(partner) if partner.active => MerchantState::Active(Arc::new(EmbeddingMerchant {
                allowed_origins: partner.allowed_origins,
                site_ids: Some(partner.site_ids),
            })),
            Some(_) => MerchantState::Inactive,
        };
        self.0.keep(partner_id, state.clone());
        Ok(state)
    }
}
