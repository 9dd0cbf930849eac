//! The state of the saved cards' handlers.

use std::sync::Arc;
use std::time::Duration;

use model::clock::Clock;
use providers::Provider;
use store::Store;

use crate::checks::expiry::ChargeExpiry;
use crate::keys::card_vault::CardVault;
use crate::keys::signing::client_secret::ClientSecrets;

/// The state of the saved cards' handlers.
pub struct SavedCards {
    /// The database.
    pub(crate) store: Store,
    /// The time.
    pub(crate) clock: Clock,
    /// Seals and opens card numbers; `None` if saving cards is off.
    pub(crate) vault: Option<Arc<CardVault>>,
    /// The provider, which may keep cards, too.
    pub(crate) provider: Arc<Provider>,
    /// Checks the signatures of payloads.
    pub(crate) client_secrets: ClientSecrets,
    /// Expires charges whose time is over.
    pub(crate) expiry: ChargeExpiry,
    /// How often the provider is told of saved and removed cards.
    pub(crate) tell_interval: Duration,
}
