//! What the room of saved cards has at hand.

use std::sync::Arc;
use std::time::Duration;

use model::clock::Clock;
use providers::Provider;
use store::Store;

use crate::checks::expiry::ChargeExpiry;
use crate::keys::card_vault::CardVault;
use crate::signing::client_secret::ClientSecrets;

/// What the room of saved cards has at hand.
pub struct SavedCards {
    /// What is durable.
    pub(crate) store: Store,
    /// The time.
    pub(crate) clock: Clock,
    /// Where card numbers rest; absent, saving cards is off.
    pub(crate) vault: Option<Arc<CardVault>>,
    /// Who may keep cards, too.
    pub(crate) provider: Arc<Provider>,
    /// Checks payloads.
    pub(crate) client_secrets: ClientSecrets,
    /// Ends a charge's time.
    pub(crate) expiry: ChargeExpiry,
    /// How often the provider is told of cards that came and went.
    pub(crate) tell_interval: Duration,
}
