//! Whose cards are meant.

/// Whose cards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardOwner {
    /// The merchant.
    pub partner_id: String,
    /// The merchant's shopper; never empty.
    pub shopper_id: String,
}
