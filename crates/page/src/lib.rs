//! The form page: reads what its address asks for, renders it on the server, and has the files that the browser needs.
//! It asks no database and no provider, and cannot name a card number.

mod amount;
mod assets;
mod cookie;
mod document;
mod escape;
mod form_page;
mod html;
mod language;
mod language_preference;
mod locale_routes;
mod pieces;
mod policy;
mod query;
mod render;
mod route_rules;
mod templates;
mod theme;
mod third_parties;

use std::sync::Arc;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use wire::{LocaleStrategy, Tracking};

use html::alternate_links;
use language::Languages;
use pieces::Piece;
use templates::Templates;
use theme::Themes;

pub use amount::amount_text;
pub use assets::{
    Assets, AssetsError, IMMUTABLE, REVALIDATE, accepts, built, content_type_of, file, messages_path,
    sdk_scripts, text, text_asset, text_assets,
};
pub use cookie::{COOKIE_DAYS_MAX, cookie_attributes, cookie_values};
pub use document::{Look, context, written};
pub use escape::escape;
pub use form_page::{Decided, Site, form_page, setting};
pub use html::Document;
pub use language::Language;
pub use language_preference::{
    LANGUAGE_COOKIE, LanguagePreference, locale_cookie_attributes, locale_in_cookie,
};
pub use locale_routes::{At, LocaleRoutes, RootRedirect, locale_in_front, locale_near};
pub use policy::{
    FRAUD_SCRIPT_POLICY, FormPolicy, RESOURCE_POLICY, frame_ancestors, headers_of_every_page, lock_down,
    policy_text, style_source,
};
pub use query::{FormQuery, is_host};
pub use render::{RenderLimits, Renderer};
pub use route_rules::{Matcher, Redirect, RouteRule, RouteRules, RuleError};
pub use theme::{Host, Setting, Theme};
pub use third_parties::{FraudScripts, IpLookup, is_site_id};

/// What renders pages: the built files, the texts of every language and the engines.
#[derive(Clone)]
pub struct Pages {
    assets: Arc<Assets>,
    languages: Arc<Languages>,
    templates: Templates,
    themes: Themes,
    /// Links to the form in every language.
    alternates: Arc<Piece>,
}

impl Pages {
    /// Reads the built page and starts the engines.
    pub fn start(limits: RenderLimits, routes: &LocaleRoutes) -> Result<Self, AssetsError> {
        let assets = Assets::load()?;
        let renderer = Renderer::start(&assets.server_script(), limits);
        Ok(Self {
            assets: Arc::new(assets),
            languages: Arc::new(Languages::load()?),
            templates: Templates::new(renderer),
            themes: Themes::default(),
            alternates: Arc::new(Piece::new(alternate_links(&routes.alternates()))),
        })
    }

    /// How many pages were asked for, and for how many React ran.
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

    /// The merchant's theme in `setting`, read once for as long as pages ask for it.
    pub async fn theme(
        &self,
        custom_style: &str,
        setting: Setting,
        merchant_origins: &[String],
    ) -> Arc<Theme> {
        self.themes.of(custom_style, setting, merchant_origins).await
    }
}

/// What the operator has set of every page.
#[derive(Debug, Clone, Copy)]
pub struct Settings<'a> {
    /// How the address names the language.
    pub locale_strategy: LocaleStrategy,
    /// Whether the language cookie must work in frames of other sites.
    pub locale_cookie_cross_origin: bool,
    /// The fraud prevention's scripts, if there are any.
    pub fraud_scripts: Option<&'a FraudScripts>,
    /// Who tells the page the client's address.
    pub ip_lookup: &'a IpLookup,
    /// How long collecting device data may take before a charge goes on without.
    pub device_data_timeout: Duration,
    /// What the page is told of its events; absent, there are none.
    pub tracking: Option<&'a Tracking>,
    /// Whether a direct charge may have its card as it was typed, and not sealed.
    pub accept_plain_cards: bool,
}
