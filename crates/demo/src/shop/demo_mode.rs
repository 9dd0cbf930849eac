//! The parts that `cardform demo` adds to the service: a simulator, two merchants and a shop.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use page::{COOKIE_DAYS_MAX, FraudScripts};
use protocol::clock::Clock;
use protocol::ids::{NoRandomness, new_operator_key, new_secret_key};
use standardwebhooks::{Webhook, WebhookError};
use store::{Partner, Store, StoreError, WebhookEndpoint};
use thiserror::Error;

use super::Shop;
use crate::simulator::journal::replace;
use crate::simulator::{JournalError, Simulator};
use merchants::keys::card_vault::CardVault;
use webhooks::secret_at_rest::{WebhookSecretError, stored};
use webhooks::sender::new_secret;

/// The merchant whose key is printed. Every page may embed its form.
pub const DEMO_PARTNER_ID: &str = "partner_demo";
/// The demo shop's merchant. Only pages of the shop's origin may embed its form.
pub const SHOP_PARTNER_ID: &str = "partner_demo_shop";

/// The file with the printed key, so that it is the same at the next start.
const SECRET_KEY_FILE: &str = "demo-secret-key";
/// The file with the key of the vault. Without it the saved cards of the data directory cannot be opened.
const VAULT_KEY_FILE: &str = "vault-keys";
/// The file with the operator's key, so that it is the same at the next start.
const OPERATOR_KEY_FILE: &str = "operator-key";

/// The parts of demo mode.
#[derive(Debug)]
pub struct DemoMode {
    /// The simulator that is mounted under `/simulator`.
    pub simulator: Arc<Simulator>,
    /// The key of [`DEMO_PARTNER_ID`], which is printed. It stays the same as long as the data directory exists.
    pub secret_key: String,
    /// The demo shop's server. Its merchant gets a new key at each start, which is not written to a file.
    pub shop: Shop,
}

/// Why demo mode cannot start.
#[derive(Debug, Error)]
pub enum DemoError {
    /// The data directory or the key's file cannot be used.
    #[error("cannot use the demo's data directory: {0}")]
    Data(#[from] std::io::Error),
    /// The database cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file of the simulator cannot be used.
    #[error(transparent)]
    Simulator(#[from] JournalError),
    /// The shop's client of the merchant API cannot be made.
    #[error("the demo shop cannot be opened: {0}")]
    Shop(#[from] reqwest::Error),
    /// No key can be made.
    #[error(transparent)]
    Random(#[from] NoRandomness),
    /// The secret of the shop's webhook cannot be kept.
    #[error("cannot keep the secret of the demo shop's webhook: {0}")]
    WebhookSecret(#[from] WebhookSecretError),
    /// The secret of the shop's webhook cannot check signatures.
    #[error("cannot use the secret of the demo shop's webhook: {0}")]
    WebhookKey(#[from] WebhookError),
    /// No key of the vault can be made.
    #[error("cannot make a key for the vault: {0}")]
    VaultKey(#[from] vault::KeyRingError),
}

/// The simulator's imitation of a fraud prevention's script.
pub fn fraud_stand_in(public_url: &str) -> Option<FraudScripts> {
    let template = format!("{public_url}/simulator/fraud/{{site_id}}/script.js");
    FraudScripts::new(&template, Vec::new(), "cardform-fraud-token", COOKIE_DAYS_MAX)
}

/// Creates the data directory, which only its owner can read.
pub fn make_data_directory(data: &Path) -> Result<(), std::io::Error> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(data)
}

/// Creates the demo's key of the vault at the first start. Only its owner can read the file.
pub fn make_vault_keys(data: &Path) -> Result<(), DemoError> {
    let file = vault_key_file(data);
    if !file.try_exists()? {
        let key = vault::generate_key("demo")?;
        replace(&file, &key)?;
    }
    Ok(())
}

/// Creates the demo's operator key at the first start. Only its owner can read the file.
pub fn make_operator_key(data: &Path) -> Result<(), DemoError> {
    let file = operator_key_file(data);
    if !file.try_exists()? {
        replace(&file, &new_operator_key()?)?;
    }
    Ok(())
}

/// The file with the demo's operator key.
pub fn operator_key_file(data: &Path) -> PathBuf {
    data.join(OPERATOR_KEY_FILE)
}

/// The file with the demo's key of the vault.
pub fn vault_key_file(data: &Path) -> PathBuf {
    data.join(VAULT_KEY_FILE)
}

impl DemoMode {
    /// Opens the simulator's ledger in `data` and creates the two merchants. Shoppers reach the shop at `shop_origin`;
    /// the shop's server reaches the merchant API at `own_origin`.
    pub async fn prepare(
        data: &Path,
        shop_origin: &str,
        own_origin: &str,
        store: &Store,
        vault: Option<&CardVault>,
        clock: &Clock,
    ) -> Result<Self, DemoError> {
        let pages = format!("{shop_origin}/simulator");
        let simulator = Simulator::open(Some(data), Duration::ZERO, clock.clone(), pages)?;
        let secret_key = demo_merchant(&data.join(SECRET_KEY_FILE), store, clock).await?;
        let origins = vec![shop_origin.to_owned()];
        let shop_key = put(store, clock, SHOP_PARTNER_ID, "Demo shop", origins).await?;
        let webhook_key = shop_webhook(own_origin, store, vault, clock).await?;
        Ok(Self {
            simulator: Arc::new(simulator),
            secret_key,
            shop: Shop::new(own_origin, shop_key, webhook_key, clock.clone())?,
        })
    }
}

/// The key in the file, as long as it is valid; otherwise a new one, which is written first to the database and then
/// to the file.
async fn demo_merchant(file: &Path, store: &Store, clock: &Clock) -> Result<String, DemoError> {
    let kept = match std::fs::read_to_string(file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        other => Some(other?.trim().to_owned()),
    };
    if let Some(key) = kept {
        let owner = store.partner_by_secret_key(&key, clock.now_ms()).await?;
        if owner.is_some_and(|partner| partner.id == DEMO_PARTNER_ID) {
            return Ok(key);
        }
    }
    let key = put(store, clock, DEMO_PARTNER_ID, "Demo merchant", Vec::new()).await?;
    replace(file, &key)?;
    Ok(key)
}

/// Sets the shop's webhook with a new secret. Returns the verifier of its signatures.
async fn shop_webhook(
    own_origin: &str,
    store: &Store,
    vault: Option<&CardVault>,
    clock: &Clock,
) -> Result<Webhook, DemoError> {
    let secret = new_secret()?;
    let ring = vault.map(CardVault::ring);
    let endpoint = WebhookEndpoint {
        partner_id: SHOP_PARTNER_ID.to_owned(),
        url: format!("{own_origin}/demo/webhooks"),
        events: None,
        secret: stored(ring.as_deref(), SHOP_PARTNER_ID, &secret)?,
        created_at: clock.now_ms(),
    };
    store.put_webhook_endpoint(&endpoint).await?;
    Ok(Webhook::new(secret.expose())?)
}

/// Creates or changes the merchant, with a new key that replaces its other keys.
async fn put(
    store: &Store,
    clock: &Clock,
    id: &str,
    name: &str,
    allowed_origins: Vec<String>,
) -> Result<String, DemoError> {
    let key = new_secret_key()?;
    let partner = Partner {
        id: id.to_owned(),
        name: name.to_owned(),
        allowed_origins,
        site_ids: Vec::new(),
        active: true,
        created_at: clock.now_ms(),
    };
    store.delete_secret_keys(id).await?;
    store.put_partner(&partner, &key).await?;
    Ok(key)
}
