//! A card that a provider stores, too.

/// A card that a provider stores for a customer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptCard {
    /// The provider's reference of the card.
    pub card: String,
    /// The provider's reference of the customer.
    pub customer: String,
}
