//! The shared state of the handlers of charges.

use std::sync::Arc;

use protocol::clock::Clock;
use providers::Provider;
use store::{Charge, Store};

use super::call_limit::CallLimit;
use super::counts::ChargeCounts;
use super::press::Presses;
use super::settings::ChargeSettings;
use crate::checks::expiry::ChargeExpiry;
use crate::saved_cards::SavedCards;
use experiments::Experiments;
use merchants::accounts::Merchants;
use merchants::keys::signing::SigningKeys;
use merchants::keys::signing::client_secret::ClientSecrets;
use web::ApiError;
use webhooks::delivery::Webhooks;

/// The shared state of the handlers of charges.
pub struct Charges {
    /// The database.
    pub store: Store,
    /// The time.
    pub clock: Clock,
    /// The service that charges the cards.
    pub provider: Arc<Provider>,
    /// The keys that cards are sealed for.
    pub signing_keys: Arc<SigningKeys>,
    /// Signs client secrets.
    pub client_secrets: ClientSecrets,
    /// Which features shoppers get.
    pub experiments: Experiments,
    /// Saves cards and pays with them.
    pub saved_cards: Arc<SavedCards>,
    /// Expires charges whose time has run out.
    pub expiry: ChargeExpiry,
    /// Sends webhooks to merchants.
    pub webhooks: Arc<Webhooks>,
    /// The metrics.
    pub counts: ChargeCounts,
    /// The origin of the payment page.
    pub public_url: Arc<str>,
    /// The settings.
    pub settings: ChargeSettings,
    /// The presses of the pay button that are under way in this process.
    pub presses: Presses,
    /// The merchants of the charges.
    pub merchants: Merchants,
    /// How often the provider is asked about shoppers who came back.
    pub return_limit: CallLimit,
    /// How often the provider is asked for a session of device data.
    pub device_data_limit: CallLimit,
    /// How often card networks are looked up.
    pub networks_limit: CallLimit,
    /// How often the link of a charge gets a client secret, and a card session a setup.
    pub link_limit: CallLimit,
}

impl Charges {
    /// The charge with this id if it belongs to this merchant; otherwise a 404. While payments are closed it is a 503,
    /// because it may be a paid one that is not brought back yet.
    pub(crate) async fn charge(&self, id: &str, partner_id: &str) -> Result<Charge, ApiError> {
        let Some(found) = self.store.charge_of_partner(id, partner_id).await? else {
            self.expiry.gate.must_be_open()?;
            return Err(ApiError::charge_not_found());
        };
        Ok(found)
    }
}
