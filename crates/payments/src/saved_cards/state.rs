//! The state of the saved cards' handlers.

use std::sync::Arc;
use std::time::Duration;

use protocol::clock::Clock;
use providers::Provider;
use rules::{Brand, CardNetworks};
use store::Store;
use vault::Pan;

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
    /// The ranges of numbers with their card networks.
    pub networks: Arc<CardNetworks>,
    /// Checks the signatures of payloads.
    pub client_secrets: ClientSecrets,
    /// Expires charges whose time is over.
    pub expiry: ChargeExpiry,
    /// How often the provider is told of saved and removed cards.
    pub tell_interval: Duration,
}

impl SavedCards {
    /// The networks of this number over which the provider can carry a payment.
    pub fn networks_of(&self, number: &Pan) -> Vec<Brand> {
        self.carried(self.networks.of(number.first_eight(), number.length()))
    }

    /// Those of `networks` over which the provider can carry a payment.
    pub fn carried(&self, networks: &[Brand]) -> Vec<Brand> {
        let carries = |network: &Brand| self.provider.carries_over(*network);
        networks.iter().copied().filter(carries).collect()
    }
}
