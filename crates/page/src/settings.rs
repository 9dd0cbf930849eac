//! The operator's settings for the pages.

use std::sync::Arc;
use std::time::Duration;

use protocol::Tracking;

use super::locale_routes::LocaleRoutes;
use super::route_rules::RouteRules;
use super::third_parties::{FraudScripts, IpLookup};

/// The settings of the pages. The configuration makes them once, and they do not change while the service runs.
#[derive(Debug, Clone, Default)]
pub struct PageSettings {
    /// Whether shoppers use https, of this service or of a proxy.
    pub is_https: bool,
    /// The addresses of the languages.
    pub locale_routes: LocaleRoutes,
    /// Whether the language cookie must work in frames of other sites.
    pub locale_cookie_cross_origin: bool,
    /// A link may name a host below this one, which the page then calls instead of this service; `None` if it may not.
    pub dynamic_environment_suffix: Option<String>,
    /// The route rules, with redirects.
    pub route_rules: RouteRules,
    /// The page's settings for events; `None` if it sends none.
    pub tracking: Option<Arc<Tracking>>,
    /// The scripts of the fraud prevention, if there is one.
    pub fraud_scripts: Option<FraudScripts>,
    /// The service that tells the page the client's address.
    pub ip_lookup: IpLookup,
    /// How long collecting device data may take before a charge continues without it.
    pub device_data_timeout: Duration,
    /// Whether no payment moves real money, which every page then says.
    pub is_test_mode: bool,
    /// Whether an unsigned payload shows a card form.
    pub accept_unsigned_payloads: bool,
    /// Whether a direct charge may contain the card in plain text, not sealed.
    pub accept_plain_cards: bool,
}
