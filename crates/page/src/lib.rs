//! The form page: reads its address, renders it on the server, and serves the files that the browser needs. It uses no
//! database and no provider, and no card number can reach it.

mod amount;
mod assets;
mod cookie;
mod document;
mod escape;
mod form_page;
mod html;
mod kept_memory;
mod language;
mod language_preference;
mod locale_routes;
mod pieces;
mod policy;
mod query;
mod render;
mod route_rules;
mod shared_context;
mod templates;
mod theme;
mod third_parties;

use std::sync::Arc;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use wire::{LocaleStrategy, SharedJson, Tracking};

use language::Languages;
use templates::Templates;
use theme::ThemeCache;

pub use amount::amount_text;
pub use assets::{
    Assets, AssetsError, IMMUTABLE, REVALIDATE, accepts, built, content_type_of, file, messages_path,
    sdk_scripts, text, text_asset, text_assets,
};
pub use cookie::{COOKIE_DAYS_MAX, cookie_attributes, cookie_values};
pub use document::{Appearance, context, written};
pub use escape::{ScriptJson, escape};
pub use form_page::{PageDecisions, PageSite, form_page, setting};
pub use html::HtmlDocument;
pub use language::Language;
pub use language_preference::{LanguagePreference, locale_cookie_attributes, locale_in_cookie};
pub use locale_routes::{LocaleRoutes, RootRedirect, RouteMatch, locale_in_front, locale_near};
pub use pieces::DocumentPieces;
pub use policy::{
    FormPolicy, RESOURCE_POLICY, frame_ancestors, headers_of_every_page, lock_down, policy_text, style_source,
};
pub use query::{FormQuery, is_host};
pub use render::{RenderLimits, Renderer};
pub use route_rules::{Matcher, PathRedirect, RouteRule, RouteRules, RuleError};
pub use theme::{HostBackground, Theme, ThemeContext};
pub use third_parties::{FraudScripts, IpLookup, is_site_id};

/// Renders pages: has the built files, the texts of every language and the engines.
#[derive(Clone)]
pub struct Pages {
    assets: Arc<Assets>,
    languages: Arc<Languages>,
    templates: Templates,
    themes: ThemeCache,
}

impl Pages {
    /// Reads the built page and starts the engines.
    pub fn start(limits: RenderLimits) -> Result<Self, AssetsError> {
        let assets = Assets::load()?;
        let renderer = Renderer::start(&assets.server_script(), limits);
        Ok(Self {
            assets: Arc::new(assets),
            languages: Arc::new(Languages::load()?),
            templates: Templates::new(renderer),
            themes: ThemeCache::default(),
        })
    }

    /// Counters of requested pages, and of pages that React rendered.
    pub fn counters(&self) -> (Counter, Counter) {
        self.templates.counters()
    }

    /// The built files.
    pub fn assets(&self) -> &Assets {
        &self.assets
    }

    /// The language of `locale`.
    pub fn language(&self, locale: &'static rules::locale::Locale) -> &Language {
        self.languages.of(locale)
    }

    /// The merchant's theme in `setting`, from the cache if it was read before.
    pub fn theme(
        &self,
        custom_style: &str,
        setting: ThemeContext,
        merchant_origins: &[String],
    ) -> Arc<Theme> {
        self.themes.of(custom_style, setting, merchant_origins)
    }
}

/// The operator's settings for every page.
#[derive(Debug, Clone, Copy)]
pub struct PageSettings<'a> {
    /// How the address names the language.
    pub locale_strategy: LocaleStrategy,
    /// Whether the language cookie must work in frames of other sites.
    pub locale_cookie_cross_origin: bool,
    /// The fraud prevention's scripts, if there are any.
    pub fraud_scripts: Option<&'a FraudScripts>,
    /// The service that tells the page the client's address.
    pub ip_lookup: &'a IpLookup,
    /// How long collecting device data may take before a charge goes on without.
    pub device_data_timeout: Duration,
    /// The tracking settings for the page; `None` if tracking is off.
    pub tracking: Option<&'a SharedJson<Tracking>>,
    /// Whether a direct charge may have an unsealed card.
    pub accept_plain_cards: bool,
}
