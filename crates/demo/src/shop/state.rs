//! The shared state of the demo's handlers.

use std::sync::Arc;

use super::demo_mode::DemoMode;

/// The shared state of the demo's handlers.
#[derive(Debug)]
pub struct Demo {
    /// The simulator, the merchants and the shop.
    pub mode: DemoMode,
    /// The origin at which shoppers reach this service.
    pub public_url: Arc<str>,
    /// The origins of the provider's challenges, for `frame-src`.
    pub challenge_sources: String,
}
