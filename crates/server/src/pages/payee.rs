//! The item, amount and payee on the payment page. They are read from the database, never from the page's address.

use std::sync::Arc;

use protocol::{ChargeIntent, Payee};
use store::{Store, StoreError};

use merchants::accounts::Merchants;

/// The database's answer about a payment page's intent.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PayeeLookup {
    /// The charge exists; the intent now has its values.
    Charge(Arc<Payee>),
    /// The charge belongs to another merchant.
    OtherMerchant,
    /// The charge does not exist here, so it cannot be paid.
    UnknownCharge,
}

/// Copies item, amount, reference and what the shopper agrees to from the stored charge into `intent`, and returns the payee.
pub(super) async fn apply_charge(
    store: &Store,
    merchants: &Merchants,
    intent: &mut ChargeIntent,
) -> Result<PayeeLookup, StoreError> {
    let Some(charge) = store.charge(&intent.charge_id).await? else {
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
    intent.save_card_usage = charge.save_card_usage.in_intent();
    let merchant = merchants.of(&intent.partner_id).await?;
    Ok(merchant.map_or(PayeeLookup::UnknownCharge, |merchant| {
        PayeeLookup::Charge(merchant.payee.clone())
    }))
}
