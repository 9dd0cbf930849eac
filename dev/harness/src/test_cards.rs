//! The test cards of the simulator and of localstripe.

/// Approved at once.
pub const GOOD_CARD: &str = "4242424242424242";
/// Declined by the simulator: not enough money.
pub const BAD_CARD: &str = "4000000000009995";
/// Declined by localstripe, which takes [`BAD_CARD`].
pub const DECLINED_BY_STRIPE: &str = "4000000000000341";
/// Pays once its shopper has passed a 3-D Secure challenge.
pub const CHALLENGED_CARD: &str = "4000000000003220";
/// Declined, also when its shopper has passed the challenge.
pub const CHALLENGED_BAD_CARD: &str = "4000008400001629";
