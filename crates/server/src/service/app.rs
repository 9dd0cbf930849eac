//! The rooms of the service, and which of them a handler gets.

use std::ops::Deref;
use std::sync::Arc;

use axum::extract::FromRef;
use model::clock::Clock;
use store::Store;

use super::readiness::Readiness;
use crate::callers::Callers;
use crate::charges::Charges;
use crate::config::Config;
use crate::demo::Demo;
use crate::events::Events;
use crate::experiments::Experiments;
use crate::experiments::experiment_token::TokenIssuer;
use crate::http::client_ip::Proxies;
use crate::operator::Reports;
use crate::pages::ServedPages;
use crate::saved_cards::SavedCards;
use crate::signing::SigningKeys;
use crate::telemetry::RequestLog;
use crate::telemetry::metrics::Metrics;
use crate::visits::Visits;
use crate::webhooks::delivery::Webhooks;

/// The service's rooms.
pub struct Rooms {
    /// The settings.
    pub config: Config,
    /// The origin that shoppers reach this service at: `https://pay.example`.
    pub public_url: Arc<str>,
    /// What is durable.
    pub store: Store,
    /// The time.
    pub clock: Clock,
    /// The keys that sign what the service gives out.
    pub signing_keys: Arc<SigningKeys>,
    /// The reverse proxies before this service.
    pub proxies: Arc<Proxies>,
    /// Tells who calls.
    pub callers: Arc<Callers>,
    /// Which features shoppers get.
    pub experiments: Experiments,
    /// Signs what experiments assign.
    pub token_issuer: Arc<TokenIssuer>,
    /// What events tell of visits.
    pub visits: Arc<Visits>,
    /// Takes the events of shoppers' pages.
    pub events: Arc<Events>,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// Sends merchants their events.
    pub webhooks: Arc<Webhooks>,
    /// Shoppers' cards.
    pub saved_cards: Arc<SavedCards>,
    /// What is paid.
    pub charges: Arc<Charges>,
    /// What shoppers see.
    pub pages: Arc<ServedPages>,
    /// What the operator sees.
    pub reports: Arc<Reports>,
    /// Whether this node can serve.
    pub readiness: Readiness,
    /// What demo mode adds; absent in production.
    pub demo: Option<Arc<Demo>>,
}

/// The rooms as axum's state. A handler takes its own room's state, never all of this, but for the few of this room that
/// look at several. Cheap to clone.
#[derive(Clone)]
pub struct App(Arc<Rooms>);

impl App {
    /// These rooms.
    pub(super) fn new(rooms: Rooms) -> Self {
        Self(Arc::new(rooms))
    }
}

impl Deref for App {
    type Target = Rooms;

    fn deref(&self) -> &Rooms {
        &self.0
    }
}

impl FromRef<App> for Experiments {
    fn from_ref(app: &App) -> Self {
        app.experiments.clone()
    }
}

impl FromRef<App> for RequestLog {
    fn from_ref(app: &App) -> Self {
        Self {
            clock: app.clock.clone(),
            metrics: Arc::clone(&app.metrics),
        }
    }
}

/// Handlers get these rooms by their types.
macro_rules! rooms {
    ($($field:ident: $room:ty,)*) => {$(
        impl FromRef<App> for Arc<$room> {
            fn from_ref(app: &App) -> Self {
                Arc::clone(&app.$field)
            }
        }
    )*};
}

rooms! {
    proxies: Proxies,
    callers: Callers,
    token_issuer: TokenIssuer,
    events: Events,
    saved_cards: SavedCards,
    charges: Charges,
    pages: ServedPages,
    reports: Reports,
}
