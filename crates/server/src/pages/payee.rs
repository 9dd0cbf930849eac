//! The item, amount and payee on the payment page. They are read from the database, never from the page's address.

use std::time::Duration;

use store::{RecentReads, Store, StoreError};
use wire::{ChargeIntent, Payee, SharedJson};

use super::logo::logo_path;

/// How long an entry is used. A change of a merchant's name, logo or website reaches every node within this time.
const KEPT: Duration = Duration::from_secs(5);
/// How many merchants are cached.
const KEPT_MAX: usize = 10_000;

/// The merchants that had a payment page lately. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Payees(RecentReads<SharedJson<Payee>>);

impl Default for Payees {
    fn default() -> Self {
        Self(RecentReads::new(KEPT_MAX, KEPT))
    }
}

/// What the database has for a payment page's intent.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PayeeLookup {
    /// The charge exists; the intent now has its values.
    Charge(SharedJson<Payee>),
    /// The charge belongs to another merchant.
    OtherMerchant,
    /// The charge does not exist here, so nobody can pay it.
    UnknownCharge,
}

impl Payees {
    /// Copies item, amount and reference of the stored charge into `intent`, and returns the payee.
    pub(super) async fn apply_charge(
        &self,
        store: &Store,
        intent: &mut ChargeIntent,
    ) -> Result<PayeeLookup, StoreError> {
        let Some(charge) = store.shown_charge(&intent.charge_id).await? else {
            return Ok(PayeeLookup::UnknownCharge);
        };
        if charge.partner_id != intent.partner_id {
            return Ok(PayeeLookup::OtherMerchant);
        }
        intent.item_code = charge.item_code;
        intent.item_name = charge.item_name;
        intent.amount_value = charge.amount_value;
        intent.amount_currency = charge.amount_currency;
        intent.partner_reference = charge.partner_reference;
        Ok(self
            .of(store, &intent.partner_id)
            .await?
            .map_or(PayeeLookup::UnknownCharge, PayeeLookup::Charge))
    }

    async fn of(&self, store: &Store, partner_id: &str) -> Result<Option<SharedJson<Payee>>, StoreError> {
        if let Some(payee) = self.0.get(partner_id) {
            return Ok(Some(payee));
        }
        let Some(partner) = store.partner(partner_id).await? else {
            return Ok(None);
        };
        let page = store.merchant_page(partner_id).await?;
        let payee = SharedJson::from(Payee {
            name: partner.name,
            logo: page.logo_name.as_deref().map(logo_path),
            website: page.website,
        });
        self.0.keep(partner_id, payee.clone());
        Ok(Some(payee))
    }
}
