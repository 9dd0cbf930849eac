//! Merchants as payments and pages need them: read from the database and cached for a moment.

use std::sync::Arc;
use std::time::Duration;

use protocol::Payee;
use store::{RecentReads, Store, StoreError};

/// How long an entry is used. Every node notices a change of a merchant within this time.
const CACHED_FOR: Duration = Duration::from_secs(2);
/// How many merchants are cached.
const CACHED_MAX: usize = 10_000;

/// A merchant.
#[derive(Debug, Default)]
pub struct CachedMerchant {
    /// Whether the merchant takes payments.
    pub is_active: bool,
    /// The origins that may embed the form; empty for any.
    pub allowed_origins: Vec<String>,
    /// The sites of the fraud prevention that the merchant's forms may name.
    pub site_ids: Vec<String>,
    /// Name, logo and website, as payment pages show them.
    pub payee: Arc<Payee>,
}

/// The merchants that had a payment or a page lately. Cheap to clone.
#[derive(Clone)]
pub struct Merchants {
    store: Store,
    recent: RecentReads<Arc<CachedMerchant>>,
}

impl Merchants {
    /// Reads merchants from `store`.
    pub fn new(store: Store) -> Self {
        Self {
            store,
            recent: RecentReads::new(CACHED_MAX, CACHED_FOR),
        }
    }

    /// The merchant with this id; `None` if there is none. That is not cached, because the first page of a merchant who
    /// was just added must work.
    pub async fn of(&self, id: &str) -> Result<Option<Arc<CachedMerchant>>, StoreError> {
        if let Some(merchant) = self.recent.get(id) {
            return Ok(Some(merchant));
        }
        let Some(partner) = self.store.partner(id).await? else {
            return Ok(None);
        };
        let page = self.store.merchant_page(id).await?;
        let merchant = Arc::new(CachedMerchant {
            is_active: partner.active,
            allowed_origins: partner.allowed_origins,
            site_ids: partner.site_ids,
            payee: Arc::new(Payee {
                name: partner.name,
                logo: page.logo_name.map(|name| format!("/logos/{name}")),
                website: page.website,
            }),
        });
        self.recent.keep(id, Arc::clone(&merchant));
        Ok(Some(merchant))
    }
}
