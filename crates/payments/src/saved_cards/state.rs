//! The state of the saved cards' handlers.

use std::sync::Arc;
use std::time::Duration;

use protocol::clock::Clock;
use providers::Provider;
use store::Store;

use crate::checks::expiry::ChargeExpiry;
use merchants::keys::card_vault::CardVault;
use merchants::keys::signing::client_secret::ClientSecrets;

/// The state of the saved cards' handlers.
pub struct SavedCards {
    /// The database.
    pub store: Store,
    /// The time.
    pub clock: Clock,
    /// Seals and opens card numbers; `None` if saving cards is off.
    pub vault: Option<Arc<CardVault>>,
    /// The provider, which may keep cards, too.
    pub provider: Arc<Provider>,
    /// Checks the signatures of payloads.
    pub client_secrets: ClientSecrets,
    /// Expires charges whose time is over.
    pub expiry: ChargeExpiry,
    /// How often the provider is told of saved and removed cards.
    pub tell_interval: Duration,
}
