//! What a payment page shows of a charge.

use super::sql::{query, read_from_row};
use super::{Store, StoreError};

/// What a payment page shows of a charge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownCharge {
    /// The merchant it belongs to.
    pub partner_id: String,
    /// The merchant's code of what is bought.
    pub item_code: String,
    /// Its name.
    pub item_name: String,
    /// A decimal string in the currency's major unit.
    pub amount_value: String,
    /// ISO 4217.
    pub amount_currency: String,
    /// The merchant's own reference.
    pub partner_reference: String,
}

read_from_row!(ShownCharge {
    partner_id,
    item_code,
    item_name,
    amount_value,
    amount_currency,
    partner_reference,
});

impl Store {
    /// What a payment page shows of the charge with this id, of any merchant.
    pub async fn shown_charge(&self, id: &str) -> Result<Option<ShownCharge>, StoreError> {
        Ok(query(
            "SELECT partner_id, item_code, item_name, amount_value, amount_currency, partner_reference \
             FROM charges WHERE id = $1",
        )
        .bind(id)
        .fetch_optional(&self.readers)
        .await?)
    }
}
