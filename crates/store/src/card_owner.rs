//! The owner of saved cards: a shopper of a merchant.

/// The owner of saved cards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardOwner {
    /// The merchant.
    pub partner_id: String,
    /// The merchant's shopper; never empty.
    pub shopper_id: String,
}
