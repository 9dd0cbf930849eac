//! Converts a charge to the view that its merchant gets, and to its terms.

use model::clock::rfc3339;
use wire::ChargeView;

use crate::{Charge, ChargeTerms};

impl From<Charge> for ChargeView {
    fn from(charge: Charge) -> Self {
        Self {
            id: charge.id,
            status: charge.status.0,
            item_code: charge.item_code,
            item_name: charge.item_name,
            amount_value: charge.amount_value,
            amount_currency: charge.amount_currency,
            partner_reference: charge.partner_reference,
            decline_code: charge.decline_code,
            created_at: rfc3339(charge.created_at),
            updated_at: rfc3339(charge.updated_at),
        }
    }
}

impl From<&Charge> for ChargeTerms {
    fn from(charge: &Charge) -> Self {
        Self {
            item_code: charge.item_code.clone(),
            item_name: charge.item_name.clone(),
            amount_value: charge.amount_value.clone(),
            amount_currency: charge.amount_currency.clone(),
        }
    }
}
