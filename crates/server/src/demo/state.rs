//! What the room of the demo has at hand.

use std::sync::Arc;

use super::demo_mode::DemoMode;

/// What the room of the demo has at hand.
#[derive(Debug)]
pub struct Demo {
    /// The simulator, the merchants and the shop.
    pub mode: DemoMode,
    /// The origin that shoppers reach this service at.
    pub(crate) public_url: Arc<str>,
    /// Where the provider's challenges are framed from.
    pub(crate) challenge_sources: String,
}
