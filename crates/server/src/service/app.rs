//! The state of every room of the service. A handler gets only its own room's state.

use std::ops::Deref;
use std::sync::Arc;

use axum::extract::FromRef;
use protocol::clock::Clock;
use store::Store;

use super::readiness::Readiness;
use crate::config::Config;
use crate::pages::ServedPages;
use crate::telemetry::RequestLog;
use crate::telemetry::metrics::Metrics;
use demo::shop::Demo;
use demo::simulator::Simulator;
use experiments::Experiments;
use experiments::experiment_token::TokenIssuer;
use merchants::callers::Callers;
use merchants::keys::signing::SigningKeys;
use merchants::operators::Operators;
use payments::charges::Charges;
use payments::saved_cards::SavedCards;
use tracking::events::Events;
use tracking::operator::Reports;
use tracking::visits::Visits;
use web::Proxies;
use webhooks::delivery::Webhooks;

/// The state of every room of the service.
pub struct Rooms {
    /// The settings.
    pub config: Config,
    /// The origin at which shoppers reach this service: `https://pay.example`.
    pub public_url: Arc<str>,
    /// The database.
    pub store: Store,
    /// The time.
    pub clock: Clock,
    /// The keys that sign client secrets, payloads and tokens.
    pub signing_keys: Arc<SigningKeys>,
    /// The reverse proxies in front of this service.
    pub proxies: Arc<Proxies>,
    /// Identifies callers by their keys and client secrets.
    pub callers: Arc<Callers>,
    /// Decides which features a shopper gets.
    pub experiments: Experiments,
    /// Signs experiment tokens.
    pub token_issuer: Arc<TokenIssuer>,
    /// Collects visits from events.
    pub visits: Arc<Visits>,
    /// Receives the events of shoppers' pages.
    pub events: Arc<Events>,
    /// Counts what `/metrics` reports.
    pub metrics: Arc<Metrics>,
    /// Sends webhooks to merchants.
    pub webhooks: Arc<Webhooks>,
    /// The saved cards.
    pub saved_cards: Arc<SavedCards>,
    /// The charges.
    pub charges: Arc<Charges>,
    /// The pages that shoppers see.
    pub pages: Arc<ServedPages>,
    /// The people who work at the operator's page.
    pub operators: Arc<Operators>,
    /// The operator's report.
    pub reports: Arc<Reports>,
    /// Whether this node can serve.
    pub readiness: Readiness,
    /// The parts of demo mode; `None` in production.
    pub demo: Option<Arc<Demo>>,
    /// The simulator in this process, if no real money moves.
    pub simulator: Option<Arc<Simulator>>,
}

/// The rooms as axum's state. A handler takes only its own room's state; a few handlers of this room take all of it.
/// Cheap to clone.
#[derive(Clone)]
pub struct App(Arc<Rooms>);

impl App {
    /// Makes the state of these rooms.
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

/// Makes each room's state available to handlers by its type.
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
    webhooks: Webhooks,
    token_issuer: TokenIssuer,
    events: Events,
    saved_cards: SavedCards,
    charges: Charges,
    pages: ServedPages,
    operators: Operators,
    reports: Reports,
}
