//! The merchant and the keys of the page that is verified, from the service's database or from the operator.

use protocol::CardKey;
use protocol::clock::Clock;
use store::{Store, StoreError};

use super::difference::SkippedCheck;
use crate::config::Config;
use crate::service::{StartError, open_store};
use merchants::keys::card_vault::CardVault;
use merchants::keys::signing::valid_keys;

/// The reason when the page is verified from a machine without the database.
const NO_DATABASE: &str = "the settings name no database that is there";

/// The service's data that a page is compared with, besides the settings.
pub struct EvidenceSources {
    /// The service's database, or why it cannot be read.
    pub(super) store: Result<Store, String>,
    /// The keys that pages may seal cards for, the active one first.
    card_keys: Result<Vec<CardKey>, String>,
    /// The origins that may embed the page, if the operator named them; an empty list allows any.
    pub origins: Option<Vec<String>>,
    /// The `x` of the card key, if the operator named it.
    pub card_key_x: Option<String>,
}

impl EvidenceSources {
    /// Opens the database that the settings name, if it exists. A missing one is not created.
    pub async fn of(config: &Config) -> Self {
        let store = open_store(config).await.map_err(|error| match error {
            StartError::Store(_, StoreError::Missing) => NO_DATABASE.to_owned(),
            error => error.to_string().replace('\n', " "),
        });
        let card_keys = match &store {
            Ok(store) => card_keys(config, store).await,
            Err(why) => Err(why.clone()),
        };
        Self {
            store,
            card_keys,
            origins: None,
            card_key_x: None,
        }
    }

    /// The active card key, for the operator to name on another machine.
    pub fn present_card_key(&self) -> Result<&CardKey, &str> {
        match &self.card_keys {
            Ok(keys) => keys.first().ok_or("there is none"),
            Err(why) => Err(why),
        }
    }

    /// The origins that may embed the pages of this merchant: those that the operator named, otherwise those in the
    /// database.
    pub(super) async fn origins_of(&self, partner_id: &str) -> Result<Vec<String>, String> {
        if let Some(origins) = &self.origins {
            return Ok(origins.clone());
        }
        match self.store.as_ref()?.partner(partner_id).await {
            Ok(Some(partner)) => Ok(partner.allowed_origins),
            Ok(None) => Err("the database does not have the page's merchant".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// The card key that a page must have. It is `served`, the key that the page has, if that is valid; otherwise a
    /// valid one. `None` if no valid key is known.
    pub(super) fn card_key_for(&self, served: Option<&CardKey>) -> Option<CardKey> {
        if let Some(x) = &self.card_key_x {
            // Only `x` is named; the rest is taken from the page.
            let text = |part: fn(&CardKey) -> &String| served.map(part).cloned().unwrap_or_default();
            return Some(CardKey {
                kid: text(|key| &key.kid),
                kty: "EC".to_owned(),
                crv: "P-256".to_owned(),
                x: x.clone(),
                y: text(|key| &key.y),
            });
        }
        let keys = self.card_keys.as_ref().ok()?;
        let same = keys.iter().find(|key| Some(*key) == served);
        same.or(keys.first()).cloned()
    }

    /// The parts of the page that were not compared.
    pub(super) fn not_compared(
        &self,
        origins: &Result<Vec<String>, String>,
        has_charge: bool,
    ) -> Vec<SkippedCheck> {
        let mut found = Vec::new();
        let mut add = |what, why: &str, then: &str| {
            let why = format!("{why}; {then}");
            found.push(SkippedCheck { what, why });
        };
        if let (Err(why), None) = (&self.card_keys, &self.card_key_x) {
            let then =
                "name the key with --card-key X, which `cardform evidence` prints where the database is";
            add("card_key", why, then);
        }
        if let Err(why) = origins {
            let then = "name the merchant's origins with --allowed-origin ORIGIN";
            add("frame-ancestors", why, then);
        }
        if !has_charge {
            let why = self
                .store
                .as_ref()
                .err()
                .map_or("the database does not have the page's charge", String::as_str);
            let then = "the merchant's name, logo and website are as the page has them";
            add("payee", why, then);
        }
        found
    }

    /// Closes the database.
    pub async fn close(self) {
        if let Ok(store) = self.store {
            store.close().await;
        }
    }
}

async fn card_keys(config: &Config, store: &Store) -> Result<Vec<CardKey>, String> {
    let vault = config.vault_keys.clone().map(CardVault::open).transpose();
    let vault = vault.map_err(|error| error.to_string())?;
    let keys = valid_keys(store, vault.as_ref(), Clock::system().now_ms()).await;
    let keys = keys.map_err(|error| error.to_string())?;
    if keys.is_empty() {
        return Err("the settings open no signing key of the database (vault_key_file)".to_owned());
    }
    Ok(keys.iter().map(|key| CardKey::clone(key.card_key())).collect())
}
