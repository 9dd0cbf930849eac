//! The simulator's cards that trials pay with.

/// Approved at once.
pub const GOOD_CARD: &str = "4242424242424242";
/// Declined: not enough money.
pub const BAD_CARD: &str = "4000000000009995";
/// Pays once its shopper has passed a 3-D Secure challenge.
pub(crate) const CHALLENGED_CARD: &str = "4000000000003220";
/// Declined, also when its shopper has passed the challenge.
pub(crate) const CHALLENGED_BAD_CARD: &str = "4000008400001629";
