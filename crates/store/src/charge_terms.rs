//! What a charge is for, and how much it is.

use super::sql::read_from_row;

/// What a charge is for, and how much it is. A press pays these terms or nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChargeTerms {
    /// The merchant's code of what is bought.
    pub item_code: String,
    /// Its name.
    pub item_name: String,
    /// A decimal string in the currency's major unit.
    pub amount_value: String,
    /// ISO 4217.
    pub amount_currency: String,
}

read_from_row!(ChargeTerms {
    item_code,
    item_name,
    amount_value,
    amount_currency,
});
