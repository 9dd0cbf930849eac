//! The page: what is shown at `/`, rendered on the server, and the files that the browser needs for it.

mod admission;
mod challenge_return;
mod csp_reports;
mod document;
mod embedders;
mod embedding;
mod policy;
mod third_parties;

mod logo;
mod payee;

mod locale_routes;
mod route_rules;
mod routing;

mod amount;
mod language;
mod language_preference;
mod query;
mod theme;

mod expected_form;
mod form_document;
mod form_page;
mod html;
mod pieces;
mod render;
mod templates;

mod assets;
mod builds;

pub use assets::{Assets, AssetsError};
pub use locale_routes::{LocaleRoutes, RootRedirect};
pub use render::{RenderLimits, Renderer};
pub use route_rules::{RouteRule, RouteRules, RuleError};
pub use routing::{form_page, page_not_found};
pub(crate) use third_parties::is_site_id;
pub use third_parties::{FraudScripts, IpLookup};

pub(crate) use amount::{amount_in_locale, amount_text};
pub(crate) use assets::{IMMUTABLE, REVALIDATE, built, content_type_of, file, sdk_asset, sdk_scripts, text};
pub(crate) use builds::{build_meta, build_payload, keep_assets, latest_build, page_asset};
pub(crate) use challenge_return::challenge_return_page;
pub(crate) use csp_reports::{CspReports, csp_reports};
pub(crate) use embedding::embedding;
pub(crate) use expected_form::{AskedForm, ExpectedForm, OfService, expected_form};
pub(crate) use language::locale_messages;
pub(crate) use language_preference::LANGUAGE_COOKIE;
pub(crate) use logo::{LOGO_BYTES_MAX, merchant_logo, read_logo};
pub(crate) use policy::{
    FRAUD_SCRIPT_POLICY, RESOURCE_POLICY, frame_ancestors, headers_of_every_page, style_source,
};
pub(crate) use query::{FormQuery, is_host};
pub(crate) use routing::{failed_page, panicked_page};
pub(crate) use theme::{Host, Setting, Theme};

use std::sync::Arc;

use embedders::Embedders;
use html::alternate_links;
use language::Languages;
use payee::Payees;
use pieces::Piece;
use prometheus_client::metrics::counter::Counter;
use templates::Templates;
use theme::Themes;

/// What the page room needs to answer: the built files and the engines that render.
#[derive(Clone)]
pub struct Pages {
    assets: Arc<Assets>,
    languages: Arc<Languages>,
    templates: Templates,
    embedders: Embedders,
    payees: Payees,
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
            embedders: Embedders::default(),
            payees: Payees::default(),
            themes: Themes::default(),
            alternates: Arc::new(Piece::new(alternate_links(&routes.alternates()))),
        })
    }

    /// How many pages were asked for, and for how many React ran.
    pub(crate) fn counters(&self) -> (Counter, Counter) {
        self.templates.counters()
    }

    /// The built files.
    pub fn assets(&self) -> &Assets {
        &self.assets
    }
}
