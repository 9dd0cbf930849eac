//! The form page: reads its address, renders it on the server, and serves the files that the browser needs. It uses no
//! database and no provider, and no card number can reach it.

mod amount;
mod assets;
mod cookie;
mod escape;
mod form_page;
mod html;
mod language;
mod language_preference;
mod locale_routes;
mod notes;
mod options;
mod pieces;
mod policy;
mod query;
mod render;
mod route_rules;
mod settings;
mod templates;
mod theme;
mod third_parties;

use std::sync::Arc;

use prometheus_client::metrics::counter::Counter;

use language::Languages;
use templates::Templates;
use theme::ThemeCache;

pub use amount::amount_text;
pub use assets::{
    Assets, AssetsError, IMMUTABLE, REVALIDATE, accepts, built, content_type_of, file, is_known,
    messages_path, package_integrity, sdk_scripts, text, text_asset, text_assets,
};
pub use cookie::{COOKIE_DAYS_MAX, cookie_attributes, cookie_values};
pub use escape::{ScriptJson, escape};
pub use form_page::{PageDecisions, form_page, theme_context};
pub use html::{Appearance, HtmlDocument};
pub use language::Language;
pub use language_preference::{LanguagePreference, locale_in_cookie};
pub use locale_routes::{LocaleRoutes, RootRedirect, RouteMatch, locale_in_front, locale_near};
pub use policy::{
    FormPolicy, RESOURCE_POLICY, frame_ancestors, headers_of_every_page, lock_down, policy_text, style_source,
};
pub use query::{FormQuery, is_host};
pub use render::{RenderLimits, Renderer};
pub use route_rules::{Matcher, PathRedirect, RouteRule, RouteRules, RuleError};
pub use settings::PageSettings;
pub use theme::{HostBackground, Theme, ThemeContext};
pub use third_parties::{FraudScripts, IpLookup, is_site_id};

/// Renders pages: has the settings, the built files, the texts of every language and the engines.
#[derive(Clone)]
pub struct Pages {
    settings: Arc<PageSettings>,
    assets: Arc<Assets>,
    languages: Arc<Languages>,
    templates: Templates,
    themes: ThemeCache,
}

impl Pages {
    /// Reads the built page and starts the engines.
    pub fn start(settings: PageSettings, limits: RenderLimits) -> Result<Self, AssetsError> {
        let assets = Assets::load()?;
        let renderer = Renderer::start(&assets.server_script, limits);
        Ok(Self {
            languages: Arc::new(Languages::load(&settings, &assets.build_id)?),
            settings: Arc::new(settings),
            assets: Arc::new(assets),
            templates: Templates::new(renderer),
            themes: ThemeCache::default(),
        })
    }

    /// Counters of requested pages, and of pages that React rendered.
    pub fn counters(&self) -> (Counter, Counter) {
        self.templates.counters()
    }

    /// The settings.
    pub fn settings(&self) -> &PageSettings {
        &self.settings
    }

    /// The built files.
    pub fn assets(&self) -> &Assets {
        &self.assets
    }

    /// The language of `locale`.
    pub fn language(&self, locale: &'static rules::locale::Locale) -> &Language {
        self.languages.of(locale)
    }

    /// The merchant's theme in `context`, from the cache if it was read before.
    pub fn theme(
        &self,
        custom_style: &str,
        context: ThemeContext,
        merchant_origins: &[String],
    ) -> Arc<Theme> {
        self.themes.of(custom_style, context, merchant_origins)
    }
}
