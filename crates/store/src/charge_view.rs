//! Converts a charge to the view that its merchant gets.

use model::clock::rfc3339;
use wire::ChargeView;

use crate::Charge;

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
