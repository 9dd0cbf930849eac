//! The simulator's cards that trials pay with.

/// Approved at once.
pub const GOOD_CARD: &str = "4242424242424242";
/// Declined: not enough money.
pub const BAD_CARD: &str = "4000000000009995";
