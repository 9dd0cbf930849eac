//! What every handler has at hand.

use std::sync::Arc;

use model::clock::Clock;
use page::Pages;
use providers::Provider;
use store::Store;

use crate::charges::active_partners::ActivePartners;
use crate::charges::client_secret::ClientSecrets;
use crate::charges::press::Presses;
use crate::charges::return_looks::ReturnLooks;
use crate::config::Config;
use crate::events::Events;
use crate::experiments::Experiments;
use crate::operator::key::Operator;
use crate::pages::{CspReports, Embedders, Payees};
use crate::saved_cards::card_vault::CardVault;
use crate::service::demo_mode::DemoMode;
use crate::service::readiness::Readiness;
use crate::signing::SigningKeys;
use crate::telemetry::metrics::Metrics;
use crate::visits::Visits;
use crate::webhooks::delivery::Webhooks;

/// The service's parts, handed to axum as its state.
pub struct App {
    /// The settings.
    pub config: Config,
    /// The origin that shoppers reach this service at: `https://pay.example`.
    pub public_url: String,
    /// What is durable.
    pub store: Store,
    /// The built page and the engines that render it.
    pub pages: Pages,
    /// The merchants whose pages show the form.
    pub(crate) embedders: Embedders,
    /// Whom payment pages pay.
    pub(crate) payees: Payees,
    /// Which features shoppers get.
    pub experiments: Experiments,
    /// The time.
    pub clock: Clock,
    /// The keys that sign what the service gives out.
    pub signing_keys: Arc<SigningKeys>,
    /// Which merchants take payments.
    pub(crate) active_partners: ActivePartners,
    /// Signs and checks client secrets.
    pub client_secrets: ClientSecrets,
    /// Who takes the cards.
    pub provider: Provider,
    /// Where card numbers rest; absent, saving cards is off.
    pub vault: Option<Arc<CardVault>>,
    /// The presses of the pay button that are under way in this process.
    pub presses: Presses,
    /// Sends merchants their events.
    pub webhooks: Webhooks,
    /// Takes the events of shoppers' pages.
    pub(crate) events: Events,
    /// What events tell of visits.
    pub visits: Visits,
    /// Who sees the report; absent, nobody does.
    pub operator: Option<Operator>,
    /// What browsers reported of violations.
    pub(crate) csp_reports: CspReports,
    /// When the provider was asked about shoppers who came back.
    pub(crate) return_looks: ReturnLooks,
    /// Whether this node can serve.
    pub readiness: Readiness,
    /// What is counted.
    pub metrics: Metrics,
    /// What demo mode adds; absent in production.
    pub demo: Option<DemoMode>,
}

impl App {
    /// Whether shoppers come over https, our own or a proxy's.
    pub(crate) fn is_reached_over_https(&self) -> bool {
        self.public_url.starts_with("https://")
    }
}

/// The state as handlers take it.
pub type SharedApp = Arc<App>;
