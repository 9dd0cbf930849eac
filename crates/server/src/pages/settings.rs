//! What the room of pages is told by the settings.

use std::time::Duration;

use page::{FraudScripts, IpLookup, LocaleRoutes, RouteRules};
use wire::Tracking;

/// What pages say and where they are.
#[derive(Debug, Clone)]
pub struct ServedPageSettings {
    /// The addresses of the languages.
    pub locale_routes: LocaleRoutes,
    /// Whether the language cookie must work in frames of other sites.
    pub locale_cookie_cross_origin: bool,
    /// The host below which a link may name the one that the page calls in our place.
    pub dynamic_environment_suffix: Option<String>,
    /// Paths that lead elsewhere.
    pub route_rules: RouteRules,
    /// What the page is told of its events; absent, there are none.
    pub tracking: Option<Tracking>,
    /// The fraud prevention's scripts, if there are any.
    pub fraud_scripts: Option<FraudScripts>,
    /// Who tells the page the client's address.
    pub ip_lookup: IpLookup,
    /// How long collecting device data may take before a charge goes on without.
    pub device_data_timeout: Duration,
    /// Whether a payload that this service has not signed shows a card form.
    pub accept_unsigned_payloads: bool,
    /// Whether a direct charge may have its card as it was typed, and not sealed.
    pub accept_plain_cards: bool,
}

impl ServedPageSettings {
    /// What every page is told of the settings.
    pub(crate) fn of_page(&self) -> page::PageSettings<'_> {
        page::PageSettings {
            locale_strategy: self.locale_routes.strategy,
            locale_cookie_cross_origin: self.locale_cookie_cross_origin,
            fraud_scripts: self.fraud_scripts.as_ref(),
            ip_lookup: &self.ip_lookup,
            device_data_timeout: self.device_data_timeout,
            tracking: self.tracking.as_ref(),
            accept_plain_cards: self.accept_plain_cards,
        }
    }
}
