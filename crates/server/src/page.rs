//! The page: what is shown at `/`, rendered on the server, and the files that the browser needs for it.

mod challenge_return;
mod document;

mod amount;
mod language;
mod query;
mod theme;

mod html;
mod render;

mod assets;

pub use assets::{Assets, AssetsError};
pub use document::{form_page, page_not_found};
pub use render::{RenderLimits, Renderer};

pub(crate) use amount::amount_text;
pub(crate) use assets::{IMMUTABLE, REVALIDATE, file, page_asset, sdk_asset, text};
pub(crate) use challenge_return::challenge_return_page;
pub(crate) use document::style_source;
pub(crate) use language::locale_messages;
pub(crate) use query::FormQuery;
pub(crate) use theme::{Setting, Theme};

use std::sync::Arc;

use language::Languages;

/// What the page room needs to answer: the built files and the engines that render.
#[derive(Clone)]
pub struct Pages {
    assets: Arc<Assets>,
    languages: Arc<Languages>,
    renderer: Renderer,
}

impl Pages {
    /// Reads the built page and starts the engines.
    pub fn start(limits: RenderLimits) -> Result<Self, AssetsError> {
        let assets = Assets::load()?;
        let renderer = Renderer::start(&assets.server_script(), limits);
        Ok(Self {
            assets: Arc::new(assets),
            languages: Arc::new(Languages::load()?),
            renderer,
        })
    }

    /// The built files.
    pub fn assets(&self) -> &Assets {
        &self.assets
    }
}
