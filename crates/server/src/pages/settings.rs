//! The settings of the pages.

use std::time::Duration;

use page::{FraudScripts, IpLookup, LocaleRoutes, RouteRules};
use wire::{SharedJson, Tracking};

/// The settings of the pages.
#[derive(Debug, Clone)]
pub struct ServedPageSettings {
    /// The addresses of the languages.
    pub locale_routes: LocaleRoutes,
    /// Whether the language cookie must work in frames of other sites.
    pub locale_cookie_cross_origin: bool,
    /// A link may name a host below this one, which the page then calls instead of this service; `None` if it may not.
    pub dynamic_environment_suffix: Option<String>,
    /// The route rules, with redirects.
    pub route_rules: RouteRules,
    /// The page's settings for events; `None` if it sends none.
    pub tracking: Option<SharedJson<Tracking>>,
    /// The scripts of the fraud prevention, if there is one.
    pub fraud_scripts: Option<FraudScripts>,
    /// Which service tells the page the client's address.
    pub ip_lookup: IpLookup,
    /// How long the collection of device data may take. After that the charge goes on without it.
    pub device_data_timeout: Duration,
    /// Whether an unsigned payload shows a card form.
    pub accept_unsigned_payloads: bool,
    /// Whether a direct charge may contain the card in plain text, not sealed.
    pub accept_plain_cards: bool,
}

impl ServedPageSettings {
    /// The settings that every page contains.
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
